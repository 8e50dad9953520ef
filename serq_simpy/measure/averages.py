"""Time averages of signals that are constant between changes."""

from __future__ import annotations

from math import nan


class TimeAverage:
    """The time average of a signal, by its integral.

    `value` is the signal's present value; it holds until the next `change`. Times are
    in the clock's unit and never decrease.
    """

    __slots__ = ("_area", "_since", "_start", "value")

    def __init__(self, time: float = 0.0, value: float = 0.0) -> None:
        self.value = value
        self._area = 0.0
        self._start = self._since = time

    def change(self, time: float, value: float) -> None:
        """The signal is `value` from `time` on."""
        if time != self._since:
            self._area += self.value * (time - self._since)
            self._since = time
        self.value = value

    def add(self, time: float, difference: float) -> None:
        """The signal changes by `difference` at `time`."""
        self.change(time, self.value + difference)

    def restart(self, time: float) -> None:
        """Forget the past: averages start at `time`, with the present value."""
        self._area = 0.0
        self._start = self._since = time

    def integral(self, end: float) -> float:
        """The integral of the signal from the start of the average to `end`."""
        if end == self._since:
            return self._area
        return self._area + self.value * (end - self._since)

    def mean(self, end: float) -> float:
        """The average from its start to `end`; NaN over no time."""
        if end == self._start:
            return nan
        return self.integral(end) / (end - self._start)
