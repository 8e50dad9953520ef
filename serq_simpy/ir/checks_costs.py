"""Costs as attributes: set before they are read, and the server's resources its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from serq_simpy.ir import model as ir
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.walk import Part, indices, nodes, readings, slots_read

_FOREIGN = (
    "the workload cannot create or read a server resource's cost; send a size and convert it in "
    "the server"
)


def check_costs(subject: Subject) -> None:
    """Report costs read where some path has not set them, and made of what is the server's."""
    _Assigned(subject).block(ir.SESSION, frozenset())
    _check_owners(subject)


def _is_cost(program: ir.Program, slot: int) -> bool:
    return not isinstance(program.attr_types[slot], str)


# -------------------------------------------------------------- set before read


class _Assigned:
    """Which cost attributes every path to a point has set."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._program = subject.program

    def block(self, block: int, known: frozenset[int]) -> frozenset[int]:
        """Check a block entered with `known` set; what is set after it."""
        for i, statement in enumerate(self._program.blocks[block]):
            self._check(block, i, statement, known)
            known = self._after(statement, known)
        return known

    def _check(
        self, block: int, index: int, statement: ir.Statement, known: frozenset[int]
    ) -> None:
        exprs = [*(reading.expr for reading in readings(statement)), *indices(statement)]
        for slot in (slot for expr in exprs for slot in slots_read(expr)):
            if _is_cost(self._program, slot) and slot not in known:
                name = self._subject.printer.attribute(slot)
                message = f"cost `{name}` is read before every path converts and assigns it"
                site = self._subject.site(block, index, ir.SESSION)
                self._subject.findings.statement(site, message, rule="unset", named=False)

    def _after(self, statement: ir.Statement, known: frozenset[int]) -> frozenset[int]:
        match statement:
            case ir.Set(slot) if _is_cost(self._program, slot):
                return known | {slot}
            case ir.Hold():
                return self.block(statement.body, known)
            case ir.Branch(_, yes, no):
                return self.block(yes, known) & self.block(no, known)
            case ir.Loop(body) | ir.While(_, body) | ir.Fork(body):
                self.block(body, known)
                return known
            case _:
                return known


# ------------------------------------------------------------------- owners


def _check_owners(subject: Subject) -> None:
    """The workload makes no cost of a pool or stage that the server uses."""
    used = frozenset(_used_by_server(subject))
    for site in subject.session:
        if subject.side(site) != "Workload":
            continue
        exprs: list[Part] = [reading.expr for reading in readings(site.statement)]
        resources = (r for expr in exprs for r in _resources(subject.program, expr))
        if not used.isdisjoint(resources):
            subject.findings.statement(site, _FOREIGN, rule="owner", named=False)


_Family = ir.PoolFamily | ir.StageFamily


def _used_by_server(subject: Subject) -> Iterator[_Family]:
    """The families that the server's statements take units of, or run on."""
    for site in subject.session:
        if subject.side(site) == "Workload":
            continue
        match site.statement:
            case ir.Hold(pools):
                for request in pools:
                    yield ir.PoolFamily(request.pool.base, request.pool.count)
            case ir.Grow(pool) | ir.Load(pool):
                yield ir.PoolFamily(pool.base, pool.count)
            case ir.Run(stage, growing=growing, also=also):
                for ref in (stage, *also):
                    yield ir.StageFamily(ref.base, ref.count)
                if growing is not None:
                    yield ir.PoolFamily(growing.base, growing.count)


def _resources(program: ir.Program, expr: Part) -> Iterator[_Family]:
    """The families that the costs in an expression are of."""
    for node in nodes(expr):
        if isinstance(node, ir.Cost):
            yield from _families(node.resource)
        elif isinstance(node, ir.Attr):
            attr_type = program.attr_types[node.slot]
            if not isinstance(attr_type, str):
                yield from _families(attr_type)


def _families(resource: ir.Resource) -> Iterable[_Family]:
    if not isinstance(resource, ir.Joint):
        return (resource,)
    return resource.parts
