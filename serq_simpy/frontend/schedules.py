"""A schedule as the IR has it: whom an iteration serves, when it admits, the cap on a run.

The plain schedule, which serves and then admits unless it preempted, is an order alone;
`exclusive prefill` is one too; any other is a body of statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.caps import NO_CAP, cap
from serq_simpy.frontend.engine_values import ClauseWord
from serq_simpy.frontend.problems import Refused
from serq_simpy.ir import model as ir

_UNLESS_PREEMPTED = ir.Unary("Not", ir.Ctx("Preempted"))
_DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule's parts of an `ir.Step`; `is_body`: it is any statements, no known form."""

    serve: tuple[ir.Expr, ...] | None
    iteration: tuple[ir.IterationStatement, ...] | None
    chunk: ir.Expr
    is_body: bool = False


def all_statements(schedule: s.Schedule) -> Iterator[s.ScheduleStatement]:
    """The statements of a schedule and of its branches, in text order."""
    stack = list(reversed(schedule.statements))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, s.ScheduleBranch):
            stack.extend(reversed(statement.yes + statement.no))


class ClauseExpressions(Protocol):
    """The expressions of one engine's clauses."""

    def written(self, expr: s.Expr, word: ClauseWord) -> s.Expr:
        """A clause's expression, written out. Raises `Refused`."""

    def lowered(self, expr: s.Expr, word: ClauseWord) -> ir.Expr:
        """The IR of a clause's expression that is written out. Raises `Refused`."""


