"""The items of a workload, each once; of two of a kind the later counts."""

from __future__ import annotations

from dataclasses import dataclass

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.problems import Problems, Refused


@dataclass(slots=True)
class WorkloadParts:
    """A workload taken apart; what is not written is None or empty."""

    arrive: s.Arrive | None = None
    trace: s.Trace | None = None
    init: s.Init | None = None
    turn: s.TurnBlock | None = None
    session: s.SessionBlock | None = None
    hidden: tuple[tuple[str, Span], ...] = ()


def take_apart(workload: s.Workload, problems: Problems) -> WorkloadParts:
    """The parts of a workload, with a warning for each that a later one replaces."""
    parts = WorkloadParts()
    for item in workload.items:
        with problems.catching():
            _take(parts, item, problems)
    return parts


def _take(parts: WorkloadParts, item: s.WorkloadItem, problems: Problems) -> None:
    match item:
        case s.Arrive():
            _replaced("arrive", parts.arrive, item.span, problems)
            parts.arrive = item
        case s.Trace():
            _replaced("trace", parts.trace, item.span, problems)
            parts.trace = item
        case s.Init():
            _replaced("init", parts.init, item.span, problems)
            parts.init = item
        case s.TurnBlock():
            _replaced("turn", parts.turn, item.span, problems)
            parts.turn = item
        case s.SessionBlock():
            if parts.session is not None:
                raise Refused(item.span, "duplicate session in workload")
            parts.session = item
        case s.Hidden():
            parts.hidden += item.names


def _replaced(
    word: str,
    first: s.Arrive | s.Trace | s.Init | s.TurnBlock | None,
    span: Span,
    problems: Problems,
) -> None:
    if first is not None:
        problems.warn(
            span,
            f"this `{word}` replaces the one on line {first.span.line}",
            "the first is not read: remove one of them",
        )
