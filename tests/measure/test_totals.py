"""Sums are the same on every version of Python."""

from __future__ import annotations

from serq_simpy.measure.totals import total


def test_a_total_is_rounded_at_every_step() -> None:
    """Ten tenths are not 1; a small number is lost in a large one that goes away again."""
    assert total([0.1] * 10) == 0.9999999999999999
    assert total([1e16, 1.0, -1e16]) == 0.0
    assert total([1e308, 1e308]) == float("inf")


def test_a_total_of_nothing() -> None:
    assert str(total([])) == "0.0"
