"""What a program can know of a stage's recent past: `est_lambda`, `est_rho`, `est_wait`, `price`.

Exponentially weighted means over the jobs in the order they were completed: a new
sample weighs 1 %, the first sets the mean.
"""

from __future__ import annotations

WEIGHT = 0.01


class Average:
    """An exponentially weighted mean; `value` is 0 before the first sample."""

    __slots__ = ("_started", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self._started = False

    def add(self, sample: float) -> None:
        if self._started:
            self.value = WEIGHT * sample + (1.0 - WEIGHT) * self.value
        else:
            self.value = sample
            self._started = True


class Estimator:
    """The recent rate, load and wait of one stage, from its completed jobs."""

    __slots__ = ("_gap", "_last_start", "_service", "_wait")

    def __init__(self) -> None:
        self._gap = Average()
        self._service = Average()
        self._wait = Average()
        self._last_start: float | None = None

    def add(self, arrival: float, start: float, end: float) -> None:
        """A job that arrived, was started and is done."""
        if self._last_start is not None:
            self._gap.add(start - self._last_start)
        self._last_start = start
        self._service.add(end - start)
        self._wait.add(start - arrival)

    def rate(self) -> float:
        """Service starts per unit of time; 0 until there are two, or when jobs overtook so
        much that the mean gap is not positive."""
        gap = self._gap.value
        return 1.0 / gap if gap > 0.0 else 0.0

    def load(self) -> float:
        """Rate times mean service, at most 0.99; not divided by the number of servers."""
        return min(0.99, self.rate() * self._service.value)

    def wait(self) -> float:
        """The mean time from arrival to the start of service."""
        return self._wait.value

    def price(self, h: float, d: float) -> float:
        """What a job of `d` costs the stage, itself and by the waiting it adds, on top of `h`:

        d + L((h+d)² - h²) / (2(1-R)) + L W d / (1-R), with L, R, W rate, load and wait.
        """
        rate, idle = self.rate(), 1.0 - self.load()
        own = rate * ((h + d) * (h + d) - h * h) / (2.0 * idle)
        return d + own + rate * self.wait() * d / idle
