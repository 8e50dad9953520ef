"""A session: a client's conversation with the deployment, as a SimPy process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from serq_simpy.ir import model as ir
from serq_simpy.measure.tokens import LastToken, TurnTokens
from serq_simpy.resources.customer import Customer

if TYPE_CHECKING:
    from serq_simpy.processes.simulation import Simulation

Presets = Sequence[tuple[int, float]]
"""Slots and the values they get."""


class Session(Customer):
    """One session, from its arrival to its end.

    `turn` counts the turns begun, as the random streams do (a program may set the
    attribute `turn_no` to something else); `corpus` are the turns that it replays, each the
    attributes it sets; `stream` is what its statements draw from. Of the legs it has
    `forked`, so many run: `legs`.
    """

    stream: Iterator[float]
    turn_began: float
    turn = 0
    forked = 0
    legs = 0
    corpus: Sequence[Presets] | None = None

    def __init__(self, run: Simulation, serial: int) -> None:
        self.attrs = attrs = run.attributes[:]
        attrs[ir.SERIAL] = float(serial)
        self.serial = serial
        self.run = run
        self.env = clock = run.clock
        self.began = clock._now

    def load_turn(self) -> None:
        """Set what the corpus says of the turn begun; beyond its end, the last turn's again."""
        assert self.corpus is not None
        last = len(self.corpus)
        for slot, value in self.corpus[min(self.turn, last) - 1] if last else ():
            self.attrs[slot] = value
        self.attrs[ir.MORE] = 1.0 if self.turn < last else 0.0

    def begin_tokens(self) -> None:
        """A new turn, which has given no output token yet."""
        self.turn_tokens = TurnTokens(self.env._now)
        self.last_token = LastToken()

    def first_token_known(self) -> None:
        tokens = self.turn_tokens
        assert tokens.first is not None
        self._record(0, tokens.first - tokens.began)

    def answered(self) -> None:
        """The turn has its answer: no further token of it is to come."""
        tokens = self.turn_tokens
        if tokens.first is not None and not tokens.closed:
            self.first_token_known()
        per_token = tokens.per_token(self.env._now)
        if per_token is not None:
            self._record(1, per_token)
        tokens.closed = True

    def _record(self, metric: int, value: float) -> None:
        row = (self.env._now, self.serial, self.attrs[ir.TURN_NO], value)
        self.run.client[metric].record(row)

    def refuse(self) -> None:
        """End the session wherever it is: one of its legs was refused."""
        self.refused = True
        self.stop_waiting()
        self.expel()

    def finished(self) -> None:
        """Leave: release every hold and lease. Others have the units as the instant settles."""
        if self.legs and not self.refused:
            raise self.run.leaves_legs(self)
        self._value = None
        self._target = None  # type: ignore[assignment]  # nothing is left that goes in circles
        if self.holds or self.leases:
            self.give_back()
        run = self.run
        del run.living[self]
        run.live_time += self.env._now - self.began
        if run.closed or not run.living:
            run.replace_session()
