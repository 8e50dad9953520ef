"""Gaps between successive output tokens, as an engine counts them."""

from __future__ import annotations

from math import ceil, exp, floor, inf, log, log1p, nan
from typing import Final

_STEP: Final = log1p(0.01)


class GapHistogram:
    """Counts of gaps in buckets whose limits are powers of 1.01.

    Its size does not grow with the number of gaps; a percentile is within half a
    per cent of the gap itself.
    """

    __slots__ = ("_buckets", "_total", "count")

    def __init__(self) -> None:
        self.count = 0
        self._total = 0.0
        self._buckets: dict[float, _Bucket] = {}

    def add(self, gap: float, weight: int = 1) -> None:
        """`weight` gaps of length `gap` (0 or more, finite)."""
        number = floor(log(gap) / _STEP) if gap > 0.0 else -inf
        bucket = self._buckets.get(number)
        if bucket is None:
            bucket = self._buckets[number] = _Bucket(gap)
        bucket.add(gap, weight)
        self.count += weight
        self._total += gap * weight

    def clear(self) -> None:
        """Forget all gaps."""
        self.count = 0
        self._total = 0.0
        self._buckets.clear()

    def mean(self) -> float:
        """The mean gap; NaN without any."""
        return self._total / self.count if self.count else nan

    def percentile(self, q: float) -> float:
        """The middle of the bucket that holds the ⌈q n⌉-th of n gaps; NaN without any.

        It is the geometric middle, but not outside the gaps that are in the bucket.
        """
        rank = max(ceil(q * self.count), 1)
        for number in sorted(self._buckets):
            bucket = self._buckets[number]
            rank -= bucket.count
            if rank <= 0:
                return min(max(exp((number + 0.5) * _STEP), bucket.least), bucket.greatest)
        return nan


class _Bucket:
    __slots__ = ("count", "greatest", "least")

    def __init__(self, gap: float) -> None:
        self.count = 0
        self.least = self.greatest = gap

    def add(self, gap: float, weight: int) -> None:
        self.count += weight
        if gap < self.least:
            self.least = gap
        elif gap > self.greatest:
            self.greatest = gap
