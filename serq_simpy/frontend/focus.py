"""Where a message about a statement points: at the part that is most likely meant."""

from __future__ import annotations

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s


def focus(statement: k.Statement) -> Span:
    """The part of a statement that decides it; of the others the whole.

    What an assignment or a test reads, the stage of a run, the pool that is acted on.
    A definition used there is pointed at by its use.
    """
    match statement:
        case s.Set() | s.Observe():
            return _as_written(statement.value.span, statement.span)
        case k.Branch() | k.While():
            return _as_written(statement.test.span, statement.span)
        case k.Hold():
            return _as_written(statement.requests[0].pool.span, statement.span)
        case s.Run():
            stage = _as_written(statement.stages[0].span, statement.span)
            return stage.to(statement.span)
        case s.Grow() | s.Load() | s.Drop() | s.Release():
            pool = _as_written(statement.pool.span, statement.span)
            return pool.to(statement.span)
        case s.Choose():
            return statement.name_span
        case _:
            return statement.span


def _as_written(part: Span, statement: Span) -> Span:
    """The place in the statement's own text of a part that may come from elsewhere."""
    while part.used_at is not statement.used_at:
        if part.used_at is None:
            return statement
        part = part.used_at.span
    return part
