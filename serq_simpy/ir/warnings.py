"""What is allowed and can be of no use: worth a word to who wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isnan

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.declared import iteration_statements
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.printing import value_text


def find_warnings(subject: Subject) -> None:
    """Report the useless pools, stages, engines and loops of a program."""
    for i, pool in enumerate(subject.program.pools):
        if pool.cap < 0:
            message = f"cap {value_text(pool.cap)}: nothing fits, so every hold is rejected"
            subject.findings.pool(i, pool, message)
        if pool.spill is not None and pool.spill.to == i:
            message = "it spills to itself: what is evicted would come back at once"
            subject.findings.pool(i, pool, message)
    for i, stage in enumerate(subject.program.stages):
        useless = _stage(stage)
        if useless is not None:
            subject.findings.stage(i, stage, useless)
    registers_set = frozenset(_registers_set(subject.program))
    for i, register in enumerate(subject.program.registers):
        if i not in registers_set:
            subject.findings.register(i, register, "nothing sets it: it keeps its first value")
    for site in subject.session:
        if isinstance(site.statement, ir.While) and constant(site.statement.test) == 0:
            message = f"`{subject.printer.statement(site.statement)}`: its body never runs"
            subject.findings.statement(site, message, rule="never")


def _registers_set(program: ir.Program) -> Iterator[int]:
    for stage in program.stages:
        if isinstance(stage.kind, ir.Step):
            for statement in iteration_statements(stage.kind.iteration or ()):
                if isinstance(statement, ir.SetRegister):
                    yield statement.register


def _stage(stage: ir.Stage) -> str | None:
    match stage.kind:
        case ir.Ps(capacity):
            return _capacity(constant(capacity))
        case ir.Step() as step:
            return _budget(step)
        case _:
            return None


def _capacity(value: float | None) -> str | None:
    if value is None or value > 0:
        return None
    return f"`ps({value_text(value)})`: its jobs stand still"


def _budget(step: ir.Step) -> str | None:
    budget = constant(step.budget)
    if budget is None:
        return None
    if isnan(budget):
        return "`tokens cap` is NaN: the engine computes nothing"
    granule = None if step.granule is None else constant(step.granule)
    if granule is not None and budget < granule < inf:
        shown = f"granule {value_text(granule)} is above `tokens cap {value_text(budget)}`"
        return f"{shown}: a prefill gets tokens only as its last chunk"
    return None
