"""Every number of an IR names something, and its blocks form trees.

The other checks, and everything after them, index without looking.
"""

from __future__ import annotations

from collections.abc import Iterator

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.declared import iteration_statements, pool_clauses, stage_clauses
from serq_simpy.ir.depth import BLOCK_DEPTH
from serq_simpy.ir.findings import Findings
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.vocabulary import FUNCTION_ARGUMENTS, FUNCTION_WORDS, LAW_ARGUMENTS, LAW_WORDS
from serq_simpy.ir.walk import Part, Ref, Site, blocks_of, nodes, readings, references, sites


def check_shape(program: ir.Program, findings: Findings) -> bool:
    """Report what is out of range; whether all of it is in order."""
    for message in (*_tables(program), *_blocks(program)):
        findings.program(message)
    if findings:
        return False
    _statements(program, findings)
    _declarations(program, findings)
    return not findings


# ------------------------------------------------------------ tables, blocks


def _tables(program: ir.Program) -> Iterator[str]:
    slots = len(program.attrs)
    if slots < len(ir.BUILT_IN):
        yield f"the attributes begin with the {len(ir.BUILT_IN)} built-in ones, found {slots}"
    if len(program.attr_types) != slots:
        yield "every attribute must have a size, value, or resource cost type"
    if [len(block) for block in program.sides] != [len(block) for block in program.blocks]:
        yield "every IR statement must declare its workload/server side"
    for slot in program.hidden:
        yield from _below("attribute slot", slot, slots)
    if isinstance(program.arrival, ir.Sessions):
        for slot in _preset_slots(program.arrival):
            yield from _below("attribute slot", slot, slots)
    for attr_type in program.attr_types:
        if not isinstance(attr_type, str):
            yield from _resource(program, attr_type)


def _preset_slots(arrival: ir.Sessions) -> Iterator[int]:
    for session in arrival.sessions:
        for presets in (session.attrs, *session.turns):
            yield from (slot for slot, _ in presets)


def _below(what: str, number: int, count: int) -> Iterator[str]:
    if not number < count:
        yield f"{what} {number} out of range"


def _blocks(program: ir.Program) -> Iterator[str]:
    """Each block but the first three is the body of one statement, none too deep."""
    count = len(program.blocks)
    if count <= ir.SESSION:
        yield f"block {count} out of range"
        return
    reached = {ir.INIT, ir.TURN, ir.SESSION}
    stack = [(block, 1) for block in (ir.SESSION, ir.TURN, ir.INIT)]
    while stack:
        block, level = stack.pop()
        if level > BLOCK_DEPTH:
            yield f"blocks more than {BLOCK_DEPTH} deep in one another"
            return
        for body in (body for s in program.blocks[block] for body in blocks_of(s)):
            if body >= count:
                yield f"block {body} out of range"
            elif body in reached:
                yield f"block {body} is reached twice: each is the body of one statement"
            else:
                reached.add(body)
                stack.append((body, level + 1))
    for block in range(count):
        if block not in reached:
            yield f"block {block} is the body of no statement"


# --------------------------------------------------------------- statements


def _statements(program: ir.Program, findings: Findings) -> None:
    for root in (ir.INIT, ir.TURN, ir.SESSION):
        for site in sites(program, root):
            for message in _statement(program, site):
                findings.statement(site, message, rule="shape", named=False)


def _statement(program: ir.Program, site: Site) -> Iterator[str]:
    statement = site.statement
    if isinstance(statement, ir.Set | ir.Choose):
        yield from _below("attribute slot", statement.slot, len(program.attrs))
    if isinstance(statement, ir.Observe):
        yield from _below("observation", statement.observe, len(program.observes))
    if isinstance(statement, ir.Hold) and not statement.pools:
        yield "a hold names at least one pool"
    for ref in references(statement):
        yield from _parts(program, ref)
    for reading in readings(statement):
        yield from _parts(program, reading.expr)


def _parts(program: ir.Program, part: Part) -> Iterator[str]:
    for node in nodes(part):
        yield from _node(program, node)


def _node(program: ir.Program, node: Part) -> Iterator[str]:
    match node:
        case ir.Attr(slot):
            yield from _below("attribute slot", slot, len(program.attrs))
        case ir.Reg(register):
            yield from _below("register", register, len(program.registers))
        case ir.Agg(_, observe):
            yield from _below("observation", observe, len(program.observes))
        case ir.Cost(resource, _):
            yield from _resource(program, resource)
        case ir.PoolRef() | ir.StageRef():
            yield from _reference(program, node)
        case ir.Call(function, args):
            yield from _call(function, args)
        case ir.Sample(law, args) if len(args) != LAW_ARGUMENTS[law]:
            yield f"`~{LAW_WORDS[law]}` takes {LAW_ARGUMENTS[law]} argument(s), got {len(args)}"


