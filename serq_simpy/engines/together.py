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
    """The tokens of those that stand alone, when every steady decode gets its own.

    They are in the serving order, each with what the budget leaves it in its place. The
    steady decodes that must grow have done so. None when it is not certain that all goes
    well: the budget does not cover every decode, memory is short, or a figure is not whole.
    """
    steady = engine.steady
    for run in steady.ending():
        engine.detach(run)
    growing = steady.growing(engine.memory)
    alone = _served_alone(engine, iteration)
    if alone is None or not iteration.left >= steady.count:
        return None
    if alone or growing or steady.creeping:
        if not _fits(engine, alone, growing):
            return None
        if growing or steady.creeping:
            assert engine.memory is not None
            steady.grow(engine.memory, growing)
    return alone


def _served_alone(engine: Engine, iteration: Iteration) -> Shares | None:
    """The runs that stand alone and their tokens, while every steady decode gets its own."""
    steady, left = engine.steady.count, iteration.left
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
    if not (units or growing or engine.steady.creeping):
        return True
    assert memory is not None
    units += engine.steady.creeping + len(growing) * (memory.block or 0.0)
    return memory.used + units <= memory.cap + TOLERANCE
