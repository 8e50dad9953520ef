"""Growing a run's hold to the position that an iteration brings it to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_simpy.engines.run import Stall
from serq_simpy.resources.growth import choose_victim, preempt

if TYPE_CHECKING:
    from serq_simpy.engines.run import EngineRun


def needed(run: EngineRun, tokens: float) -> float:
    """The units that a run's allocation lacks to take so many tokens, in whole blocks."""
    allocation = run.allocation
    if allocation is None:
        return 0.0
    return allocation.pool.round_up(allocation.position + tokens) - allocation.units


def grow_for(run: EngineRun, tokens: float) -> int:
    """Let a run grow for its tokens; how many customers were preempted for it.

    Afterwards the run may be stalled, or no resident any more: its own victim.
    """
    units = needed(run, tokens)
    allocation = run.allocation
    if units <= 0.0 or allocation is None:
        return 0
    pool = allocation.pool
    preempted = 0
    while not pool.fits_growth(allocation, units):
        victim = choose_victim(pool)
        if victim is None:
            run.stalled = Stall(run, allocation, units)
            return preempted
        preempt(victim)
        preempted += 1
        if not run.resident:
            return preempted
    pool.enlarge(allocation, units)
    return preempted
