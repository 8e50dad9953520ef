"""A leg: a part of a request that runs beside its session, as a SimPy process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from serq_simpy.measure.tokens import LastToken
from serq_simpy.resources.customer import Customer
from serq_simpy.resources.wait import Start, Wait

if TYPE_CHECKING:
    from serq_simpy.processes.session import Session
    from serq_simpy.processes.simulation import Simulation


class Join(Wait):
    """A session's wait until none of its legs runs; the last one to end readies it."""

    customer: Customer

    def __init__(self, session: Session) -> None:
        self.callbacks = []
        self.customer = session

    def cancel(self) -> None:
        """A preempted session comes to its `join` again, and may find no leg there."""
        self.callbacks = []


class Leg(Customer):
    """One leg, from its fork to its end.

    It has a copy of its session's attributes and holds of its own; the serial, the cached
    prefix and the tokens of the turn it was forked in are the session's. `number` counts
    the legs that the session forked before; `stream` is what the leg's statements draw from.
    """

    stream: Iterator[float]
    shares_turn = True

    def __init__(self, session: Session) -> None:
        self.session = session
        self.run: Simulation = session.run
        self.serial = session.serial
        self.attrs = session.attrs[:]
        self.number = session.forked
        self.env = clock = session.env
        self.began = clock._now

    @property
    def prefix_owner(self) -> Customer:
        return self.session

    def start(self) -> None:
        """Join the back of the ready line; the session goes on."""
        session = self.session
        session.forked += 1
        session.legs += 1
        self.run.legs[self] = None
        self._target = start = Start(self)
        self.env.ready_line.append(start)

    def begin_tokens(self) -> None:
        """Give tokens to the session's turn; the gaps between them are this leg's own."""
        self.turn_tokens = self.session.turn_tokens
        self.last_token = LastToken()

    def first_token_known(self) -> None:
        """The turn's first token is this leg's; a session that has ended gives nothing more."""
        if self.session.is_alive:
            self.session.first_token_known()

    def finished(self) -> None:
        """End: leases pass to the session, unless there is none any more.

        A refused leg ends its session, whose other legs run on.
        """
        self._value = None
        self._target = None  # type: ignore[assignment]
        del self.run.legs[self]
        session = self.session
        session.legs -= 1
        alive = session.is_alive
        if self.refused or not alive:
            self.give_back()
        elif self.leases:
            self._pass_leases()
        if not alive:
            return
        if self.refused:
            session.refuse()
        elif not session.legs and isinstance(session._target, Join):
            self.env.ready(session._target)

    def _pass_leases(self) -> None:
        for lease in self.leases:
            lease.pool.hand_over(lease, self.session)
        self.session.leases += self.leases
        self.leases = ()
