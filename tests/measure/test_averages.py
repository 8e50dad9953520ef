"""Time averages against a sum by hand."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_simpy.measure.averages import TimeAverage

STEPS = st.lists(st.tuples(st.integers(0, 50), st.integers(-20, 20)), max_size=30)


@given(STEPS, st.integers(0, 60), st.integers(0, 20))
def test_integral_is_the_sum_over_unit_intervals(
    steps: list[tuple[int, int]], restart: int, more: int
) -> None:
    """All times are whole, so the signal is constant on every [t, t + 1)."""
    changes = sorted(steps, key=lambda step: step[0])
    end = max([restart, *(time for time, _ in changes)]) + more
    average = TimeAverage()
    for time, value in [c for c in changes if c[0] <= restart]:
        average.change(time, value)
    average.restart(restart)
    for time, value in [c for c in changes if c[0] > restart]:
        average.change(time, value)
    signal = [0] * end
    for time, value in changes:
        signal[time:] = [value] * (end - time)
    assert average.integral(end) == sum(signal[restart:])
    if end > restart:
        assert average.mean(end) == pytest.approx(sum(signal[restart:]) / (end - restart))


def test_of_no_time() -> None:
    assert isnan(TimeAverage(5.0, 3.0).mean(5.0))


def test_an_infinity_that_lasts_no_time_does_not_count() -> None:
    average = TimeAverage(0.0, 1.0)
    average.change(1.0, float("inf"))
    average.change(1.0, 3.0)
    assert average.mean(2.0) == 2.0


def test_differences_add_up() -> None:
    average = TimeAverage()
    for time, difference in ((1.0, 2.0), (2.0, 1.0), (4.0, -3.0)):
        average.add(time, difference)
    assert (average.value, average.mean(5.0)) == (0.0, (2 * 1 + 3 * 2) / 5)
