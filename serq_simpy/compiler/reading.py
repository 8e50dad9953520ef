"""What expressions read, as far as it decides what is written for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from serq_simpy.compiler.expressions import ESTIMATING
from serq_simpy.ir import model as ir
from serq_simpy.ir.walk import draws, indices, nodes, readings, sites


def statement_expressions(statement: ir.Statement) -> Iterator[ir.Expr]:
    """The expressions written in a statement itself, the indices of references included."""
    yield from (reading.expr for reading in readings(statement))
    yield from indices(statement)


def program_expressions(program: ir.Program) -> Iterator[ir.Expr]:
    """Every expression that a run may read, the arrival law's apart."""
    for root in (ir.INIT, ir.TURN, ir.SESSION):
        for site in sites(program, root):
            yield from statement_expressions(site.statement)
    for pool in program.pools:
        yield from (*(pool.queue or ()), *(pool.evict or ()))
        if pool.preempt is not None:
            yield from pool.preempt.keys
        if pool.spill is not None:
            yield from (pool.spill.work, pool.spill.when)
    for stage in program.stages:
        if isinstance(stage.kind, ir.Ps):
            yield stage.kind.capacity
        elif isinstance(stage.kind, ir.Step):
            yield from engine_expressions(stage.kind)
    for gauge in program.gauges:
        yield gauge.expr


def engine_expressions(engine: ir.Step) -> Iterator[ir.Expr]:
    """Every expression of an engine."""
    yield from (engine.budget, engine.cost, engine.chunk, *(engine.serve or ()))
    stack = list(engine.iteration or ())
    while stack:
        match stack.pop():
            case ir.Serve(only, by):
                yield from (*(() if only is None else (only,)), *(by or ()))
            case ir.Admit(only, gate):
                yield from (expr for expr in (only, gate) if expr is not None)
            case ir.IterationBranch(test, yes, no):
                yield test
                stack += [*yes, *no]
            case ir.SetRegister(_, value):
                yield value


def estimated_stages(exprs: Iterable[ir.Expr]) -> set[int]:
    """The stages whose recent past some expression reads."""
    found: set[int] = set()
    for expr in exprs:
        for part in nodes(expr):
            if isinstance(part, ir.Call) and part.function in ESTIMATING:
                ref = part.args[0]
                assert isinstance(ref, ir.StageRef)
                found.update(range(ref.base, ref.base + ref.count))
    return found


def shared_stages(program: ir.Program) -> set[int]:
    """The stages of every family that some run holds together with another."""
    found: set[int] = set()
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Run) and statement.also:
                for ref in (statement.stage, *statement.also):
                    found.update(range(ref.base, ref.base + ref.count))
    return found


def block_draws(program: ir.Program, root: int) -> bool:
    """Whether a statement of a block, or of a block in it, draws."""
    return any(
        draws(expr)
        for site in sites(program, root)
        for expr in statement_expressions(site.statement)
    )


def most_draws(program: ir.Program) -> float:
    """How many numbers a session's statements draw at most; inf where that is not plain to see.

    Plain are draws in a program without loops and preemption, outside holds and `choose`.
    """
    total = 0.0
    if any(pool.preempt is not None for pool in program.pools):
        return inf
    for site in sites(program, ir.SESSION):
        simple = isinstance(site.statement, ir.Set | ir.Observe | ir.Run | ir.Branch)
        for expr in statement_expressions(site.statement):
            if draws(expr) and not simple:
                return inf
            total += sum(_uniforms(part) for part in nodes(expr) if isinstance(part, ir.Sample))
        if isinstance(site.statement, ir.While | ir.Loop | ir.Fork):
            return inf
    return total


def _uniforms(draw: ir.Sample) -> float:
    """How many numbers a draw takes."""
    match draw:
        case ir.Sample("Det"):
            return 0
        case ir.Sample("H2"):
            return 2
        case ir.Sample("Erlang", (ir.Num(phases), _)):
            return max(1.0, phases)
        case ir.Sample("Erlang"):
            return inf
        case _:
            return 1


def has_engines(program: ir.Program) -> bool:
    """Whether some stage is an engine."""
    return any(isinstance(stage.kind, ir.Step) for stage in program.stages)


def replays(program: ir.Program) -> bool:
    """Whether sessions may replay turns: of a trace, or given in the IR."""
    return program.trace is not None or isinstance(program.arrival, ir.Sessions)


def reads_attributes(expr: ir.Expr) -> bool:
    """Whether an expression reads an attribute."""
    return any(isinstance(part, ir.Attr) for part in nodes(expr))


def reads_attributes_alone(expr: ir.Expr) -> bool:
    """Whether an expression reads attributes and numbers, not the state or the clock."""
    return not any(
        isinstance(part, ir.PoolRef | ir.StageRef | ir.Ctx | ir.Reg | ir.Sample | ir.Agg)
        for part in nodes(expr)
    )


def changes_with_its_entry(expr: ir.Expr) -> bool:
    """Whether an eviction changes an eviction key only for the entry that it cuts."""
    return not any(
        isinstance(part, ir.PoolRef | ir.StageRef | ir.Reg | ir.Sample | ir.Agg)
        for part in nodes(expr)
    )


def is_amount(expr: ir.Expr) -> bool:
    """Whether an expression is a number that may be an amount."""
    return isinstance(expr, ir.Num) and expr.value >= 0.0


def may_repeat(hold: ir.Hold) -> bool:
    """Whether two indices of a hold may name one member."""
    bases = [asked.pool.base for asked in hold.pools]
    return len(set(bases)) < len(bases)


_TESTS = frozenset({"Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or"})


def is_test(expr: ir.Expr) -> bool:
    """Whether an expression can only be 0 or 1, by its outermost operator."""
    match expr:
        case ir.Binary(op, _, _):
            return op in _TESTS
        case ir.Unary("Not", _):
            return True
        case _:
            return False


def observed_tests(program: ir.Program) -> frozenset[str]:
    """The observations that are a test wherever the program records them."""
    seen: dict[int, bool] = {}
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Observe):
                test = is_test(statement.value)
                seen[statement.observe] = seen.get(statement.observe, True) and test
    return frozenset(program.observes[number] for number, test in seen.items() if test)