def _call(function: str, args: tuple[Part, ...]) -> Iterator[str]:
    kinds, word = FUNCTION_ARGUMENTS[function], FUNCTION_WORDS[function]
    if len(args) != len(kinds):
        yield f"`{word}` takes {len(kinds)} argument(s), got {len(args)}"
        return
    for kind, arg in zip(kinds, args, strict=True):
        given = {ir.PoolRef: "pool", ir.StageRef: "stage"}.get(type(arg), "number")
        if given != kind:
            yield f"`{word}` expects a {kind} here"


def _resource(program: ir.Program, resource: ir.Resource) -> Iterator[str]:
    match resource:
        case ir.Joint(parts):
            for part in parts:
                yield from _resource(program, part)
        case ir.PoolFamily(base, count):
            yield from _span("pool", base, count, len(program.pools))
        case ir.StageFamily(base, count):
            yield from _span("stage", base, count, len(program.stages))


def _span(what: str, base: int, count: int, there: int) -> Iterator[str]:
    if count < 1 or base + count > there:
        yield f"{what} reference {base}..{base + count} out of range"


def _reference(program: ir.Program, ref: Ref) -> Iterator[str]:
    is_pool = isinstance(ref, ir.PoolRef)
    what, there = ("pool", program.pools) if is_pool else ("stage", program.stages)
    wrong = tuple(_span(what, ref.base, ref.count, len(there)))
    if wrong:
        yield from wrong
    elif ref.index is None:
        if ref.count > 1:
            yield f"{what} `{there[ref.base].name}` is a family of {ref.count}; index it"
    else:
        member = constant(ref.index)
        if member is not None and member not in range(ref.count):
            name = there[ref.base].name
            shown = value_text(member)
            yield f"{what} `{name}[{shown}]` is out of range: `{name}` has {ref.count} member(s)"


# ------------------------------------------------------------- declarations


def _declarations(program: ir.Program, findings: Findings) -> None:
    for i, pool in enumerate(program.pools):
        for message in _pool(program, pool):
            findings.pool(i, pool, message)
    for i, stage in enumerate(program.stages):
        for message in _stage(program, stage):
            findings.stage(i, stage, message)
    for i, gauge in enumerate(program.gauges):
        for message in _parts(program, gauge.expr):
            findings.gauge(i, gauge, message)
    for i, claim in enumerate(program.claims):
        for message in _claim(program, claim):
            findings.claim(i, claim, message)
    if isinstance(program.arrival, ir.Renewal):
        for message in _parts(program, program.arrival.gap):
            findings.arrival(f"`arrive renewal`: {message}")
    for register in program.registers:
        for message in _below("stage", register.stage, len(program.stages)):
            findings.program(f"state `{register.name}`: {message}")


def _pool(program: ir.Program, pool: ir.Pool) -> Iterator[str]:
    if pool.spill is not None:
        yield from _below("pool", pool.spill.to, len(program.pools))
        yield from _below("stage", pool.spill.via, len(program.stages))
    if pool.admit_via is not None:
        yield from _below("stage", pool.admit_via, len(program.stages))
    for clause in pool_clauses(pool):
        yield from _parts(program, clause.expr)


def _stage(program: ir.Program, stage: ir.Stage) -> Iterator[str]:
    if isinstance(stage.kind, ir.Step):
        wrong = tuple(_engine(program, stage.kind))
        if wrong:
            yield from wrong
            return
    for clause in stage_clauses(program, stage):
        yield from _parts(program, clause.expr)


def _engine(program: ir.Program, step: ir.Step) -> Iterator[str]:
    if step.memory is not None:
        yield from _below("pool", step.memory, len(program.pools))
    for statement in iteration_statements(step.iteration or ()):
        if isinstance(statement, ir.SetRegister):
            yield from _below("register", statement.register, len(program.registers))


def _claim(program: ir.Program, claim: ir.Claim) -> Iterator[str]:
    if not isinstance(claim.kind, ir.AtEnd):
        yield from _below("stage", claim.kind.stage, len(program.stages))
    for expr in (claim.expr, claim.given):
        if expr is not None:
            yield from _parts(program, expr)
