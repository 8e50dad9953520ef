"""Instants on a SimPy environment.

SimPy processes every event by time. A serQ run goes from instant to instant: a
timed event happens, and then the instant *settles* - everybody who became ready
runs, memory that came free is handed out - before the next event, even of the
same time. So a triggered event does not go to the heap but to a first-in
first-out *ready line*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Protocol

import simpy
from simpy.core import SimTime
from simpy.events import NORMAL, Event, EventPriority

from serq_simpy.resources.wait import Wait

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer

_EVENTS_BETWEEN_TICKS = 8192

MOST_READY = 1000
"""How often a customer may become ready in one instant."""


class Unsettled(Exception):
    """`customer` became ready again and again without time passing."""

    def __init__(self, customer: Customer) -> None:
        super().__init__(customer)
        self.customer = customer


class Closing(Protocol):
    """A resource that acts when an instant closes; `order` is its place among them."""

    order: int

    def close_instant(self) -> None: ...


class Tried(Protocol):
    """An engine's process, which may start an iteration when an instant has settled."""

    idle: bool

    def tried(self) -> None: ...


class Clock(simpy.Environment):
    """A SimPy environment with a ready line and settling.

    Whoever takes part in settling is called with these hooks, in this order after
    every timed event:

    `pass_over`: hand out what pools have, until nobody becomes ready;
    `engines`: those that are idle may start an iteration, if nothing else is to happen at
    this time;
    `unsettled`: then, in the order of declaration, resources close the instant (a
    shared stage sets its rate);
    `instant_over`: when the next event is later, look at the state (gauges).
    """

    def __init__(self) -> None:
        super().__init__(0.0)
        self._now: float = 0.0
        self.future: list[tuple[float, int, Event]] = []
        self.next_number: Callable[[], int] = count().__next__
        self.ready_line: deque[Event] = deque()
        self.events = 0
        self.stopped = False
        """Set by whoever knows that the run is over: the instant settles, and that is it."""
        self.waiting = 0
        """How many holds and growths wait in pools; 0 lets settling skip the pools."""
        self.unsettled: list[Closing] = []
        """The resources that have something to do before the instant closes."""
        self.opener: Event | None = None
        """The event that opened the instant."""
        self.engines: list[Tried] = []
        """The engines in the order of declaration."""
        self.pass_over: Callable[[], None] = _nothing
        self.instant_over: Callable[[], None] | None = None

    def ready(self, wait: Wait) -> None:
        """Put whoever waits for an event at the back of the ready line."""
        self.count_ready(wait)
        self.ready_line.append(wait)

    def count_ready(self, wait: Wait) -> None:
        """Count how often the customer of a wait becomes ready in this instant.

        Raises `Unsettled` when it is so often that time seems never to pass.
        """
        customer = wait.customer
        if customer is None:
            return
        if customer.ready_at != self._now:
            customer.ready_at = self._now
            customer.times_ready = int(self._ran_already(customer))
        customer.times_ready += 1
        if customer.times_ready > MOST_READY:
            raise Unsettled(customer)

    def _ran_already(self, customer: Customer) -> bool:
        """Whether a customer was ready in this instant without being counted.

        Most are ready once in an instant, by arriving or by the event that opens it, and
        counting those would cost every one of them.
        """
        opener = self.opener
        opened = isinstance(opener, Wait) and opener.customer is customer
        return opened or customer.began == self._now

    def at(self, time: float, event: Event) -> None:
        """Let `event` happen at `time`, after what was scheduled for that time before."""
        heappush(self.future, (time, self.next_number(), event))

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: SimTime = 0) -> None:
        """SimPy's own entry, used by `Event.succeed`: the event is ready now."""
        if delay:
            raise ValueError("a timed event is put into the future by `at`")
        self.ready_line.append(event)

    def peek(self) -> float:
        """The time of the next timed event, inf without one."""
        return self.future[0][0] if self.future else inf

    def settle(self) -> None:
        """Let the instant come to rest."""
        line = self.ready_line
        while True:
            while line:
                event = line.popleft()
                callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
                for callback in callbacks:
                    callback(event)
            if self.waiting:
                self.pass_over()
            if not line:
                break
        if self.engines:
            self._try_engines()
        if self.unsettled:
            self._close_instant()

    def run_ready(self) -> None:
        """Let everybody act who is ready; the pools are not passed over."""
        line = self.ready_line
        while line:
            event = line.popleft()
            callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
            for callback in callbacks:
                callback(event)

    def _try_engines(self) -> None:
        """Let idle engines start; whoever becomes ready by it acts after the next event."""
        future, now = self.future, self._now
        for engine in self.engines:
            if engine.idle and not (future and future[0][0] == now):
                engine.tried()

    def _close_instant(self) -> None:
        closing = self.unsettled[:]
        self.unsettled.clear()
        if len(closing) > 1:
            closing.sort(key=_declared)
        for resource in closing:
            resource.close_instant()

    def run_to(self, horizon: float, tick: Callable[[], None]) -> None:
        """Let everything happen up to and including `horizon`, or until `stopped`.

        `tick` is called now and then, between two events.
        """
        while self._run_some(horizon):
            tick()
        if self.instant_over is not None:
            self.instant_over()

    def _run_some(self, horizon: float) -> bool:
        """Run a stretch of events; whether there is more to run."""
        future, line, unsettled = self.future, self.ready_line, self.unsettled
        instant_over, now, engines = self.instant_over, self._now, self.engines
        for number in range(_EVENTS_BETWEEN_TICKS):
            if not future or self.stopped:
                self.events += number
                return False
            time = future[0][0]
            if time != now:
                if time > horizon:
                    self.events += number
                    return False
                if instant_over is not None:
                    instant_over()
                self._now = now = time
                self.opener = event = heappop(future)[2]
            else:
                event = heappop(future)[2]
                if isinstance(event, Wait):
                    self.count_ready(event)
            callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
            for callback in callbacks:
                callback(event)
            if line or unsettled or self.waiting or engines:
                self.settle()
        self.events += _EVENTS_BETWEEN_TICKS
        return True


def _declared(resource: Closing) -> int:
    return resource.order


def _nothing() -> None:
    pass
