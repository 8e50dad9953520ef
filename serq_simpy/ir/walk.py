"""Going over an IR: an expression's parts, a statement's expressions, the tree of blocks.

Nothing here recurses. An expression's nodes come in text order, parents before
their operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from serq_simpy.ir import model as ir

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


def depth(expr: ir.Expr) -> int:
    """The levels of an expression; 1 for a leaf."""
    deepest = 0
    stack: list[tuple[Part, int]] = [(expr, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in children(node))
    return deepest


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


@dataclass(frozen=True, slots=True)
class Site:
    """A statement and where it stands: `enclosing` are those it stands in, outermost first."""

    place: Place
    statement: ir.Statement
    enclosing: tuple[tuple[Place, ir.Statement], ...]


def sites(program: ir.Program, root: int) -> Iterator[Site]:
    """The statements of block `root` and of the blocks in it, in text order."""
    stack = _of_block(program, root, ())
    while stack:
        site = stack.pop()
        yield site
        around = (*site.enclosing, (site.place, site.statement))
        for block in reversed(blocks_of(site.statement)):
            stack.extend(_of_block(program, block, around))


def _of_block(
    program: ir.Program, block: int, enclosing: tuple[tuple[Place, ir.Statement], ...]
) -> list[Site]:
    statements = program.blocks[block]
    return [
        Site(Place(block, i), statements[i], enclosing) for i in reversed(range(len(statements)))
    ]
