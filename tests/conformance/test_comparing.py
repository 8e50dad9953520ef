"""The comparison with a golden sees what it must, and names it."""

from __future__ import annotations

from typing import Any

import pytest
from golden_comparing import first_difference

REPORT = {
    "end": 30.0,
    "events": 7,
    "observes": {"n": {"count": 3, "mean": 1.0, "ci": None}},
    "pools": [{"name": "m", "index": None, "rejected": 2, "mean_used": 0.25}],
}


def changed(**new: Any) -> dict[str, Any]:
    return {**REPORT, **new}


@pytest.mark.parametrize(
    "same",
    [
        changed(),
        dict(reversed(REPORT.items())),
        changed(events=99, serq_version="other"),
        changed(end=30.0 + 2e-8),
        changed(end=30),
    ],
)
def test_equal_reports_have_no_difference(same: dict[str, Any]) -> None:
    assert first_difference(REPORT, same, "report") is None


@pytest.mark.parametrize(
    ("other", "path"),
    [
        (changed(end=30.0 + 4e-8), "report.end"),
        (changed(end=None), "report.end"),
        (changed(end=True), "report.end"),
        (changed(observes={}), "report.observes.n"),
        (changed(observes={**REPORT["observes"], "k": {}}), "report.observes.k"),  # type: ignore[dict-item]
        (
            changed(observes={"n": {"count": 3, "mean": 1.0, "ci": 0}}),
            "report.observes.n.ci",
        ),
        (
            changed(observes={"n": {"count": 3 + 1e-12, "mean": 1.0, "ci": None}}),
            "report.observes.n.count",
        ),
        (changed(pools=[]), "report.pools"),
        (
            changed(pools=[{"name": "m", "index": 0, "rejected": 2, "mean_used": 0.25}]),
            "report.pools[0].index",
        ),
        (
            changed(pools=[{"name": "m", "index": None, "rejected": 2, "mean_used": 0.26}]),
            "report.pools[0].mean_used",
        ),
    ],
)
def test_the_first_difference_is_named(other: dict[str, Any], path: str) -> None:
    found = first_difference(REPORT, other, "report")
    assert found is not None
    assert found.startswith(f"{path}: ")


def test_whole_columns_and_exact_numbers_are_exact() -> None:
    row, near = [[1.0, 5, 2.0]], [[1.0 + 1e-13, 5 + 1e-12, 2.0]]
    assert first_difference(row, near, "head") is None
    assert first_difference(row, near, "head", whole=(1,)) is not None
    assert first_difference(1.0, 1.0 + 1e-13, "ir", exact=True) is not None
