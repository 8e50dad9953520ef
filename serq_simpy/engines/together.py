"""Whether an iteration can serve all its steady decodes without looking at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_simpy.engines.growth import needed
from serq_simpy.resources.cache import TOLERANCE

if TYPE_CHECKING:
    from serq_simpy.engines.engine import Engine
    from serq_simpy.engines.iteration import Iteration
    from serq_simpy.engines.run import EngineRun

Shares = list[tuple["EngineRun", float]]


def shares(engine: Engine, iteration: Iteration) -> Shares | None:
    """Who must be looked at in the next iteration, in the serving order, with their tokens.

    These are the runs that stand alone, with what the budget leaves them in their place in
    the order, and the steady decodes that must grow. None when that is not certain: the
    budget does not cover every decode, memory is short, or a figure is not whole.
    """
    for run in engine.steady.ending():
        engine.detach(run)
    growing = engine.steady.growing()
    alone = _served_alone(engine, iteration)
    if alone is None or not _fits(engine, alone, growing):
        return None
    if growing:
        alone += [(run, 1.0) for run in growing]
        alone.sort(key=lambda share: share[0].order)
    return alone


def _served_alone(engine: Engine, iteration: Iteration) -> Shares | None:
    """The runs that stand alone and their tokens, while every steady decode gets its own."""
    steady, left = len(engine.steady), iteration.left
    if not left >= steady:
        return None
    served: Shares = []
    taken = 0.0
    for number, run in enumerate(engine.alone):
        if run.stalled is not None:
            continue
        wanted = run.wanted(iteration.chunk)
        if taken + wanted + steady > left:
            before = engine.residents.place(run) - number
            room = left - before - taken
            if room <= 0.0:
                return served if before == steady else None
        else:
            room = wanted
        tokens = iteration.share(run, room)
        taken += tokens
        if not tokens.is_integer() or taken + steady > left:
            return None
        served.append((run, tokens))
    return served


def _fits(engine: Engine, alone: Shares, growing: list[EngineRun]) -> bool:
    """Whether all growths fit without anybody being preempted."""
    memory = engine.memory
    units = 0.0
    for run, tokens in alone:
        if run.allocation is not None and run.allocation.pool is not memory:
            return False
        units += max(0.0, needed(run, tokens))
    if not growing and not units:
        return True
    assert memory is not None
    units += len(growing) * (memory.block or 1.0)
    return memory.used + units <= memory.cap + TOLERANCE
