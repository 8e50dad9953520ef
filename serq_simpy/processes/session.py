"""A session: a client's conversation with the deployment, as a SimPy process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from serq_simpy.ir import model as ir
from serq_simpy.resources.customer import Customer

if TYPE_CHECKING:
    from serq_simpy.processes.simulation import Simulation

Presets = Sequence[tuple[int, float]]
"""Slots and the values they get."""


class Session(Customer):
    """One session, from its arrival to its end.

    `turn` counts the turns begun, as the random streams do (a program may set the
    attribute `turn_no` to something else); `corpus` are the turns that it replays, each the
    attributes it sets; `stream` is what its statements draw from.
    """

    stream: Iterator[float]
    turn_began: float
    turn = 0
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

    def finished(self) -> None:
        """Leave: release every hold and lease, and let others have the units."""
        self._value = None
        self._target = None  # type: ignore[assignment]  # nothing is left that goes in circles
        if self.holds or self.leases:
            self.give_back()
        run, clock = self.run, self.env
        del run.living[self]
        run.live_time += clock._now - self.began
        if clock.waiting:
            clock.pass_over()
        if run.closed or not run.living:
            run.replace_session()