class Schedules:
    """Lowers the schedule of one engine; `registers` are those of the program, by name."""

    def __init__(
        self,
        engine: str,
        registers: dict[str, int],
        own: frozenset[str],
        expressions: ClauseExpressions,
    ) -> None:
        self._engine = engine
        self._registers = registers
        self._own = own
        self._expressions = expressions

    def plan(self, schedule: s.Schedule) -> Planned:
        """The schedule's parts. Raises `Refused`."""
        chunk = self._chunk(schedule)
        if any(isinstance(st, s.ExclusivePrefill) for st in all_statements(schedule)):
            return self._exclusive(schedule, chunk)
        body = self._body(schedule.statements)
        match schedule.statements, body:
            case (
                (s.Advance(served), s.AdmitWaiting(admitted, gate)),
                (ir.Serve(only, by), ir.Admit()),
            ) if self._unless_preempted(gate) and self._same(served, admitted, "only"):
                if only is None:
                    return Planned(by or (), None, chunk)
                both = (ir.Serve(only), ir.Admit(only, _UNLESS_PREEMPTED))
                return Planned(by or (), both, chunk)
        return Planned((), body, chunk, is_body=True)

    def _exclusive(self, schedule: s.Schedule, chunk: ir.Expr) -> Planned:
        match schedule.statements:
            case (s.ExclusivePrefill(), s.AdmitWaiting(None, gate)) if self._unless_preempted(gate):
                return Planned(None, None, chunk)
        first = next(st for st in all_statements(schedule) if isinstance(st, s.ExclusivePrefill))
        form = "exclusive prefill; admit waiting while (running.preempted == 0);"
        raise Refused(
            first.span,
            "`exclusive prefill` takes back decodes already chosen, which a body cannot write: "
            f"its schedule is `{form}`",
            "both may have the same `each at most`, and nothing else stands beside them",
        )

    def _lower(self, expr: s.Expr, word: ClauseWord) -> ir.Expr:
        return self._expressions.lowered(self._expressions.written(expr, word), word)

    def _same(self, left: s.Expr | None, right: s.Expr | None, word: ClauseWord) -> bool:
        """Whether neither is there, or both are and are the same once they are written out."""
        if left is None or right is None:
            return left is right
        written = self._expressions.written
        return walk.same(written(left, word), written(right, word))

    def _unless_preempted(self, gate: s.Expr | None) -> bool:
        """Whether a gate is closed once the iteration has preempted, and open before."""
        if gate is None:
            return False
        match self._expressions.written(gate, "while"):
            case s.Unary("!", s.Reference() as preempted):
                return walk.dotted(preempted) == "running.preempted"
            case s.Binary("==", s.Reference() as preempted, s.Number(0.0)):
                return walk.dotted(preempted) == "running.preempted"
            case s.Binary("==", s.Number(0.0), s.Reference() as preempted):
                return walk.dotted(preempted) == "running.preempted"
            case _:
                return False

    # ------------------------------------------------------------- statements

    def _body(
        self, statements: tuple[s.ScheduleStatement, ...]
    ) -> tuple[ir.IterationStatement, ...]:
        return tuple([self._statement(statement) for statement in statements])

    def _statement(self, statement: s.ScheduleStatement) -> ir.IterationStatement:
        match statement:
            case s.Advance(only):
                return ir.Serve(self._maybe(only, "only"), self._order(statement))
            case s.AdmitWaiting(only, gate):
                return ir.Admit(self._maybe(only, "only"), self._maybe(gate, "while"))
            case s.ScheduleBranch(test, yes, no):
                guard = self._lower(test, "branch")
                return ir.IterationBranch(guard, self._body(yes), self._body(no))
            case s.ScheduleSet(_, value):
                return ir.SetRegister(self._register(statement), self._lower(value, "set"))
            case s.ExclusivePrefill():
                raise AssertionError("a schedule with `exclusive prefill` has no body")

    def _maybe(self, expr: s.Expr | None, word: ClauseWord) -> ir.Expr | None:
        return None if expr is None else self._lower(expr, word)

    def _order(self, advance: s.Advance) -> tuple[ir.Expr, ...] | None:
        match advance.order:
            case None:
                return None
            case "decode first":
                return (_DECODE_FIRST,)
            case _:
                return tuple([self._lower(key, "by") for key in advance.keys])

    def _register(self, statement: s.ScheduleSet) -> int:
        name = statement.name
        number = self._registers.get(name)
        if number is None:
            raise Refused(
                statement.name_span,
                f"engine `{self._engine}`: `set {name}` in its schedule: not one of its registers; "
                "a schedule sets a register, not a session attribute",
                f"declare it with `state {name} = …;`",
            )
        if name not in self._own:
            raise Refused(
                statement.name_span,
                f"engine `{self._engine}`: `set {name}` in its schedule: the register is another "
                "engine's; a schedule sets its own engine's",
            )
        return number

    # ------------------------------------------------------------ each at most

    def _chunk(self, schedule: s.Schedule) -> ir.Expr:
        """The one cap that all statements of the schedule write."""
        caps = list(_caps(schedule))
        first = caps[0][1] if caps else None
        for span, at_most in caps:
            if not self._same(first, at_most, "each at most"):
                raise Refused(
                    span if at_most is None else at_most.span,
                    "the schedule's `each at most` differ, or some statements have one and others "
                    "not: an iteration has one cap per run",
                    "write the same `each at most` on each statement that may have one",
                )
        for let in _unread(schedule):
            self._lower(let.value, "each at most")
        if first is None:
            return NO_CAP
        return cap(self._lower(first, "each at most"), self._engine, first.span)


def _caps(schedule: s.Schedule) -> Iterator[tuple[Span, s.Expr | None]]:
    for statement in all_statements(schedule):
        match statement:
            case s.Advance() | s.AdmitWaiting() | s.ExclusivePrefill():
                yield statement.span, statement.at_most
            case _:
                pass


def _unread(schedule: s.Schedule) -> list[s.Let]:
    """The `let`s that no `each at most` and no later `let` reads."""
    values = [at_most for _, at_most in _caps(schedule) if at_most is not None]
    read = set(walk.names(*values, *[let.value for let in schedule.lets]))
    return [let for let in schedule.lets if let.name not in read]
