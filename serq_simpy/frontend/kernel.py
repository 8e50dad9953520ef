"""The kernel: a program's statements with all sugar and all definitions written out.

What is left are the statements the IR knows. Their expressions are the syntax
tree's, without uses of definitions and without aggregates; their references name
pools and stages of the program. Statements without blocks are the syntax tree's
own; those with blocks are here.
"""

from __future__ import annotations

from dataclasses import dataclass

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s


@dataclass(frozen=True, slots=True)
class Turn:
    """`turn;` with the server's statements that handle it."""

    server: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold whose header has the values of its bindings written in.

    `bound` names the bindings; the body begins with a `set` of each that it reads.
    """

    requests: tuple[s.HoldRequest, ...]
    reuse: s.Expr | None
    body: tuple[Statement, ...]
    cache: s.Expr | None
    lease: tuple[s.Reference, s.Expr] | None
    bound: frozenset[str]
    span: Span


@dataclass(frozen=True, slots=True)
class Branch:
    test: s.Expr
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    test: s.Expr
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fork:
    body: tuple[Statement, ...]
    span: Span


Statement = (
    Turn
    | Hold
    | Branch
    | While
    | Loop
    | Fork
    | s.Set
    | s.Observe
    | s.Grow
    | s.Load
    | s.Drop
    | s.Release
    | s.Run
    | s.Choose
    | s.Join
    | s.End
)

Block = tuple[Statement, ...]


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks of a statement, in text order."""
    match statement:
        case Hold() | While() | Loop() | Fork():
            return (statement.body,)
        case Branch():
            return (statement.yes, statement.no)
        case Turn():
            return (statement.server,)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel of a program's three blocks."""

    init: Block
    turn: Block
    session: Block
