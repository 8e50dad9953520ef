"""Who uses resources: a session, or a leg of one, as a SimPy process."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from simpy.events import PENDING, Event, Process

from serq_simpy.resources.wait import Departed

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.hold import Allocation, Hold
    from serq_simpy.resources.pool import Pool
    from serq_simpy.resources.wait import Wait

NEVER_ADMITTED = 2.0**64 - 1
"""The admission number of a customer that no pool has admitted: behind everyone."""


class Customer(Process):
    """A process that is at one place at a time: it runs, or waits for one event.

    `attrs` are the values of the program's attributes by slot. `holds` are the open
    holds, the innermost last; `leases` the allocations that outlived theirs, the
    oldest first. `admission` is the number of the latest admission to a pool, counted
    over the whole run.

    SimPy's `Process` copies exceptions, keeps the environment's active process and
    lets anything be yielded; a customer's generator is compiled and yields events of
    our own resources, so resuming is one `send`.
    """

    def __init__(self, clock: Clock, attrs: list[float], serial: int) -> None:
        self.env: Clock = clock
        self.callbacks = []
        self._value = PENDING
        self.attrs = attrs
        self.serial = serial
        self.holds: list[Hold] = []
        self.leases: list[Allocation] = []
        self.admission = NEVER_ADMITTED
        self.last_preempted: dict[Pool, float] = {}
        self.ready_at = -1.0
        self.times_ready = 0

    def follow(self, generator: Generator[Event, None, Any], first: Wait) -> None:
        """Give the process its generator, which starts when `first` happens."""
        self._generator = generator
        self._target = first

    def _resume(self, event: Event) -> None:
        try:
            if event._ok:
                target = self._generator.send(event._value)
            else:
                target = self._generator.throw(event._value)  # type: ignore[arg-type]
        except (StopIteration, Departed):
            self.finished()
        else:
            self._target = target
            target.callbacks.append(self._resume)

    def finished(self) -> None:
        """What happens when the generator has run to its end."""
        raise NotImplementedError

    @property
    def running(self) -> bool:
        """Whether the customer executes statements at this moment."""
        running: bool = self._generator.gi_running  # type: ignore[attr-defined]
        return running

    def stop_waiting(self) -> None:
        """Cancel the event that the customer waits for; nothing if it is running."""
        target = self._target
        if target.callbacks is not None:
            target.cancel()  # type: ignore[attr-defined]

    def expel(self) -> None:
        """End the customer wherever it is: a running one by raising `Departed`."""
        if self.running:
            raise Departed
        self._generator.close()
        self.finished()

    def give_back(self) -> None:
        """Release all open holds, from the innermost out, and all leases, the oldest first."""
        while self.holds:
            for allocation in self.holds.pop().allocations:
                if allocation.open:
                    allocation.pool.release(allocation, allocation.computed())
        while self.leases:
            allocation = self.leases.pop(0)
            allocation.pool.release(allocation, allocation.computed())
