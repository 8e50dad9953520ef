"""Going over a syntax tree or a kernel: parts, names read, draws. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import assert_never

from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s

Statement = s.Statement | k.Statement


def operands(expr: s.Expr) -> tuple[s.Expr, ...]:
    """The expressions an expression has directly in it, in text order."""
    match expr:
        case s.Number():
            return ()
        case s.Reference():
            return () if expr.index is None else (expr.index,)
        case s.Call() | s.Draw():
            return expr.args
        case s.Unary():
            return (expr.operand,)
        case s.Binary():
            return (expr.left, expr.right)
        case s.Choice():
            return (expr.test, expr.yes, expr.no)
        case s.Aggregate():
            return (expr.count, expr.body)
        case _:
            assert_never(expr)


def nodes(*exprs: s.Expr) -> Iterator[s.Expr]:
    """The expressions and everything in them, in text order, parents first."""
    stack = list(reversed(exprs))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(operands(node)))


def dotted(reference: s.Reference) -> str:
    """The name of a reference with its fields, without its index."""
    return ".".join((reference.name, *reference.fields))


def names(*exprs: s.Expr) -> Iterator[str]:
    """The names the expressions read, as written, with repetitions."""
    return (dotted(node) for node in nodes(*exprs) if isinstance(node, s.Reference))


def draws(expr: s.Expr) -> bool:
    """Whether a draw is written in the expression."""
    return any(isinstance(node, s.Draw) for node in nodes(expr))


def same(left: s.Expr, right: s.Expr) -> bool:
    """Whether two expressions are written the same, but for spaces and parentheses."""
    return all(a == b for a, b in zip_longest(_heads(left), _heads(right)))


def _heads(expr: s.Expr) -> Iterator[tuple[object, ...]]:
    """The parts of an expression, each without what is in it."""
    for node in nodes(expr):
        size = len(operands(node))
        match node:
            case s.Number(value):
                yield s.Number, value
            case s.Reference():
                yield s.Reference, dotted(node), size
            case s.Call(name) | s.Draw(name):
                yield type(node), name, size
            case s.Unary(op) | s.Binary(op):
                yield type(node), op
            case s.Choice():
                yield (s.Choice,)
            case s.Aggregate(kind, index):
                yield s.Aggregate, kind, index
            case _:
                assert_never(node)


# --------------------------------------------------------------- statements


def expressions(statement: Statement) -> list[s.Expr]:
    """The expressions and references of a statement, without those of its blocks."""
    match statement:
        case s.Set() | s.Observe():
            return [statement.value]
        case s.CostRecord():
            return [part for field in statement.fields for part in field]
        case s.Hold() | k.Hold():
            return _of_hold(statement)
        case s.Grow() | s.Load():
            return [statement.pool, statement.amount]
        case s.Drop() | s.Release():
            return [statement.pool]
        case s.Run():
            return [*statement.stages, statement.work, *_given(statement.growing)]
        case s.Phase():
            return [statement.work, *_given(statement.growing)]
        case s.Tool():
            return [*_given(statement.index), *statement.on, statement.work]
        case s.Transfer() | s.EntryCall():
            return _of_passing(statement)
        case s.Branch() | s.While() | k.Branch() | k.While():
            return [statement.test]
        case s.Choose():
            return [statement.count, *statement.keys]
        case s.Invoke():
            return list(statement.args)
        case _:
            return []


def _given(expr: s.Expr | None) -> tuple[s.Expr, ...]:
    return () if expr is None else (expr,)


def _of_hold(hold: s.Hold | k.Hold) -> list[s.Expr]:
    found: list[s.Expr] = []
    for request in hold.requests:
        found += [request.pool, request.units, *_given(request.reserve)]
    found += _given(hold.reuse)
    if isinstance(hold, s.Hold):
        found += [binding.value for binding in hold.bindings]
    found += _given(hold.cache)
    if hold.lease is not None:
        found += hold.lease
    return found


def _of_passing(statement: s.Transfer | s.EntryCall) -> list[s.Expr]:
    found: list[s.Expr] = []
    if isinstance(statement, s.Transfer):
        found += [*_given(statement.index), *statement.on, statement.work]
    else:
        found += [statement.queue, *statement.args]
    found += _given(statement.source)
    if statement.target is not None:
        found += statement.target
    return found


def statements(block: s.Block) -> Iterator[s.Statement]:
    """The statements of a block and of the blocks in it, in text order."""
    stack = list(reversed(block.statements))
    while stack:
        statement = stack.pop()
        yield statement
        match statement:
            case s.Hold() | s.While() | s.Loop() | s.Fork():
                stack.extend(reversed(statement.body.statements))
            case s.Branch():
                if statement.no is not None:
                    stack.extend(reversed(statement.no.statements))
                stack.extend(reversed(statement.yes.statements))
            case _:
                pass
