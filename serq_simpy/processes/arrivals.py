"""The arrival process: when sessions come."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from heapq import heappush
from itertools import islice
from math import inf, log
from typing import TYPE_CHECKING, Any

from simpy.events import PENDING, Event, Process

from serq_simpy.errors import Diagnostic, RunError, Span
from serq_simpy.ir.printing import value_text

if TYPE_CHECKING:
    from serq_simpy.processes.simulation import Simulation


class Arrivals(Process):
    """An open workload: sessions come one by one, until `limit` of them have come.

    At each arrival the next one is put into the future before the session does
    anything, so that what happens at its very time happens after it. A session starts at
    its arrival: nobody else is ready then.
    """

    def __init__(
        self, run: Simulation, first: float, gaps: Iterator[float], limit: int | None
    ) -> None:
        self.env = run.clock
        self.callbacks = []
        self._value = PENDING
        further = gaps if limit is None else islice(gaps, limit - 1)
        self._generator = self._come(run, first, further)
        next(self._generator)

    def _come(
        self, run: Simulation, first: float, gaps: Iterator[float]
    ) -> Generator[Event, None, None]:
        """One event serves for all arrivals, one at a time; it resumes this generator."""
        clock, new_session = run.clock, run.new_session
        future, next_number = clock.future, clock.next_number
        arrival = Event(clock)
        resume: list[Any] = [self._generator.send]
        arrival.callbacks = resume
        clock.at(first, arrival)
        yield arrival
        for gap in gaps:
            arrival.callbacks = resume
            heappush(future, (clock._now + gap, next_number(), arrival))
            new_session()._resume(arrival)
            yield arrival
        new_session()._resume(arrival)
        yield arrival


def poisson_gaps(rate: float, uniforms: Iterator[float]) -> Iterator[float]:
    """The gaps of a Poisson process: exponential, of mean 1 / rate.

    They are divided by the rate, which rounds otherwise than to multiply by the mean.
    """
    return (-log(1.0 - uniform) / rate for uniform in uniforms)


def renewal_gaps(draw: Callable[[], float], law: str, span: Span | None) -> Iterator[float]:
    """The gaps that a law gives, which must turn out positive and finite.

    `law` is its text, which stands at `span`.
    """
    while True:
        gap = draw()
        if not 0.0 < gap < inf:
            message = (
                f"`arrive renewal({law})`: the interarrival time is {value_text(gap)}, "
                "not a positive time"
            )
            raise RunError(Diagnostic(message, span))
        yield gap
