"""Writing statements out: definitions, `turn;`, the serving forms, cost records.

What comes out is the kernel. Each statement is written out by itself: one that is
refused is reported and left out, and the rest go on.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import assert_never

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import serving, walk
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.arguments import check_still, check_unassigned
from serq_simpy.frontend.definitions import Definitions
from serq_simpy.frontend.expressions import Expressions, called
from serq_simpy.frontend.holds import assignments, bindings, written
from serq_simpy.frontend.names import Names, too_early
from serq_simpy.frontend.placement import Place, check_end, misplaced, misplaced_turn
from serq_simpy.frontend.problems import AlreadyTold, Problems, Refused, TooLarge, did_you_mean
from serq_simpy.frontend.requests import Requests, plain, within
from serq_simpy.ir.depth import BLOCK_DEPTH

_MOST_STATEMENTS = 100_000
_DEEPEST_USES = 1_000


@dataclass(slots=True)
class Declared:
    """The names that statements declare, in the order written out."""

    assigned: list[tuple[str, Span]] = field(default_factory=list)
    observed: list[tuple[str, Span]] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    costs: list[tuple[str, Span]] = field(default_factory=list)


class Statements:
    """Writes out the statements of one program.

    `declared` has the names met; `supplied_tool` is the workload's first `tool` that
    no declared stage serves, `turns` how many `turn;` the session has.
    """

    def __init__(
        self,
        names: Names,
        definitions: Definitions,
        expressions: Expressions,
        problems: Problems,
        requests: Requests,
    ) -> None:
        self.declared = Declared()
        self.supplied_tool: Span | None = None
        self.turns = 0
        self._names = names
        self._definitions = definitions
        self._expressions = expressions
        self._problems = problems
        self._requests = requests
        self._count = 0

    def block(self, statements: tuple[s.Statement, ...], place: Place) -> k.Block:
        """The kernel of a block; what is refused in it goes to the problems."""
        out: list[k.Statement] = []
        for statement in statements:
            with self._problems.catching():
                self._count_statement(statement, place)
                try:
                    out += self._statement(statement, place)
                except (Refused, AlreadyTold):
                    self._note_names(statement, place)
                    raise
        return tuple(out)

    def _note_names(self, refused: s.Statement, place: Place) -> None:
        """Enter what a refused statement declares: elsewhere its names are known."""
        at = place.scope.at
        for statement in walk.statements(s.Block((refused,), refused.span)):
            match statement:
                case s.Set() | s.CostRecord() | s.Choose():
                    self.declared.assigned.append((statement.name, at(statement.name_span)))
                case s.Observe():
                    self.declared.observed.append((statement.name, at(statement.name_span)))
                case _:
                    pass

    def _count_statement(self, statement: s.Statement, place: Place) -> None:
        self._count += 1
        if self._count > _MOST_STATEMENTS:
            raise TooLarge(
                place.scope.at(statement.span),
                "the program is too large: its definitions and turns write out "
                f"more than {_MOST_STATEMENTS} statements",
            )

    def _inner(self, block: s.Block, place: Place) -> k.Block:
        if place.depth >= BLOCK_DEPTH:
            raise Refused(
                place.scope.at(block.span),
                f"more than {BLOCK_DEPTH} blocks stand in one another, written out",
            )
        return self.block(block.statements, replace(place, depth=place.depth + 1))

    def _expr(self, expr: s.Expr, place: Place) -> s.Expr:
        return self._expressions.expression(expr, place.scope)

    def _ref(self, reference: s.Reference, place: Place) -> s.Reference:
        return self._expressions.reference(reference, place.scope)

    def _statement(self, statement: s.Statement, place: Place) -> list[k.Statement]:
        at = place.scope.at
        span = at(statement.span)
        match statement:
            case s.Turn():
                return [self._turn(span, place)]
            case s.Set() | s.CostRecord() | s.Observe() | s.Choose():
                return self._naming(statement, place)
            case s.Hold():
                return [self._hold(statement, place)]
            case s.Grow(pool, amount):
                return [s.Grow(self._ref(pool, place), self._expr(amount, place), span)]
            case s.Load(pool, amount):
                return [s.Load(self._ref(pool, place), self._expr(amount, place), span)]
            case s.Drop(pool):
                return [s.Drop(self._ref(pool, place), span)]
            case s.Release(pool):
                return [s.Release(self._ref(pool, place), span)]
            case s.Run():
                return [self._run(statement, place)]
            case s.Tool() | s.Transfer():
                return self._serving(statement, place)
            case s.Branch() | s.While() | s.Loop() | s.Fork():
                return [self._control(statement, place)]
            case s.Join():
                return [s.Join(span)]
            case s.End():
                check_end(span, place)
                return [s.End(span)]
            case s.Invoke():
                return self._invoke(statement, place)
            case s.Phase() | s.Mark() if place.engine is not None:
                return self._statement(plain(statement, place.engine), place)
            case s.Phase() | s.Mark() | s.EntryCall():
                raise misplaced(statement, place, span)
            case _:
                assert_never(statement)

    # ------------------------------------------------------------ turn, names

    def _turn(self, span: Span, place: Place) -> k.Turn:
        if place.handler is None:
            raise misplaced_turn(span, place)
        self.turns += 1
        server, where = place.handler
        return k.Turn(self.block(server.statements, where), span)

    def _naming(
        self, statement: s.Set | s.CostRecord | s.Observe | s.Choose, place: Place
    ) -> list[k.Statement]:
        at = place.scope.at
        span, name_span = at(statement.span), at(statement.name_span)
        name = statement.name
        match statement:
            case s.Observe(_, value):
                self.declared.observed.append((name, name_span))
                return [s.Observe(name, self._expr(value, place), span, name_span)]
            case s.CostRecord():
                self.declared.assigned.append((name, name_span))
                return self._cost_record(statement, place)
            case s.Choose(_, count, keys):
                self.declared.assigned.append((name, name_span))
                key_exprs = tuple([self._expr(key, place) for key in keys])
                return [s.Choose(name, self._expr(count, place), key_exprs, span, name_span)]
            case s.Set(kind, _, value):
                self._check_kind(statement, place)
                self.declared.assigned.append((name, name_span))
                if kind == "Cost":
                    self.declared.costs.append((name, name_span))
                return [s.Set(kind, name, self._expr(value, place), span, name_span)]

    def _check_kind(self, statement: s.Set, place: Place) -> None:
        if statement.kind == "Size" and place.owner == "server":
            raise Refused(
                place.scope.at(statement.name_span),
                "a server cannot declare a request Size; calculate a separate value or Cost",
                f"`set {statement.name} = …;` calculates a value",
            )

    def _cost_record(self, record: s.CostRecord, place: Place) -> list[k.Statement]:
        span, name_span = place.scope.at(record.span), place.scope.at(record.name_span)
        sets: dict[str, k.Statement] = {}
        for field_name, value in record.fields:
            resource = self._ref(field_name, place)
            if resource.index is not None:
                raise Refused(
                    place.scope.at(field_name.span),
                    "a Cost field names a resource family without a member index",
                )
            of = walk.dotted(resource)
            if of in sets:
                raise Refused(
                    place.scope.at(field_name.span), f"Cost `{record.name}` repeats resource `{of}`"
                )
            amount = self._expr(value, place)
            cost = s.Call("cost", (resource, amount), amount.span)
            sets[of] = s.Set("Cost", f"{record.name}.{of}", cost, span, name_span)
        return list(sets.values())

    # ------------------------------------------------------------------ holds

    def _hold(self, hold: s.Hold, place: Place) -> k.Hold:
        for binding in hold.bindings:
            self._names.declare(binding.name, "binding", place.scope.at(binding.span))
            self.declared.bound.add(binding.name)
        bound = bindings(hold, place.scope, self._expressions)

        def header(expr: s.Expr | None) -> s.Expr | None:
            return None if expr is None else self._header(expr, bound, place)

        requests = [
            s.HoldRequest(
                self._ref(request.pool, place),
                self._header(request.units, bound, place),
                header(request.reserve),
                place.scope.at(request.span),
            )
            for request in hold.requests
        ]
        body = self._inner(hold.body, replace(place, inside="hold"))
        lease = hold.lease
        native = None if place.engine is None else place.scope.use
        return k.Hold(
            tuple(requests),
            header(hold.reuse),
            (*assignments(hold, place.scope, bound, body, native), *body),
            header(hold.cache),
            None
            if lease is None
            else (self._ref(lease[0], place), self._header(lease[1], bound, place)),
            frozenset(bound),
            place.scope.at(hold.span),
        )

    def _header(self, expr: s.Expr, bound: dict[str, s.Expr], place: Place) -> s.Expr:
        return written(self._expr(expr, place), bound, self._expressions)

    # ------------------------------------------------------- runs and control

    def _run(self, run: s.Run, place: Place) -> s.Run:
        span = place.scope.at(run.span)
        if not run.stages:
            raise Refused(span, "`run` names a stage: `run STAGE (…)`")
        growing = None if run.growing is None else self._ref(run.growing, place)
        stages = tuple([self._ref(stage, place) for stage in run.stages])
        return s.Run(stages, run.mode, self._expr(run.work, place), growing, span)

    def _serving(self, form: s.Tool | s.Transfer, place: Place) -> list[k.Statement]:
        above = place.above
        for stage in form.on:
            name = walk.dotted(self._ref(stage, place))
            if name not in above:
                raise Refused(
                    place.scope.at(stage.span),
                    f"no stage `{name}` is declared above",
                    did_you_mean(name, above, "declare the stage above this form"),
                )
        if isinstance(form, s.Transfer):
            plain = serving.transfer(form, above)
        else:
            if place.owner == "session" and form.index is None and not form.on:
                above = self._with_tool(place.scope.at(form.span), above)
            plain = serving.tool(form, above)
        return [out for statement in plain for out in self._statement(statement, place)]

    def _with_tool(self, span: Span, above: Collection[str]) -> Collection[str]:
        """The stages above, and the workload's own `tool` when none is declared."""
        if "tool" in above:
            return above
        if self.supplied_tool is None:
            self.supplied_tool = span
        return (*above, "tool")

    def _control(
        self, statement: s.Branch | s.While | s.Loop | s.Fork, place: Place
    ) -> k.Branch | k.While | k.Loop | k.Fork:
        span = place.scope.at(statement.span)
        match statement:
            case s.Branch(test, yes, no, draw):
                test = self._expr(test, place)
                if draw:
                    test = s.Draw("bernoulli", (test,), test.span)
                yes_block = self._inner(yes, place)
                return k.Branch(test, yes_block, () if no is None else self._inner(no, place), span)
            case s.While(test, body):
                return k.While(self._expr(test, place), self._inner(body, place), span)
            case s.Loop(body):
                return k.Loop(self._inner(body, place), span)
            case s.Fork(body):
                return k.Fork(self._inner(body, replace(place, inside="fork")), span)

    # ------------------------------------------------------------ definitions

    def _invoke(self, statement: s.Invoke, place: Place) -> list[k.Statement]:
        span = place.scope.at(statement.span)
        name = called(statement.name, place.scope)
        definition = self._definitions.find(name, place.scope.before)
        if definition is None:
            if name in self._requests.engines:
                return self._request(name, statement, place)
            if self._names.kind(name) == "engine":
                raise AlreadyTold
            raise self._unknown_statement(name, span)
        if not isinstance(definition.body, s.Block):
            raise Refused(span, f"`{name}` is an expression, not statements")
        if place.uses >= _DEEPEST_USES:
            raise Refused(span, f"more than {_DEEPEST_USES} definitions use one another here")
        args = tuple([self._expr(arg, place) for arg in statement.args])
        scope = self._expressions.body_scope(definition, args, span, place.scope)
        check_still(definition, args, span)
        inner = replace(place, scope=scope, uses=place.uses + 1)
        body = self.block(definition.body.statements, inner)
        check_unassigned(definition, args, body, span)
        return list(body)

    def _request(self, name: str, call: s.Invoke, place: Place) -> list[k.Statement]:
        """An engine's request, in the place of its call."""
        span = place.scope.at(call.span)
        if place.owner != "server":
            raise Refused(
                span, f"`{name} (…)` calls engine `{name}`'s request, which a `server` does"
            )
        request = self._requests.of_call(name, place, span)
        args = tuple([self._expr(arg, place) for arg in call.args])
        scope = request.scope(args, self._expressions, span)
        inner = replace(place, uses=place.uses + 1)
        return list(self.block(request.statements, within(request, scope, inner)))

    def _unknown_statement(self, name: str, span: Span) -> Refused:
        if self._definitions.get(name) is not None:
            return too_early(name, self._names, span)
        help = did_you_mean(name, self._definitions.names(), None)
        return Refused(span, f"unknown statement `{name}`", help)
