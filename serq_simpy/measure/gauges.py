"""Gauges: signals of the deployment's state, as a run reads them instant by instant."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import copysign, inf, nan

import numpy as np
from numpy.typing import NDArray

from serq_simpy.measure import statistics
from serq_simpy.measure.statistics import BATCHES, Values, quietly


@dataclass(frozen=True, slots=True)
class GaugeStatistics:
    """Statistics of a gauge over the measured time.

    `mean` is its time average and `ci` the half width of the 95 % confidence interval
    by the means of 20 equal windows, NaN for a gauge that was NaN. `min` and `max` are
    over the values held for a positive time (infinities when all were NaN).
    """

    mean: float
    ci: float
    min: float
    max: float


class GaugeRecorder:
    """The change points of a gauge: it is `values[i]` from `times[i]` until the next."""

    __slots__ = ("_times", "_values", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._times = array("d")
        self._values = array("d")

    def __len__(self) -> int:
        return len(self._times)

    def record(self, time: float, value: float) -> None:
        """The gauge is `value` from `time` on, whatever was recorded at `time` before.

        `time` is at least that of the last call.
        """
        times, values = self._times, self._values
        if values and not _differ(values[-1], value):
            return
        if times and times[-1] == time:
            times.pop()
            values.pop()
        if not values or _differ(values[-1], value):
            times.append(time)
            values.append(value)

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of the change points; a copy."""
        return np.array(self._times, dtype=np.float64)

    @property
    def values(self) -> NDArray[np.float64]:
        """The values from the change points on; a copy."""
        return np.array(self._values, dtype=np.float64)

    def statistics(self, warmup: float, end: float) -> GaugeStatistics:
        """The statistics over [`warmup`, `end`], which is longer than nothing."""
        return _statistics(self.times, self.values, warmup, end)


def _differ(a: float, b: float) -> bool:
    """Whether two values are different doubles: 0 and -0 are, a NaN and itself not."""
    if a == b:
        return a == 0.0 and copysign(1.0, a) != copysign(1.0, b)
    return a == a or b == b or copysign(1.0, a) != copysign(1.0, b)


@quietly
def _statistics(times: Values, values: Values, warmup: float, end: float) -> GaugeStatistics:
    changes = times[(times > warmup) & (times < end)]
    ends = np.array((warmup, end))
    _, lengths, signal = _pieces(times, values, np.concatenate((ends[:1], changes, ends[1:])))
    numbers = signal[~np.isnan(signal)]
    mean = ci = nan
    if len(numbers) == len(signal):
        mean = 0.0 + float(np.dot(signal, lengths) / (end - warmup))
        ci = statistics.spread(_window_means(times, values, changes, ends))
    low, high = numbers.min(initial=inf), numbers.max(initial=-inf)
    return GaugeStatistics(mean=mean, ci=ci, min=float(low), max=float(high))


def _window_means(times: Values, values: Values, changes: Values, ends: Values) -> Values:
    """The time averages over `BATCHES` equal windows from `ends[0]` to `ends[1]`."""
    borders = np.linspace(ends[0], ends[1], BATCHES + 1)
    cuts = np.sort(np.concatenate((changes, borders)))
    starts, lengths, signal = _pieces(times, values, cuts)
    window = np.searchsorted(borders, starts, side="right") - 1
    return np.bincount(window, weights=signal * lengths, minlength=BATCHES) / np.diff(borders)


def _pieces(times: Values, values: Values, cuts: Values) -> tuple[Values, Values, Values]:
    """Start, length and value of the signal's pieces between cuts, those of no length aside."""
    lengths = np.diff(cuts)
    held = lengths > 0
    starts = cuts[:-1][held]
    return starts, lengths[held], values[np.searchsorted(times, starts, side="right") - 1]
