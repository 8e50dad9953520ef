"""What the language has and this version does not run yet: refused, never guessed."""

from __future__ import annotations

from collections.abc import Iterator

from serq_simpy.errors import Diagnostic, LinkError
from serq_simpy.ir import model as ir
from serq_simpy.ir.spans import Spans


def refuse_unbuilt(program: ir.Program, spans: Spans) -> None:
    """Raise `LinkError` with everything in the program that this version cannot run."""
    found = list(_unbuilt(program, spans))
    if found:
        raise LinkError(found)


def _unbuilt(program: ir.Program, spans: Spans) -> Iterator[Diagnostic]:
    for block, statements in enumerate(program.blocks):
        for index, statement in enumerate(statements):
            what = _statement(statement)
            if what is not None:
                yield _diagnostic(what, spans.statements.get((block, index)))


def _statement(statement: ir.Statement) -> str | None:
    match statement:
        case ir.Fork() | ir.Join():
            return "`fork` and `join` make legs of a request"
        case _:
            return None


def _diagnostic(what: str, span: object) -> Diagnostic:
    return Diagnostic(f"{what}, which this version of serq_simpy does not run yet", span)  # type: ignore[arg-type]
