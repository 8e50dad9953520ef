"""Going over an IR: an expression's parts, a statement's expressions, the tree of blocks.

Nothing here recurses. An expression's nodes come in text order, parents before
their operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

from serq_simpy.ir import model as ir
from serq_simpy.ir.moments import Moment

Part = ir.Expr | ir.PoolRef | ir.StageRef
Ref = ir.PoolRef | ir.StageRef


def children(part: Part) -> tuple[Part, ...]:
    """The operands and arguments of an expression, the index of a reference."""
    match part:
        case ir.Binary(_, left, right):
            return (left, right)
        case ir.Unary(_, operand):
            return (operand,)
        case ir.Call(_, args) | ir.Sample(_, args):
            return args
        case ir.Cond(test, yes, no):
            return (test, yes, no)
        case ir.Cost(_, value):
            return (value,)
        case ir.PoolRef(_, _, index) | ir.StageRef(_, _, index):
            return () if index is None else (index,)
        case ir.Num() | ir.Attr() | ir.Reg() | ir.Ctx() | ir.Agg():
            return ()
        case _:
            assert_never(part)


def nodes(part: Part) -> Iterator[Part]:
    """The expression (or reference) itself and everything in it."""
    stack: list[Part] = [part]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def slots_read(part: Part) -> Iterator[int]:
    """The slots of the attributes an expression reads, with repetitions."""
    return (node.slot for node in nodes(part) if isinstance(node, ir.Attr))


def draws(part: Part) -> bool:
    """Whether evaluating the expression may take from a random stream."""
    return any(isinstance(node, ir.Sample) for node in nodes(part))


def calls(part: Part, *functions: str) -> bool:
    """Whether one of the named functions is called in the expression."""
    return any(isinstance(node, ir.Call) and node.function in functions for node in nodes(part))


# --------------------------------------------------------------- statements


def blocks_of(statement: ir.Statement) -> tuple[int, ...]:
    """The numbers of the blocks a statement has, in text order."""
    match statement:
        case ir.Hold():
            return (statement.body,)
        case ir.Branch(_, yes, no):
            return (yes, no)
        case ir.While(_, body) | ir.Loop(body) | ir.Fork(body):
            return (body,)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Place:
    """The statement number `index` of block `block`."""

    block: int
    index: int


Enclosing = tuple[Place, ir.Statement]


@dataclass(frozen=True, slots=True)
class Site:
    """A statement and where it stands.

    `enclosing` are the statements it stands in, outermost first; `root` is the
    block they all stand in: `init`, `turn` or the session.
    """

    place: Place
    statement: ir.Statement
    enclosing: tuple[Enclosing, ...]
    root: int


def sites(program: ir.Program, root: int) -> Iterator[Site]:
    """The statements of block `root` and of the blocks in it, in text order."""
    stack = _of_block(program, root, root, ())
    while stack:
        site = stack.pop()
        yield site
        blocks = blocks_of(site.statement)
        if blocks:
            around = (*site.enclosing, (site.place, site.statement))
            for block in reversed(blocks):
                stack.extend(_of_block(program, root, block, around))


def _of_block(
    program: ir.Program, root: int, block: int, enclosing: tuple[Enclosing, ...]
) -> list[Site]:
    """The sites of a block, last first."""
    statements = program.blocks[block]
    numbers = reversed(range(len(statements)))
    return [Site(Place(block, i), statements[i], enclosing, root) for i in numbers]


# ------------------------------------------------------ a statement's expressions

Role = Literal[
    "value", "units", "reserve", "reuse", "cache", "lease", "amount", "work", "test", "count", "key"
]
"""What an expression is to its statement; `index` of a reference it names has none."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An expression of a statement, its part in it, and when it is read."""

    role: Role
    expr: ir.Expr
    moment: Moment = Moment.STATEMENT


def readings(statement: ir.Statement) -> list[Reading]:
    """The expressions of a statement in text order, without the indices of what it names."""
    match statement:
        case ir.Set(_, value) | ir.Observe(_, value):
            return [Reading("value", value)]
        case ir.Hold():
            return _hold_readings(statement)
        case ir.Grow(_, amount) | ir.Load(_, amount):
            return [Reading("amount", amount)]
        case ir.Run():
            return [Reading("work", statement.work)]
        case ir.Branch(test) | ir.While(test):
            return [Reading("test", test)]
        case ir.Choose(_, count, keys):
            return [Reading("count", count), *(Reading("key", key) for key in keys)]
        case _:
            return []


def _hold_readings(hold: ir.Hold) -> list[Reading]:
    found: list[Reading] = []
    for request in hold.pools:
        found.append(Reading("units", request.units, Moment.HEADER))
        if request.reserve is not None:
            found.append(Reading("reserve", request.reserve, Moment.HEADER))
    if hold.reuse is not None:
        found.append(Reading("reuse", hold.reuse, Moment.HEADER))
    if hold.cache is not None:
        found.append(Reading("cache", hold.cache))
    if hold.lease is not None:
        found.append(Reading("lease", hold.lease.duration))
    return found


def references(statement: ir.Statement) -> tuple[Ref, ...]:
    """The pools and stages that a statement itself names."""
    match statement:
        case ir.Hold():
            lease = () if statement.lease is None else (statement.lease.pool,)
            return (*[request.pool for request in statement.pools], *lease)
        case ir.Grow(pool) | ir.Load(pool) | ir.Drop(pool) | ir.Release(pool):
            return (pool,)
        case ir.Run():
            growing = () if statement.growing is None else (statement.growing,)
            return (statement.stage, *statement.also, *growing)
        case _:
            return ()


def indices(statement: ir.Statement) -> list[ir.Expr]:
    """The index expressions of what a statement names."""
    return [ref.index for ref in references(statement) if ref.index is not None]


def same(left: Part, right: Part) -> bool:
    """Whether two expressions, or two references, are written the same."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        below_a, below_b = children(a), children(b)
        if _head(a) != _head(b) or len(below_a) != len(below_b):
            return False
        stack.extend(zip(below_a, below_b, strict=True))
    return True


def _head(part: Part) -> tuple[object, ...]:
    """A node without what is below it."""
    match part:
        case ir.PoolRef(base, count) | ir.StageRef(base, count):
            return type(part), base, count
        case ir.Binary(op) | ir.Unary(op):
            return type(part), op
        case ir.Call(name) | ir.Sample(name):
            return type(part), name
        case ir.Cost(resource):
            return type(part), resource
        case ir.Cond():
            return (type(part),)
        case ir.Num() | ir.Attr() | ir.Reg() | ir.Ctx() | ir.Agg():
            return type(part), part
        case _:
            assert_never(part)
