"""The expressions of pools and stages, and when each is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serq_simpy.ir import model as ir
from serq_simpy.ir.moments import Moment


@dataclass(frozen=True, slots=True)
class Clause:
    """An expression of a declaration: `name` is the clause it stands in, as messages say it."""

    name: str
    expr: ir.Expr
    moment: Moment


def pool_clauses(pool: ir.Pool) -> list[Clause]:
    """The expressions of a pool's options."""
    found = [Clause("evict by", key, Moment.EVICTION) for key in pool.evict or ()]
    if pool.preempt is not None:
        found += [Clause("preempt by", key, Moment.PREEMPT_KEY) for key in pool.preempt.keys]
    found += [Clause("queue by", key, Moment.QUEUE_KEY) for key in pool.queue or ()]
    if pool.spill is not None:
        found.append(Clause("spill", pool.spill.work, Moment.EVICTION))
        found.append(Clause("spill", pool.spill.when, Moment.EVICTION))
    return found


def stage_clauses(program: ir.Program, stage: ir.Stage) -> list[Clause]:
    """The expressions of a stage: its capacity, an engine's clauses and schedule."""
    match stage.kind:
        case ir.Ps(capacity):
            return [Clause("ps", capacity, Moment.CAPACITY)]
        case ir.Step() as step:
            return _engine_clauses(program, step)
        case _:
            return []


def _engine_clauses(program: ir.Program, step: ir.Step) -> list[Clause]:
    found = [Clause("tokens cap", step.budget, Moment.BUDGET)]
    if step.granule is not None:
        found.append(Clause("granule", step.granule, Moment.BUDGET))
    found.append(Clause("each at most", step.chunk, Moment.BUDGET))
    found += [Clause("by", key, Moment.SERVE_KEY) for key in step.serve or ()]
    for statement in iteration_statements(step.iteration or ()):
        found += _iteration_clauses(program, statement)
    found.append(Clause("execute", step.cost, Moment.EXECUTE))
    return found


def _iteration_clauses(program: ir.Program, statement: ir.IterationStatement) -> list[Clause]:
    match statement:
        case ir.Serve(only, by):
            keys = [Clause("by", key, Moment.SERVE_KEY) for key in by or ()]
            return _only(only) + keys
        case ir.Admit(only, gate):
            name = "`admit waiting while (…)`"
            gates = [] if gate is None else [Clause(name, gate, Moment.SCHEDULE)]
            return _only(only) + gates
        case ir.IterationBranch(test):
            return [Clause("a `branch` in a `schedule`", test, Moment.SCHEDULE)]
        case ir.SetRegister(register, value):
            name = f"`set {program.registers[register].name}`"
            return [Clause(name, value, Moment.SCHEDULE)]


def _only(only: ir.Expr | None) -> list[Clause]:
    return [] if only is None else [Clause("only", only, Moment.ONLY)]


def iteration_statements(
    statements: tuple[ir.IterationStatement, ...],
) -> Iterator[ir.IterationStatement]:
    """The statements of a schedule and of the branches in it, in text order."""
    stack = list(reversed(statements))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, ir.IterationBranch):
            stack.extend(reversed(statement.yes + statement.no))
