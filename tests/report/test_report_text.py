"""The report as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from serq_simpy.report import Report
from serq_simpy.report.table import Column, number, table
from serq_simpy.report.text import text


def test_engine(report_of: Callable[..., Report]) -> None:
    lines = text(report_of("engine")).split("\n")
    assert lines[0] == "ended at 60 (horizon 60, warm-up 5, seed 4)"
    assert lines[1].startswith("sessions: 46 arrived, 43 ended, ")
    (stages,) = (i for i, line in enumerate(lines) if line.startswith("stage"))
    assert [line.split()[0] for line in lines[stages + 1 : stages + 3]] == ["llm", "tool"]
    (engines,) = (i for i, line in enumerate(lines) if line.startswith("engine"))
    assert lines[engines].split()[:3] == ["engine", "iterations", "prefill"]
    assert lines[engines + 1].split()[:2] == ["llm", "285"]
    assert lines[engines + 2] == "", "a stage without iterations is no engine"
    assert "claim" in "".join(lines) and "fails" in "".join(lines)


def test_a_test_that_was_never_true(report_of: Callable[..., Report]) -> None:
    """`zero` and `hit` are 0 throughout; only `hit` is a test."""
    report = report_of("numbers")
    notes = [line for line in text(report).split("\n") if line.startswith("note:")]
    assert notes == ["note: observe hit is constant 0 over 50 samples"]


@pytest.mark.parametrize(("samples", "noted"), [(39, False), (40, True)])
def test_of_few_samples_nothing_is_said(
    samples: int,
    noted: bool,
    report_of: Callable[..., Report],
    samples_of: Callable[..., Any],
) -> None:
    hit = samples_of("hit", [[float(i), 0.0, 1.0, 0.0] for i in range(samples)])
    report = report_of("numbers", observations=(hit,))
    assert ("note:" in text(report)) is noted


def test_what_did_not_get_further(report_of: Callable[..., Report]) -> None:
    lines = text(report_of("growing")).split("\n")
    assert (
        "grow: pool m: 2 holds waiting to grow at the end, "
        "among them every session that holds it: they wait for ever"
    ) in lines
    assert "over: pool t: the head of the queue of t asks 6, more than the cap" in lines


def test_stuck_and_idle(report_of: Callable[..., Report]) -> None:
    report = report_of("growing")
    report.pools = [replace(report.pools[0], stuck=1, growing_stalled=False)]
    report.stages = [replace(report.stages[1], idle_with_work=True)]
    lines = text(report).split("\n")
    assert "stuck: pool m: 1 session preempted again without getting further" in lines
    assert "grow: pool m: 2 holds waiting to grow at the end" in lines
    assert "idle: engine s[0] has work, but its last try scheduled nothing" in lines


def test_columns_that_say_nothing_are_left_out(report_of: Callable[..., Report]) -> None:
    report = report_of("growing")
    assert "engine" not in text(report)
    assert "preempted" not in text(report) and "evicted" not in text(report)
    report.pools[0] = replace(report.pools[0], preemptions=3)
    assert "preempted" in text(report)


def test_nothing_to_report(report_of: Callable[..., Report]) -> None:
    assert text(report_of("nothing")).count("\n") == 1


@pytest.mark.parametrize("name", ["engine", "growing", "numbers", "nothing"])
def test_plain_and_tidy(name: str, report_of: Callable[..., Report]) -> None:
    shown = text(report_of(name))
    assert shown == str(report_of(name)), "the same every time"
    assert "\x1b" not in shown and "nan" not in shown
    assert all(line == line.rstrip() for line in shown.split("\n"))


def test_alignment() -> None:
    lines = table(
        "pool",
        ["kv[0]", "requests"],
        [Column("used", [0.5, 12345.678]), Column("result", ["holds", "no"])],
    )
    assert lines == [
        "pool        used   result",
        "kv[0]        0.5   holds",
        "requests   12346   no",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (7, "7"),
        (1234567, "1234567"),
        (1234567.89, "1234568"),
        (0.123456, "0.12346"),
        (99999.94, "100000"),
        (99999.4, "99999"),
        (1.5e-10, "1.5e-10"),
        (1e21, "1e+21"),
        (nan, "-"),
        (inf, "inf"),
        (-inf, "-inf"),
    ],
)
def test_numbers_for_reading(value: float, shown: str) -> None:
    assert number(value) == shown
