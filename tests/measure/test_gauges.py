"""Gauges: their change points, windows, and what the reference reports of them."""

from __future__ import annotations

from itertools import pairwise
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from serq_simpy.measure.gauges import GaugeRecorder, GaugeStatistics


def recorded(*points: tuple[float, float]) -> GaugeRecorder:
    gauge = GaugeRecorder("g")
    for time, value in points:
        gauge.record(time, value)
    return gauge


def points(gauge: GaugeRecorder) -> list[tuple[float, float]]:
    return list(zip(gauge.times.tolist(), gauge.values.tolist(), strict=True))


def test_only_changes_are_kept() -> None:
    gauge = recorded((0, 1), (1, 1), (2, 3), (3, 3), (4, 1))
    assert points(gauge) == [(0, 1), (2, 3), (4, 1)]


def test_the_last_value_of_an_instant_wins() -> None:
    gauge = recorded((0, 1), (1, 4), (1, 0), (2, 4), (2, 0), (3, 5), (3, 0), (3, 6))
    assert points(gauge) == [(0, 1), (1, 0), (3, 6)]


def test_zeros_and_nans_differ_by_their_sign() -> None:
    values = (0.0, -0.0, -0.0, 0.0, nan, nan, -nan, 1.0)
    gauge = recorded(*enumerate(values))
    assert gauge.times.tolist() == [0, 1, 3, 4, 6, 7]


PATH = ((0.0, 3.0), (2.0, 9.0), (3.0, 6.0), (5.0, 3.0), (8.0, 0.0))
"""Units used on a pool by three jobs; the numbers expected are the reference's."""


@pytest.mark.parametrize(
    ("warmup", "end", "mean", "ci", "least", "most"),
    [
        (0, 10, 3.6, 1.2558, 0, 9),
        (5, 10, 1.8, 0.7056986773105749, 0, 3),
        (0, 2, 3, 0, 3, 3),
        (0.5, 1, 3, 0, 3, 3),
    ],
)
def test_path(warmup: float, end: float, mean: float, ci: float, least: float, most: float) -> None:
    found = recorded(*PATH).statistics(warmup, end)
    assert (found.mean, found.ci) == pytest.approx((mean, ci), rel=1e-12, abs=1e-13)
    assert (found.min, found.max) == (least, most)


def test_nan_throughout_where_a_nan_was_held() -> None:
    found = recorded((0, nan), (8, 1)).statistics(0, 10)
    assert isnan(found.mean) and isnan(found.ci)
    assert (found.min, found.max) == (1, 1)
    found = recorded((0, nan)).statistics(0, 10)
    assert (found.min, found.max) == (inf, -inf)


def test_a_nan_before_the_warmup_does_not_count() -> None:
    assert recorded((0, nan), (5, 1)).statistics(5, 10) == GaugeStatistics(1, 0, 1, 1)


def test_an_infinite_value() -> None:
    found = recorded((0, inf), (8, 1)).statistics(0, 10)
    assert (found.mean, found.min, found.max) == (inf, 1, inf)
    assert isnan(found.ci)


VALUES = st.floats(-1e3, 1e3)
PATHS = st.lists(st.tuples(st.floats(0, 100), VALUES), max_size=40)


@given(VALUES, PATHS, st.floats(0, 50), st.floats(60, 120))
def test_windows_conserve_the_integral(
    first: float, path: list[tuple[float, float]], warmup: float, end: float
) -> None:
    gauge = recorded((0, first), *sorted(path, key=lambda point: point[0]))
    edges = np.linspace(warmup, end, 21)
    windows = [gauge.statistics(a, b).mean for a, b in pairwise(edges)]
    found = gauge.statistics(warmup, end)
    assert found.mean == pytest.approx(np.mean(windows), rel=1e-9, abs=1e-9)
    expected = 2.093 * np.std(windows, ddof=1) / np.sqrt(20)
    assert found.ci == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert found.min - 1e-9 <= found.mean <= found.max + 1e-9


@given(VALUES, st.floats(0, 50), st.floats(1e-3, 100))
def test_a_constant(value: float, warmup: float, length: float) -> None:
    end = warmup + length
    assume(end > warmup)
    found = recorded((0, value)).statistics(warmup, end)
    assert (found.min, found.max) == (value, value)
    assert found.mean == pytest.approx(value, rel=1e-14)
    assert found.ci == pytest.approx(0, abs=1e-12 * max(1, abs(value)))
