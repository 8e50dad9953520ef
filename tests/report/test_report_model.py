"""The names by which a user reads a report."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan
from typing import Any

import pytest

from serq_simpy.report import Report


def test_observations(report_of: Callable[..., Report]) -> None:
    report = report_of("engine")
    assert list(report.observes) == ["long", "asked"]
    assert list(report.client) == ["ttft", "tpot", "response"]
    asked = report.observe("asked")
    assert asked is report.observes["asked"] and asked is not None
    rows = list(zip(asked.times, asked.sessions, asked.turns, asked.samples, strict=True))
    assert len(rows) == asked.count
    assert all(type(session) is int and type(turn) is int for _, session, turn, _ in rows)
    assert min(asked.times) >= report.warmup
    assert asked.samples is not asked.samples
    assert asked.mean == pytest.approx(sum(asked.samples) / asked.count)


def test_an_observation_without_samples(report_of: Callable[..., Report]) -> None:
    never = report_of("numbers").observe("never")
    assert never is not None
    assert (never.count, never.ci, never.samples) == (0, inf, [])
    assert isnan(never.mean) and isnan(never.cv2) and isnan(never.p99)


def test_gauges_and_claims(report_of: Callable[..., Report]) -> None:
    report = report_of("engine")
    gauge = report.gauge("load")
    assert gauge is not None and gauge is report.gauges["load"]
    assert gauge.times[0] == 0 and len(gauge.times) == len(gauge.values)
    assert gauge.min <= gauge.mean <= gauge.max
    claim = report.claim("short")
    assert claim is not None and claim is report.claims["short"]
    assert (claim.kind, claim.result, claim.failures > 0) == ("every_iteration", "fails", True)


def test_families(report_of: Callable[..., Report]) -> None:
    report = report_of("growing")
    assert [stage.index for stage in report.stages_named("s")] == [0, 1]
    first = report.stage("s")
    assert first is not None and first.index == 0
    assert [pool.name for pool in report.pools] == ["m", "t"]
    pool = report.pool("t")
    assert pool is not None and pool.over_cap == ("t", 6.0)


def test_names_that_are_not_there(report_of: Callable[..., Report]) -> None:
    report = report_of("engine")
    for look in (report.observe, report.gauge, report.claim, report.stage, report.pool):
        assert look("nothing of this name") is None
    assert (report.stages_named("x"), report.pools_named("x")) == ([], [])


def test_a_name_is_a_string(report_of: Callable[..., Report]) -> None:
    report: Any = report_of("engine")
    for look in (report.observe, report.gauge, report.claim, report.stage, report.pool):
        with pytest.raises(TypeError):
            look(3)
