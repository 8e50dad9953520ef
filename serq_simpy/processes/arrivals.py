"""The arrival process: when sessions come."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from simpy.events import PENDING, Event, Process

from serq_simpy.errors import Diagnostic, RunError
from serq_simpy.ir.printing import value_text

if TYPE_CHECKING:
    from serq_simpy.processes.simulation import Simulation


class Arrivals(Process):
    """An open workload: sessions come one by one, until `limit` of them have come.

    At each arrival the next one is put into the future before the session does
    anything, so that what happens at its very time happens after it.
    """

    def __init__(
        self, run: Simulation, first: float, gap: Callable[[], float], limit: float
    ) -> None:
        self.env = run.clock
        self.callbacks = []
        self._value = PENDING
        self._generator = self._come(run, first, gap, limit)
        next(self._generator).callbacks.append(self._resume)

    def _resume(self, event: Event) -> None:
        target = next(self._generator, None)
        if target is not None:
            target.callbacks.append(self._resume)

    @staticmethod
    def _come(
        run: Simulation, first: float, gap: Callable[[], float], limit: float
    ) -> Generator[Event, None, None]:
        clock = run.clock
        arrival = Event(clock)
        clock.at(first, arrival)
        yield arrival
        for number in range(1, int(limit)) if limit < 1e18 else iter(int, 1):
            arrival = Event(clock)
            clock.at(clock._now + gap(), arrival)
            run.arrive()
            yield arrival
        run.arrive()


def checked(gap: Callable[[], float], text: str) -> Callable[[], float]:
    """A gap that must turn out positive and finite; `text` is the law as written."""

    def positive() -> float:
        value = gap()
        if not 0.0 < value < float("inf"):
            raise RunError(
                Diagnostic(
                    f"`arrive renewal({text})`: the interarrival time is {value_text(value)}, "
                    "not a positive time"
                )
            )
        return value

    return positive
