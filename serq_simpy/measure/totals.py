"""Sums of doubles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add


def total(values: Iterable[float]) -> float:
    """The sum from left to right, rounded at every step.

    Python's `sum` rounds so too up to version 3.11 and better from 3.12 on; a run is to
    give the same bits on both.
    """
    return reduce(add, values, 0.0)
