"""The claims of a program during a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from serq_simpy.ir import model as ir
from serq_simpy.measure.claims import AT_END, EVERY, SOME, Aggregates, ClaimCheck
from serq_simpy.measure.record import Claim

if TYPE_CHECKING:
    from serq_simpy.measure.samples import Samples
    from serq_simpy.processes.session import Session

Given = tuple[int, Callable[["Session"], float]]
"""A claim's number, and what every session of its paths satisfies."""
End = tuple[int, Callable[[], float]]
"""A claim's number, and its proposition at the end of a run."""


class Claims:
    """The checks of all claims; those over iterations are read by their engines."""

    def __init__(self, claims: Sequence[ir.Claim], observations: Sequence[Samples]) -> None:
        self.checks = [ClaimCheck(claim.name, _kind(claim)) for claim in claims]
        self._observations = observations

    def aggregates(self, observation: int) -> Aggregates:
        """The sums over the values observed so far, from time 0."""
        return Aggregates(self._observations[observation].rows[:, 3])

    def came(self, session: Session, givens: Sequence[Given]) -> None:
        """A session has come, its attributes set: close the claims that are not about it."""
        for number, given in givens:
            check = self.checks[number]
            if check.open and given(session) == 0.0:
                check.out_of_scope(session.serial)

    def ended(self, now: float, living: int, ends: Sequence[End]) -> tuple[Claim, ...]:
        """The run has ended, with so many sessions living: read the claims `at end`."""
        for number, holds in ends:
            check = self.checks[number]
            if check.open and living:
                check.leave_open(living)
            elif check.open:
                check.read(holds(), now)
        return tuple(check.record() for check in self.checks)


def _kind(claim: ir.Claim) -> str:
    match claim.kind:
        case ir.EveryIteration():
            return EVERY
        case ir.SomeIteration():
            return SOME
        case ir.AtEnd():
            return AT_END
