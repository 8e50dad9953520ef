"""Every queueing example against its closed form.

A figure is measured in `SEEDS` independent runs; the closed form must lie in the
Student interval around their mean. The intervals are at 99.9 %, since there are
many of them. That they are narrow enough to tell is tested too: each refuses a
formula that is wrong in a way one could be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import factorial, sqrt
from pathlib import Path
from statistics import fmean, stdev

import pytest

import serq_simpy
from serq_simpy import Report

EXAMPLES = Path(__file__).parents[2] / "examples" / "queueing"
SEEDS = range(1, 9)
STUDENT = 5.408
"""The 0.9995 quantile of Student's t with 7 degrees of freedom."""


@dataclass(frozen=True)
class Case:
    """A figure of an example, what it must be, and what it could be mistaken for."""

    program: str
    figure: str
    read: Callable[[Report], float]
    formula: float
    mistake: float
    horizon: float = 25_000


def erlang_c(servers: int, load: float) -> float:
    """The fraction of customers of an M/M/c queue that wait."""
    full = load**servers / factorial(servers)
    free = sum(load**k / factorial(k) for k in range(servers))
    return full / ((1 - load / servers) * free + full)


def repairer_busy(machines: int, ratio: float) -> float:
    """The fraction of time the repairer of an M/M/1//N system works."""
    weights = (
        ratio**k * factorial(machines) / factorial(machines - k) for k in range(machines + 1)
    )
    return 1 - 1 / sum(weights)


def observed(name: str) -> Callable[[Report], float]:
    return lambda report: report.observe(name).mean


def gauged(name: str) -> Callable[[Report], float]:
    return lambda report: report.gauge(name).mean


def busy(name: str) -> Callable[[Report], float]:
    return lambda report: report.stage(name).utilization


REPAIRED = repairer_busy(6, 1 / 8)
CASES = [
    Case("mm1", "sojourn", observed("sojourn"), 1 / 0.4, 1 + 0.3 / 0.4),
    Case("mm1", "late", observed("late"), 0.36788, 0.5),
    Case("mm1", "jobs", gauged("jobs"), 0.6 / 0.4, 0.36 / 0.4),
    Case("mm1", "busy", busy("server"), 0.6, 0.6 / 1.6),
    Case("mg1", "wait", observed("wait"), 4.0, 2.0, horizon=50_000),
    Case("mg1_exponential", "wait", observed("wait"), 0.6 / 0.4, 0.3 / 0.4),
    Case("mg1_deterministic", "wait", observed("wait"), 0.3 / 0.4, 0.6 / 0.4),
    Case("mg1_erlang", "wait", observed("wait"), 0.6 * 5 / 8 / 0.4, 0.3 / 0.4),
    Case("mg1_hyperexponential", "wait", observed("wait"), 0.3 * 5 / 0.4, 0.6 / 0.4),
    Case("mg1_ps", "sojourn", observed("sojourn"), 1 / 0.4, 1 + 0.3 * 5 / 0.4),
    Case("mg1_ps", "stretch", observed("stretch"), 1 / 0.4, 1.0),
    Case("mg1_ps", "jobs", gauged("jobs"), 0.6 / 0.4, 0.6 + 0.6 * 0.3 * 5 / 0.4),
    Case("mmc", "waits", observed("waits"), erlang_c(3, 2.1), 0.7, horizon=10_000),
    Case("mmc", "wait", observed("wait"), erlang_c(3, 2.1) / 0.9, 0.7 / 0.3, horizon=10_000),
    Case("mmc", "working", gauged("working"), 2.1, 3.0, horizon=10_000),
    Case("mm1n_closed", "busy", busy("repairer"), REPAIRED, 0.75),
    Case("mm1n_closed", "down", observed("down"), 6 / REPAIRED - 8, 1 / (1 - REPAIRED)),
    Case("tandem", "sojourn", observed("sojourn"), 1 / 0.5 + 0.8 / 0.6, 1.5 / 0.5 + 0.8),
    Case("tandem", "empty", gauged("empty"), 0.5 * 0.6, 0.5 * 0.6 / 0.8),
    Case("priority", "urgent_wait", observed("urgent_wait"), 0.52 / 0.84, 0.52 / 0.36),
    Case("priority", "normal_wait", observed("normal_wait"), 0.52 / 0.84 / 0.36, 0.52 / 0.36),
]
NAMES = [f"{case.program}-{case.figure}" for case in CASES]


@cache
def reports(program: str, horizon: float) -> tuple[Report, ...]:
    """The reports of an example, one a seed, a tenth of the time to warm up."""
    compiled = serq_simpy.compile(EXAMPLES / f"{program}.sq", horizon=horizon, warmup=horizon / 10)
    return tuple(serq_simpy.run(compiled.with_settings(seed=seed)) for seed in SEEDS)


def interval(case: Case) -> tuple[float, float]:
    """The mean of the runs of a case and the half width of its interval."""
    values = [case.read(report) for report in reports(case.program, case.horizon)]
    return fmean(values), STUDENT * stdev(values) / sqrt(len(values))


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_agrees_with_its_closed_form(case: Case) -> None:
    mean, half = interval(case)
    assert abs(mean - case.formula) <= half


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_tells_a_wrong_formula(case: Case) -> None:
    mean, half = interval(case)
    assert abs(mean - case.mistake) > half


def test_every_example_has_a_closed_form() -> None:
    assert {case.program for case in CASES} == {path.stem for path in EXAMPLES.glob("*.sq")}
