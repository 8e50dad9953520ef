"""Spilling: evicted prefixes are written to another pool, through a stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_simpy.errors import RunError
from serq_simpy.resources.cache import Entry

if TYPE_CHECKING:
    from serq_simpy.resources.pool import Pool
    from serq_simpy.resources.stage import Stage

Clause = Callable[[Entry, float], float]
"""An expression of a spill, read for an entry and the units evicted of it now."""


@dataclass(frozen=True, slots=True)
class Spill:
    """Where evicted units go, and when.

    `tier` gives the pool and the stage, which may be declared below the pool that spills.
    What is written counts at once in the tier; nobody waits for the stage's job.
    """

    tier: Callable[[], tuple[Pool, Stage]]
    when: Clause
    work: Clause

    def write(self, source: Pool, entry: Entry, units: float) -> None:
        """Write units that were evicted from `source`, if the program wants it."""
        if not self.when(entry, units):
            return
        tier, stage = self.tier()
        if tier is source:
            raise RunError(
                f"pool `{source.name}` spills to itself: what it evicts would come back for ever"
            )
        assert entry.customer is not None
        source.spills += 1
        work = self.work(entry, units)
        tier.take_spill(entry.customer, units)
        if work > 0.0:
            stage.serve(None, work)
