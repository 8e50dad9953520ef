"""Inputs and settings: every way to say them, and who wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Serq


def report(serq: Serq, *args: str) -> dict[str, object]:
    outcome = serq("run", "q.sq", "--json", *args)
    assert (outcome.status, outcome.err) == (0, "")
    read = json.loads(outcome.out)
    assert isinstance(read, dict)
    return read


def mean_done(serq: Serq, *args: str) -> float:
    """The mean of `done` of one arrival: its gap and its work."""
    done = report(serq, "--horizon", "90", "--arrivals", "1", *args)["observes"]
    assert isinstance(done, dict)
    return float(done["done"]["mean"])


@pytest.mark.parametrize(
    "args",
    [
        ("--", "--work", "4"),
        ("--", "--work=4"),
        ("--", "--work", "2 + 2"),
        ("--set", "work=4"),
        ("--def", "service=m + 3"),
        ("--set", "work=9", "--set", "work=4"),
        ("--set", "work=9", "--", "--work", "4"),
        ("--", "--work", "9", "--work", "4"),
    ],
)
def test_every_way_to_give_an_input(serq: Serq, args: tuple[str, ...]) -> None:
    assert mean_done(serq, *args) == 6


def test_a_negative_value_is_a_value(serq: Serq) -> None:
    assert mean_done(serq, "--def", "service=-m", "--", "--work", "-4") == 6


def test_the_later_of_flags_and_instances_wins(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "one.inst").write_text("let work = 4; run { seed 5; horizon 70; }")
    (tmp_path / "two.inst").write_text("let work = 6; run { seed 6; }")

    def settings(*args: str) -> tuple[object, object, float]:
        read = report(serq, "--arrivals", "1", *args)
        observes = read["observes"]
        assert isinstance(observes, dict)
        return read["seed"], read["horizon"], observes["done"]["mean"]

    assert settings("--instance", "one.inst") == (5, 70, 6)
    assert settings("--instance", "one.inst", "--seed", "7", "--horizon", "80") == (7, 80, 6)
    assert settings("--seed", "7", "--horizon", "80", "--instance", "one.inst") == (5, 70, 6)
    assert settings("--instance", "one.inst", "--instance", "two.inst") == (6, 70, 8)
    assert settings("--instance", "two.inst", "--set", "work=5", "--instance", "one.inst") == (
        5,
        70,
        6,
    )
    assert settings("--instance", "one.inst", "--", "--work", "1") == (5, 70, 3)


def test_an_instance_finds_its_trace_beside_itself(serq: Serq, tmp_path: Path) -> None:
    folder = tmp_path / "monday"
    folder.mkdir()
    (folder / "talk.csv").write_text("0,1,10,5,2\n")
    (folder / "monday.inst").write_text('run { horizon 9; trace "talk.csv"; }')
    outcome = serq("run", "q.sq", "--instance", "monday/monday.inst")
    assert outcome.status == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run { seed 1.5; }", "i:1:12: `seed` is a whole number"),
        ("run { horizon 1 + 1; }", "i:1:15: `horizon` is a number"),
        ("run { seed 1; seed 2; }", "i:1:15: "),
        ("let work = ;", "i:1:12: "),
        ("stage s : fifo;", "i:1:1: "),
    ],
)
def test_a_wrong_instance_is_refused_at_its_place(
    serq: Serq, tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "i").write_text(text)
    outcome = serq("run", "q.sq", "--horizon", "9", "--instance", "i")
    assert outcome.status == 1
    assert outcome.err.startswith(expected)


@pytest.mark.parametrize(
    ("args", "status", "expected"),
    [
        (("--set", "work"), 2, "`--set work`: expected --set NAME=VALUE"),
        (("--def", "=1"), 2, "`--def =1`: expected --def NAME=BODY"),
        (("--instance", "none"), 2, "cannot read `none`: there is no such file"),
        (("--", "work", "4"), 2, "unexpected `work`"),
        (("extra",), 2, "unexpected `extra`"),
        (("--", "--work"), 2, "the input `work` has no value: expected --work VALUE"),
        (("--work", "4"), 2, "no such option: --work\nhelp: "),
        (("--", "--wrk", "4"), 1, "unknown program argument `wrk`\nhelp: did you mean `work`?"),
        (("--set", "work=~exp(1)"), 1, ""),
        (("--warmup", "9"), 1, ""),
        (("--seed", "-1"), 2, ""),
        (("--arrivals", "0"), 2, ""),
        (("--instance", "seed.inst"), 2, "`seed` is "),
    ],
)
def test_wrong_settings(
    serq: Serq, tmp_path: Path, args: tuple[str, ...], status: int, expected: str
) -> None:
    (tmp_path / "seed.inst").write_text("run { seed 99999999999999999999; }")
    outcome = serq("run", "q.sq", "--horizon", "9", *args)
    assert outcome.status == status
    assert outcome.err.startswith(expected)
    assert outcome.err
    assert outcome.out == ""


def test_a_run_needs_a_horizon(serq: Serq) -> None:
    outcome = serq("run", "q.sq")
    assert outcome.status == 2
    assert "--horizon" in outcome.err
