"""An engine as a SimPy process: iterations, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from typing import TYPE_CHECKING, Any

from simpy.events import PENDING, Event, Process

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.engines.engine import Engine


class EngineProcess(Process):
    """Waits to be `tried`, forms an iteration, lets its time pass and commits its tokens.

    The clock tries an idle engine whenever an instant has settled. An event happens once
    at a time, so one serves for all iterations.
    """

    env: Clock

    def __init__(self, clock: Clock, engine: Engine) -> None:
        self.env = clock
        self.callbacks = []
        self._value = PENDING
        self.engine = engine
        self.idle = True
        self._over = Event(clock)
        self._try = Event(clock)
        self._generator = self._iterate()
        self._go_on: Callable[[Any], Any] = self._generator.send
        next(self._generator)

    def tried(self) -> None:
        """Form an iteration if there is somebody to serve or to admit."""
        engine = self.engine
        if engine.present or engine.waiting:
            self._go_on(None)

    def _iterate(self) -> Generator[Event, None, None]:
        engine, clock = self.engine, self.env
        over, resume = self._over, [self._go_on]
        while True:
            yield self._try
            duration = engine.form()
            if duration is None:
                continue
            self.idle = False
            over.callbacks = resume
            if duration != inf:
                clock.at(clock._now + duration, over)
            yield over
            self.idle = True
            engine.commit()
