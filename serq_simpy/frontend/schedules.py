"""A schedule as the IR has it: whom an iteration serves, when it admits, the cap on a run.

The plain schedule, which serves and then admits unless it preempted, is an order alone;
`exclusive prefill` is one too; any other is a body of statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.caps import NO_CAP, cap
from serq_simpy.frontend.engine_values import ClauseWord
from serq_simpy.frontend.problems import Refused
from serq_simpy.ir import model as ir
from serq_simpy.ir.walk import same

Lower = Callable[[s.Expr, ClauseWord], ir.Expr]
"""Lowers an expression of a clause. Raises `Refused`."""

_UNLESS_PREEMPTED = ir.Unary("Not", ir.Ctx("Preempted"))
_DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule's parts of an `ir.Step`."""

    serve: tuple[ir.Expr, ...] | None
    iteration: tuple[ir.IterationStatement, ...] | None
    chunk: ir.Expr


def all_statements(schedule: s.Schedule) -> Iterator[s.ScheduleStatement]:
    """The statements of a schedule and of its branches, in text order."""
    stack = list(reversed(schedule.statements))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, s.ScheduleBranch):
            stack.extend(reversed(statement.yes + statement.no))


class Schedules:
    """Lowers the schedule of one engine; `registers` are those of the program, by name."""

    def __init__(
        self, engine: str, registers: dict[str, int], own: frozenset[str], lower: Lower
    ) -> None:
        self._engine = engine
        self._registers = registers
        self._own = own
        self._lower = lower

    def plan(self, schedule: s.Schedule) -> Planned:
        """The schedule's parts. Raises `Refused`."""
        chunk = self._chunk(schedule)
        if any(isinstance(st, s.ExclusivePrefill) for st in all_statements(schedule)):
            return self._exclusive(schedule, chunk)
        body = self._body(schedule.statements)
        match body:
            case (ir.Serve(None, by), ir.Admit(None, gate)) if _unless_preempted(gate):
                return Planned(by or (), None, chunk)
            case (ir.Serve(ir_only, by), ir.Admit(admit_only, gate)) if _unless_preempted(
                gate
            ) and _both(ir_only, admit_only):
                both = (ir.Serve(ir_only), ir.Admit(admit_only, _UNLESS_PREEMPTED))
                return Planned(by or (), both, chunk)
        return Planned((), body, chunk)

    def _exclusive(self, schedule: s.Schedule, chunk: ir.Expr) -> Planned:
        match schedule.statements:
            case (s.ExclusivePrefill(), s.AdmitWaiting(None, s_gate)) if s_gate is not None:
                if _unless_preempted(self._lower(s_gate, "while")):
                    return Planned(None, None, chunk)
        first = next(st for st in all_statements(schedule) if isinstance(st, s.ExclusivePrefill))
        form = "exclusive prefill; admit waiting while (running.preempted == 0);"
        raise Refused(
            first.span,
            "`exclusive prefill` takes back decodes already chosen, which a body cannot write: "
            f"its schedule is `{form}`",
            "both may have the same `each at most`, and nothing else stands beside them",
        )

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
        written: s.Expr | None = None
        lowered: ir.Expr | None = None
        for number, (span, at_most) in enumerate(_caps(schedule)):
            found = self._maybe(at_most, "each at most")
            if number == 0:
                written, lowered = at_most, found
            elif not _both(lowered, found) and (lowered is not None or found is not None):
                raise Refused(
                    span if at_most is None else at_most.span,
                    "the schedule's `each at most` differ, or some statements have one and others "
                    "not: an iteration has one cap per run",
                    "write the same `each at most` on each statement that may have one",
                )
        for let in _unread(schedule):
            self._lower(let.value, "each at most")
        if written is None or lowered is None:
            return NO_CAP
        return cap(lowered, self._engine, written.span)


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


def _unless_preempted(gate: ir.Expr | None) -> bool:
    """Whether a gate is closed once the iteration has preempted, and open before."""
    match gate:
        case ir.Unary("Not", ir.Ctx("Preempted")):
            return True
        case ir.Binary("Eq", ir.Ctx("Preempted"), ir.Num(0.0)):
            return True
        case ir.Binary("Eq", ir.Num(0.0), ir.Ctx("Preempted")):
            return True
        case _:
            return False


def _both(left: ir.Expr | None, right: ir.Expr | None) -> bool:
    """Whether both are there, and written the same."""
    return left is not None and right is not None and same(left, right)
