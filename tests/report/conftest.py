"""Reports to render, from what the reference implementation recorded.

`goldens.json` has programs, what a run of them recorded and the report as JSON, all by
the reference implementation.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from serq_simpy.measure.gauges import GaugeRecorder
from serq_simpy.measure.record import Claim, OverCap, Pool, RunRecord, Stage
from serq_simpy.measure.samples import Samples
from serq_simpy.report import Report

GOLDENS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "goldens.json").read_text()
)
TESTS = {"engine": ["long"], "numbers": ["hit"]}
TABLES = {"observations", "client", "gauges", "claims", "stages", "pools"}


def samples(name: str, rows: list[list[float]]) -> Samples:
    recorded = Samples(name)
    for row in rows:
        recorded.record(row)
    return recorded


def gauge(name: str, points: list[list[float]]) -> GaugeRecorder:
    recorder = GaugeRecorder(name)
    for time, value in points:
        recorder.record(time, value)
    return recorder


def pool(row: dict[str, Any]) -> Pool:
    over = row.pop("over_cap")
    return Pool(**row, over_cap=over and OverCap(*over))


def record(name: str, **changes: Any) -> RunRecord:
    golden = json.loads(json.dumps(GOLDENS[name]["record"]))
    fields: dict[str, Any] = {key: golden[key] for key in golden if key not in TABLES}
    fields |= {
        "observations": tuple(samples(*item) for item in golden["observations"].items()),
        "client": tuple(samples(*item) for item in golden["client"].items()),
        "gauges": tuple(gauge(*item) for item in golden["gauges"].items()),
        "claims": tuple(Claim(**row) for row in golden["claims"]),
        "stages": tuple(Stage(**row) for row in golden["stages"]),
        "pools": tuple(pool(row) for row in golden["pools"]),
        "tests": frozenset(TESTS.get(name, ())),
    }
    return RunRecord(**fields | changes)


@pytest.fixture
def report_of() -> Callable[..., Report]:
    """`report_of(name, **changes)`: the report of a golden, its record changed."""
    return lambda name, **changes: Report(record(name, **changes))


@pytest.fixture
def golden_json() -> Callable[[str], str]:
    """The reference's JSON of a golden."""
    return lambda name: str(GOLDENS[name]["json"])


@pytest.fixture
def samples_of() -> Callable[[str, list[list[float]]], Samples]:
    """`samples_of(name, rows)`: recorded samples."""
    return samples
