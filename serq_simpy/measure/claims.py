"""What a run finds of the claims its program makes, and the sums that claims are about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serq_simpy.measure.record import Claim

EVERY, SOME, AT_END = "every_iteration", "some_iteration", "at_end"


class ClaimCheck:
    """One claim on the path that is run: what was read of it so far.

    `kind` is `EVERY`, `SOME` or `AT_END`. It is `open` until a session of the path turns
    out not to be what the claim is about.
    """

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.open = True
        self._checked = self._failures = 0
        self._first: float | None = None
        self._note: str | None = None

    def read(self, value: float, now: float) -> None:
        """The proposition is `value` now: true unless that is 0."""
        self._checked += 1
        failed = value == 0.0
        self._failures += failed
        if self._first is None and failed is not (self.kind == SOME):
            self._first = now

    def out_of_scope(self, serial: int) -> None:
        """A session does not satisfy `given`: nothing more is read."""
        self.open = False
        self._note = f"session {serial} fails `given`"

    def leave_open(self, living: int) -> None:
        """The run did not reach the end that the claim is about."""
        self.open = False
        self._note = f"{living} session{'s' if living > 1 else ''} live at the end"

    def record(self) -> Claim:
        """What was found."""
        return Claim(
            name=self.name,
            kind=self.kind,
            result=self._result(),
            checked=self._checked,
            failures=self._failures,
            first=self._first,
            note=self._note,
        )

    def _result(self) -> str:
        if self._note is not None:
            return "out_of_scope" if self._note.endswith("`given`") else "not_evaluated"
        if self.kind == SOME:
            return "not_witnessed" if self._first is None else "witnessed"
        return "fails" if self._failures else "holds"


class Aggregates:
    """Sums over the values of an observation in the order of recording; 0 of nothing.

    `values` is an array of shape (samples,).
    """

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values = values

    @property
    def count(self) -> float:
        """The number of values."""
        return float(len(self._values))

    @property
    def total(self) -> float:
        """The sum of the values."""
        return _sum(self._values)

    @property
    def largest(self) -> float:
        """The largest value."""
        return float(np.fmax.reduce(self._values)) if len(self._values) else 0.0

    @property
    def smallest(self) -> float:
        """The smallest value."""
        return float(np.fmin.reduce(self._values)) if len(self._values) else 0.0

    @property
    def prefix_total(self) -> float:
        """The sum of v1 + … + vk over all k, for the values in ascending order.

        Jobs of these sizes, served one at a time, have it as their least total of
        completion times (Smith 1956: the shortest first).
        """
        return _sum(np.cumsum(np.sort(self._values)))


def _sum(values: NDArray[np.float64]) -> float:
    """The sum from left to right, which `numpy.sum` and Python's `sum` do otherwise."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
