"""Who uses resources: a session, or a leg of one, as a SimPy process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpy.events import PENDING, Event, Process

from serq_simpy.resources.wait import Departed

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.measure.tokens import LastToken, TurnTokens
    from serq_simpy.resources.hold import Allocation, Hold
    from serq_simpy.resources.pool import Pool

NEVER_ADMITTED = 2.0**64 - 1
"""The admission number of a customer that no pool has admitted: behind everyone."""


class Customer(Process):
    """A process that is at one place at a time: it runs, or waits for one event.

    `attrs` are the values of the program's attributes by slot. `holds` are the open
    holds, the innermost last; `leases` the allocations that outlived theirs, the
    oldest first. `began` is when the customer came; `admission` is the number of the
    latest admission to a pool, counted over the whole run; `last_preempted` the positions
    at which pools preempted it last. `turn_tokens` and `last_token` are there in programs
    with engines. `refused` is said of a customer whose hold can never fit, and who
    leaves for it; `shares_turn` of one that is not alone in giving its turn's tokens.

    SimPy's `Process` looks whether an event failed, copies its exception, keeps the
    environment's active process and lets anything be yielded. A customer's generator is
    compiled, yields events of our own resources and has no use for their values, so
    resuming is one `send`; what may fail, a hold taken away, resumes by `throw`.
    """

    began = 0.0
    admission = NEVER_ADMITTED
    last_preempted: dict[Pool, float] | None = None
    stuck = False
    ready_at = -1.0
    times_ready = 0
    refused = False
    shares_turn = False
    _ok = True
    _value = PENDING

    holds: tuple[Hold, ...] = ()
    leases: tuple[Allocation, ...] = ()

    turn_tokens: TurnTokens
    last_token: LastToken | None = None

    env: Clock
    attrs: list[float]
    serial: int

    def _resume(self, event: Event) -> None:
        try:
            target = self._generator.send(None)
        except (StopIteration, Departed):
            self.finished()
        else:
            self._target = target
            target.callbacks.append(self._resume)

    def throw(self, event: Event) -> None:
        """Be resumed by an event that failed: its exception is raised where the process waits."""
        try:
            target = self._generator.throw(event._value)
        except (StopIteration, Departed):
            self.finished()
        else:
            self._target = target
            target.callbacks.append(self._resume)

    def first_token_known(self) -> None:
        """The time of the turn's first output token is known: the client has it."""
        raise NotImplementedError

    def finished(self) -> None:
        """What happens when the generator has run to its end."""
        raise NotImplementedError

    @property
    def prefix_owner(self) -> Customer:
        """The session whose cached prefix this customer's holds consume and leave."""
        return self

    def decode_reached(self) -> None:
        """A decode run is reached, of however many tokens."""
        if self.turn_tokens.decode_reached(self.env._now):
            self.first_token_known()

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
        for hold in reversed(self.holds):
            for allocation in hold.allocations:
                if allocation.open:
                    allocation.pool.release(allocation, allocation.computed())
        for allocation in self.leases:
            allocation.pool.release(allocation, allocation.computed())
        self.holds = self.leases = ()
