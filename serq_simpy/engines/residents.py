"""Runs in the serving order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_simpy.engines.run import EngineRun

_order = attrgetter("order")


class Residents:
    """Runs by the latest admission of their customers, then as they joined.

    `runs` has them; `snapshot` may be walked while runs leave.
    """

    __slots__ = ("runs",)

    def __init__(self, runs: Iterable[EngineRun] = ()) -> None:
        self.runs = list(runs)

    def __iter__(self) -> Iterator[EngineRun]:
        return iter(self.runs)

    def snapshot(self) -> list[EngineRun]:
        return self.runs[:]

    def add(self, run: EngineRun) -> None:
        runs = self.runs
        if not runs or runs[-1].order < run.order:
            runs.append(run)
        else:
            insort(runs, run, key=_order)

    def remove(self, run: EngineRun) -> None:
        del self.runs[self.place(run)]

    def place(self, run: EngineRun) -> int:
        """How many runs stand before one of them."""
        return bisect_left(self.runs, run.order, key=_order)
