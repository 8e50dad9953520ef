"""Where statements stand, and those that stand where they may not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.scope import Scope

Owner = Literal["init", "turn", "session", "server"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: in whose block, what its names mean, what it stands in.

    `above` are the stages declared above the block; `handler` is the server a `turn;`
    is handled by, with its place, None outside a session. `inside` is the innermost hold
    or fork around, `depth` counts the blocks and `uses` the definitions around. `engine`
    is the one whose request it is of, if one.
    """

    owner: Owner
    scope: Scope
    above: Collection[str]
    handler: tuple[s.Block, Place] | None = None
    inside: Literal["hold", "fork"] | None = None
    depth: int = 0
    uses: int = 0
    engine: str | None = None


def check_end(span: Span, place: Place) -> None:
    """A server may refuse a request, but not while it holds anything, nor in a leg."""
    if place.engine is not None:
        raise Refused(
            span,
            "`end` in an engine's request, which is what the engine does with a request",
            "the server refuses a request, with `end;` before the call",
        )
    if place.owner != "server" or place.inside is None:
        return
    if place.inside == "hold":
        raise Refused(
            span,
            "`end` inside a `hold` in a server: the request would end while it holds what it was "
            "admitted with, before the hold releases it and caches",
            "refuse the request before the hold",
        )
    raise Refused(
        span,
        "`end` inside a `fork` in a server: a leg runs beside the request and cannot end the "
        "session it is a leg of",
    )


def misplaced_turn(span: Span, place: Place) -> Refused:
    """The refusal of a `turn;` outside of a session."""
    if place.owner == "server":
        return Refused(
            span,
            "`turn` is the session's: the next turn is the workload's decision, not the server's",
            "let the workload's `session { … }` take the next turn",
        )
    return Refused(
        span, f"`turn;` stands in the workload's session, not in its `{place.owner}` block"
    )


def misplaced(statement: s.Phase | s.Mark | s.EntryCall, place: Place, span: Span) -> Refused:
    match statement:
        case s.Phase(mode):
            return Refused(
                span,
                f"`{mode}` is the mode of a `run` on an engine, not a statement, except in an "
                "engine's `request`",
                f"write `run ENGINE {mode} (cost(ENGINE, …));`",
            )
        case s.Mark():
            return Refused(
                span,
                "`mark` is a queue entry's statement: it names a moment the caller reads",
                f"`set {statement.name} = now;` keeps the moment in an attribute",
            )
        case s.EntryCall():
            queue = walk.dotted(statement.queue)
            if place.owner != "server":
                return Refused(
                    span,
                    "queue entries belong in `server`; a session describes turns with `turn;`",
                )
            return Refused(span, f"`{queue}.{statement.verb}`: no queue `{queue}` is declared")
