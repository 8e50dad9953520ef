"""Statistics of samples: by hand, against numpy, and as the reference reports them."""

from __future__ import annotations

import math
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from serq_simpy.measure import statistics

MINUS_NAN = -nan
SAMPLES = arrays(np.float64, st.integers(1, 400), elements=st.floats(-1e6, 1e6, width=32))
POSITIVE = arrays(np.float64, st.integers(40, 400), elements=st.floats(0.5, 1e6, width=32))
ANY = arrays(np.float64, st.integers(1, 200), elements=st.floats())


def same(a: float, b: float) -> bool:
    return repr(a) == repr(b)


@given(SAMPLES)
def test_mean(values: statistics.Values) -> None:
    assert statistics.mean(values) == pytest.approx(np.mean(values), rel=1e-9, abs=1e-6)


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e300), st.integers(1, 500))
def test_mean_of_equal_values_is_their_value(value: float, count: int) -> None:
    assert statistics.mean(np.full(count, abs(value))) == abs(value)


@given(POSITIVE)
def test_variation(values: statistics.Values) -> None:
    mean = statistics.mean(values)
    expected = np.var(values, ddof=1) / mean**2
    assert statistics.cv2(values, mean) == pytest.approx(expected, rel=1e-9, abs=1e-15)


@given(POSITIVE)
def test_batch_means(values: statistics.Values) -> None:
    size = len(values) // 20
    means = [np.mean(values[i * size : (i + 1) * size]) for i in range(20)]
    expected = 2.093 * math.sqrt(np.var(means, ddof=1) / 20)
    assert statistics.half_width(values) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(SAMPLES)
def test_p99_is_a_sorted_sample(values: statistics.Values) -> None:
    rank = -(-99 * len(values) // 100)
    assert statistics.p99(values) == np.sort(values)[rank - 1]


@given(ANY, st.floats(0, 1))
def test_quantiles_are_in_the_total_order(values: statistics.Values, q: float) -> None:
    def key(x: float) -> tuple[float, float]:
        sign = math.copysign(1.0, x)
        return (2 * sign, 0.0) if math.isnan(x) else (sign, x)

    rank = min(max(math.ceil(q * len(values)), 1), len(values))
    chosen = statistics.quantile(values, q)
    ordered = sorted(values.tolist(), key=key)
    assert same(chosen, ordered[rank - 1])


def test_of_nothing() -> None:
    nothing = np.array([])
    for number in (statistics.mean(nothing), statistics.p99(nothing), statistics.cv2(nothing, 0)):
        assert math.isnan(number)
    assert statistics.half_width(nothing) == inf


COUNTING = np.arange(60.0)


def at(place: int, value: float, rest: statistics.Values = COUNTING) -> statistics.Values:
    values = rest.copy()
    values[place] = value
    return values


REFERENCE: dict[str, tuple[statistics.Values, tuple[float, float, float, float]]] = {
    "an infinity": (at(3, inf), (nan, nan, nan, inf)),
    "a negative NaN": (at(3, MINUS_NAN), (nan, nan, nan, 59.0)),
    "a positive NaN": (at(3, nan), (nan, nan, nan, nan)),
    "the last is infinite": (at(59, inf, np.ones(60)), (inf, nan, nan, inf)),
    "sums that overflow": (np.full(60, 1.7e308), (1.7e308, nan, 0.0, 1.7e308)),
    "squares that overflow": (1e200 * (1 + COUNTING), (3.05e201, inf, nan, 6e201)),
    "mean 0": (COUNTING - 29.5, (0.0, 8.306336241087282, inf, 29.5)),
    "two levels": (
        np.where(COUNTING < 30, 1e16, 1.0),
        (5000000000000003.0, 2400835654955428.0, 1.0169491525423715, 1e16),
    ),
    "zeros": (np.zeros(60), (0.0, 0.0, nan, 0.0)),
    "negative zeros": (-np.zeros(60), (0.0, 0.0, nan, -0.0)),
    "infinities": (at(0, -inf, np.full(60, inf)), (nan, nan, nan, inf)),
    "denormals": (3e-320 * (1 + COUNTING), (9.1499e-319, 0.0, nan, 1.79998e-318)),
    "one sample": (np.zeros(1), (0.0, inf, nan, 0.0)),
    "two samples": (np.array([0.0, 1.0]), (0.5, inf, 2.0, 1.0)),
    "39 samples": (np.arange(39.0), (19.0, inf, 0.3601108033240997, 38.0)),
    "40 samples": (np.arange(40.0), (19.5, 5.537557494058189, 0.35941266710497477, 39.0)),
    "41 samples": (np.arange(41.0), (20.0, 5.537557494058189, 0.35875, 40.0)),
}


@pytest.mark.parametrize("case", REFERENCE)
def test_as_the_reference(case: str) -> None:
    values, expected = REFERENCE[case]
    mean = statistics.mean(values)
    found = (mean, statistics.half_width(values), statistics.cv2(values, mean))
    assert found == pytest.approx(expected[:3], rel=1e-9, nan_ok=True)
    p99 = statistics.p99(values)
    assert p99 == pytest.approx(expected[3], rel=1e-15, nan_ok=True)
    assert math.copysign(1, p99) == math.copysign(1, expected[3])
