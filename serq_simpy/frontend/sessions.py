"""The kernel of a program's workload and server."""

from __future__ import annotations

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.declarations import Declarations
from serq_simpy.frontend.placement import Owner, Place
from serq_simpy.frontend.problems import Problems, Refused
from serq_simpy.frontend.scope import Placed
from serq_simpy.frontend.statements import Statements
from serq_simpy.frontend.workload import WorkloadParts


def check_both(declared: Declarations) -> None:
    """A workload and a server go together. Raises `Refused`."""
    if declared.workload is not None and declared.server is None:
        raise Refused(
            declared.workload[0].span,
            "a workload needs a `server` block to handle its turns",
            "`server { }` answers each turn at once",
        )
    if declared.server is not None and declared.workload is None:
        raise Refused(
            declared.server[0].span,
            "`server` needs a `workload`: its default session is one turn",
            "write `workload { arrive …; }`",
        )


def kernel_of(
    declared: Declarations, parts: WorkloadParts, statements: Statements, problems: Problems
) -> k.Program:
    """The blocks written out; all empty where there is no workload or no server."""
    if declared.workload is None or declared.server is None:
        return k.Program((), (), ())
    workload, placed = declared.workload
    server, server_placed = declared.server
    handler = (server.body, _place("server", server_placed))
    init = _block(parts.init, _place("init", placed), statements)
    turn = _block(parts.turn, _place("turn", placed), statements)
    session = statements.block(_session(parts, workload.span), _place("session", placed, handler))
    if statements.turns == 0:
        span = workload.span if parts.session is None else parts.session.span
        with problems.catching():
            raise Refused(span, "the workload's session has no `turn;`: each turn uses the server")
    return k.Program(init, turn, session)


def _place(owner: Owner, placed: Placed, handler: tuple[s.Block, Place] | None = None) -> Place:
    return Place(owner, placed.scope, placed.above, handler)


def _block(item: s.Init | s.TurnBlock | None, place: Place, statements: Statements) -> k.Block:
    return () if item is None else statements.block(item.body.statements, place)


def _session(parts: WorkloadParts, workload: Span) -> tuple[s.Statement, ...]:
    if parts.session is not None:
        return parts.session.body.statements
    return (s.Turn(workload),)
