"""Pools, stages, engines, gauges and claims as they are declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isfinite

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.declared import iteration_statements, stage_clauses
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.moments import Moment
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.reads_text import stage_kind

_IDLE_PATH = (
    "a `schedule` with a path that neither advances `running` nor admits `waiting`: an engine "
    "whose schedule takes that path schedules nothing, and waits for an event that may never come"
)


def check_declarations(subject: Subject) -> None:
    """Report declarations whose numbers and names cannot be."""
    for i, pool in enumerate(subject.program.pools):
        for message in _pool(subject, pool):
            subject.findings.pool(i, pool, message)
    for i, stage in enumerate(subject.program.stages):
        for message in _stage(subject, i, stage):
            subject.findings.stage(i, stage, message)
    _check_registers(subject)
    _check_gauges(subject)
    _check_claims(subject)
    _check_hidden(subject)


def _pool(subject: Subject, pool: ir.Pool) -> Iterator[str]:
    if pool.block is not None and not pool.block > 0:
        yield "block must be positive"
    if pool.admit_via is not None:
        stage = subject.program.stages[pool.admit_via]
        if not isinstance(stage.kind, ir.Step):
            why = f"`{stage.name}` is a {stage_kind(stage.kind)} stage"
            rule = f"only an engine's `schedule` admits, and nothing would admit `{pool.name}`"
            yield f"`admit_via` names `{stage.name}`, but {why}: {rule}"


# -------------------------------------------------------------------- stages


def _stage(subject: Subject, number: int, stage: ir.Stage) -> Iterator[str]:
    match stage.kind:
        case ir.Fifo(servers) if servers < 1:
            yield "fifo servers must be a positive integer"
        case ir.Step() as step:
            yield from _limits(subject, step)
            yield from _exclusive(step)
            yield from _guards(subject, stage)
            yield from _schedule(subject, number, step)


def _limits(subject: Subject, step: ir.Step) -> Iterator[str]:
    budget = constant(step.budget)
    if budget is not None and budget <= 0:
        yield "`tokens cap` at or below 0: no iteration could compute a token"
    if step.granule is None:
        return
    granule, chunk = constant(step.granule), constant(step.chunk)
    if granule is None:
        text = subject.printer.expression(step.granule)
        yield f"granule {text}: a constant above 0, `inf` included"
        return
    shown = value_text(granule)
    if not granule > 0:
        rule = "a prefill takes a multiple of it, so it is above 0 (`inf` for whole or nothing)"
        yield f"granule {shown}: {rule}"
        return
    if chunk is not None and 0 < chunk < granule:
        most = value_text(chunk)
        never = f"a prompt longer than {most} tokens would never get a token"
        yield f"granule {shown} with `each at most ({most})`: {never}"
    floor = _floor(step.chunk)
    if floor is not None and floor < granule:
        least = value_text(floor)
        waits = f"a prompt longer than {least} tokens would get none in an iteration"
        yield f"granule {shown} with `each at most (max({least}, …))`: {waits} whose cap is {least}"


def _floor(chunk: ir.Expr) -> float | None:
    """The constant of a cap that is `max(k, e)`, None of another cap."""
    if not isinstance(chunk, ir.Call) or chunk.function != "Max":
        return None
    for arg in chunk.args:
        floor = None if isinstance(arg, ir.PoolRef | ir.StageRef) else constant(arg)
        if floor is not None:
            return floor
    return None


def _exclusive(step: ir.Step) -> Iterator[str]:
    """An exclusive prefill takes back decodes already chosen: it bears neither of these."""
    if step.serve is not None:
        return
    if step.granule is not None:
        yield (
            "`granule` with `exclusive prefill`: a prefill the granule refuses would still block "
            "every decode, and the engine would stop"
        )
    if step.iteration is not None:
        yield (
            "`exclusive prefill` with a `schedule` body (the IR's `iteration`): it takes back "
            "decodes already chosen, which a body cannot"
        )


def _guards(subject: Subject, stage: ir.Stage) -> Iterator[str]:
    """A schedule's constant tests are 0 or 1."""
    for clause in stage_clauses(subject.program, stage):
        is_test = clause.moment is Moment.SCHEDULE and not clause.name.startswith("`set ")
        value = constant(clause.expr) if is_test else None
        if value is not None and value not in (0, 1):
            yield f"{clause.name} is always {value_text(value)}; a test is 1 or 0"


def _schedule(subject: Subject, number: int, step: ir.Step) -> Iterator[str]:
    if step.iteration is None:
        return
    if not _acts(step.iteration):
        yield _IDLE_PATH
    for statement in iteration_statements(step.iteration):
        if isinstance(statement, ir.SetRegister):
            register = subject.program.registers[statement.register]
            if register.stage != number:
                owner = subject.printer.stage(register.stage)
                rule = "a schedule sets its own engine's"
                yield f"`set {register.name}`: the register is engine `{owner}`'s; {rule}"


def _acts(statements: tuple[ir.IterationStatement, ...]) -> bool:
    """Whether every path through the statements advances or admits."""
    for statement in statements:
        match statement:
            case ir.Serve() | ir.Admit():
                return True
            case ir.IterationBranch(_, yes, no):
                if _acts(yes) and _acts(no):
                    return True
    return False


def _check_registers(subject: Subject) -> None:
    times: Counter[str] = Counter()
    for i, register in enumerate(subject.program.registers):
        times[register.name] += 1
        if times[register.name] == 2:
            subject.findings.register(i, register, "declared twice")
        for message in _register(subject, register):
            subject.findings.register(i, register, message)


def _register(subject: Subject, register: ir.Register) -> Iterator[str]:
    if not isfinite(register.init):
        yield "its first value is a finite number"
    stage = subject.program.stages[register.stage]
    if not isinstance(stage.kind, ir.Step):
        yield f"`{stage.name}` is no engine, and only an engine has registers"


# ------------------------------------------------- gauges, claims, hidden, names


def _check_gauges(subject: Subject) -> None:
    times: Counter[str] = Counter()
    for i, gauge in enumerate(subject.program.gauges):
        times[gauge.name] += 1
        if times[gauge.name] == 2:
            subject.findings.gauge(i, gauge, "declared twice")


def _check_claims(subject: Subject) -> None:
    times: Counter[str] = Counter()
    for i, claim in enumerate(subject.program.claims):
        times[claim.name] += 1
        if times[claim.name] == 2:
            subject.findings.claim(i, claim, "declared twice")
        if isinstance(claim.kind, ir.AtEnd):
            continue
        stage = subject.program.stages[claim.kind.stage]
        if not isinstance(stage.kind, ir.Step):
            rule = "only an engine has iterations"
            subject.findings.claim(i, claim, f"stage `{stage.name}` is not an engine: {rule}")


def _check_hidden(subject: Subject) -> None:
    times = Counter(subject.program.hidden)
    for slot, count in times.items():
        name = subject.printer.attribute(slot)
        if count > 1:
            subject.findings.hidden(slot, f"hidden `{name}` twice")
        if slot in (ir.CACHED, ir.COMPUTED):
            rule = "the scheduler sets it, so it cannot be hidden from the scheduler"
            subject.findings.hidden(slot, f"hidden `{name}`: {rule}")
