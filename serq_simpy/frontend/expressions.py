"""Writing expressions out: uses of definitions, parameters, aggregates.

What comes out has no use of a definition and no aggregate in it, and every name
in it means the program's. Text from a definition carries the use it came by.
"""

from __future__ import annotations

from collections.abc import Callable

from serq_simpy.errors import Span, Use
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.definitions import Definitions, times_read
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.scope import Scope
from serq_simpy.frontend.sizes import MOST_PARTS, Measured, Sizes, too_large
from serq_simpy.ir.printing import value_text

MOST_TERMS = 4096
"""The terms that a program's aggregates may write out, all together."""

_DEEPEST = 20_000


class Expressions:
    """Writes out the expressions of one program.

    `count_of` evaluates the count of an aggregate, an expression written out already.
    `indexes` are the names of the aggregates met, with their places.
    """

    def __init__(self, definitions: Definitions, count_of: Callable[[s.Expr], float]) -> None:
        self.indexes: list[tuple[str, str, Span]] = []
        self._definitions = definitions
        self._count_of = count_of
        self._sizes = Sizes()
        self._terms = 0
        self._parts = 0
        self._depth = 0

    def expression(self, expr: s.Expr, scope: Scope) -> s.Expr:
        """The expression with everything written out. Raises `Refused`."""
        self._depth = 0
        return self._expr(expr, scope)

    def reference(self, reference: s.Reference, scope: Scope) -> s.Reference:
        """A pool or stage as it is named where a parameter stands for it."""
        found = self.expression(reference, scope)
        if isinstance(found, s.Reference):
            return found
        raise Refused(
            scope.at(reference.span),
            f"`{reference.name}` stands for an expression here, where a pool or stage is named",
            "pass the name of a pool or stage for this parameter",
        )

    def measure(self, expr: s.Expr) -> Measured:
        """The measure of an expression that is written out. Raises `TooLarge`."""
        return self._sizes.measure(expr)

    def _expr(self, expr: s.Expr, scope: Scope) -> s.Expr:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise too_large(expr)
        if self._depth > _DEEPEST:
            raise Refused(
                scope.at(expr.span), "definitions use one another too deeply to be written out"
            )
        self._depth += 1
        written = self._write_out(expr, scope)
        self._depth -= 1
        return written

    def _write_out(self, expr: s.Expr, scope: Scope) -> s.Expr:
        span = scope.at(expr.span)
        match expr:
            case s.Number(value):
                return s.Number(value, span)
            case s.Reference():
                return self._reference(expr, scope)
            case s.Call():
                return self._call(expr, scope)
            case s.Draw(law, args):
                return s.Draw(law, self._all(args, scope), span)
            case s.Unary(op, operand):
                return s.Unary(op, self._expr(operand, scope), span)
            case s.Binary(op, left, right):
                return s.Binary(op, self._expr(left, scope), self._expr(right, scope), span)
            case s.Choice(test, yes, no):
                test = self._expr(test, scope)
                return s.Choice(test, self._expr(yes, scope), self._expr(no, scope), span)
            case s.Aggregate():
                return self._aggregate(expr, scope)

    def _all(self, exprs: tuple[s.Expr, ...], scope: Scope) -> tuple[s.Expr, ...]:
        return tuple([self._expr(e, scope) for e in exprs])

    def _reference(self, expr: s.Reference, scope: Scope) -> s.Expr:
        index = None if expr.index is None else self._expr(expr.index, scope)
        stands_for = scope.names.get(expr.name)
        if stands_for is None:
            return s.Reference(expr.name, index, expr.fields, scope.at(expr.span))
        if isinstance(stands_for, s.Number) and index is None and not expr.fields:
            return s.Number(stands_for.value, scope.at(expr.span))
        if index is None and not expr.fields:
            return stands_for
        return _extended(expr, index, stands_for, scope)

    def _call(self, expr: s.Call, scope: Scope) -> s.Expr:
        span = scope.at(expr.span)
        name = called(expr.name, scope)
        args = self._all(expr.args, scope)
        definition = scope.resources.get(name) or self._definitions.find(name, scope.before)
        if definition is None:
            return s.Call(name, args, span)
        if isinstance(definition.body, s.Block):
            raise Refused(span, f"`{name}` is statements, not an expression", f"write `{name}(…);`")
        return self._expr(definition.body, self.body_scope(definition, args, span, scope))

    def body_scope(
        self, definition: s.Definition, args: tuple[s.Expr, ...], span: Span, scope: Scope
    ) -> Scope:
        """The scope of a definition's body, used in `scope` with arguments written out."""
        name = definition.name
        if len(args) != len(definition.params):
            raise Refused(
                span, f"`{name}` takes {len(definition.params)} argument(s), got {len(args)}"
            )
        for (param, _), arg in zip(definition.params, args, strict=True):
            read = times_read(definition.body, param)
            if self.measure(arg).draws and read > 1:
                raise Refused(
                    span,
                    f"the argument for `{param}` draws, and `{name}` reads `{param}` "
                    f"{read} times: it would draw {read} times",
                    "`set` the draw first and pass the name",
                )
        names = {param: arg for (param, _), arg in zip(definition.params, args, strict=True)}
        before = scope.before if name in scope.resources else self._definitions.order(name)
        return Scope(before, names, Use(name, span), scope.resources)

    def _aggregate(self, expr: s.Aggregate, scope: Scope) -> s.Expr:
        span = scope.at(expr.span)
        form = f"{expr.kind} {expr.index} in"
        self.indexes.append((expr.index, form, span))
        count = self._count(form, span, self._expr(expr.count, scope))
        total: s.Expr | None = None
        for i in range(count):
            inner = scope.with_name(expr.index, s.Number(float(i), span))
            term = self._expr(expr.body, inner)
            total = term if total is None else _joined(expr.kind, total, term, span)
        assert total is not None
        return total

    def _count(self, form: str, span: Span, expr: s.Expr) -> int:
        count = self._count_of(expr)
        if count != count:
            raise Refused(span, f"`{form}`'s count is NaN")
        if not (count >= 1 and count == count // 1 and count < float("inf")):
            raise Refused(
                span, f"`{form}`'s count must be a positive integer, found {value_text(count)}"
            )
        self._terms += int(count)
        if self._terms > MOST_TERMS:
            raise Refused(
                span,
                f"`{form}`: the program's aggregates write out {self._terms} terms, "
                f"at most {MOST_TERMS}",
            )
        return int(count)


def called(name: str, scope: Scope) -> str:
    """The name of what is called, where a parameter may stand for it."""
    stands_for = scope.names.get(name) if scope.use is not None else None
    if isinstance(stands_for, s.Reference) and stands_for.index is None:
        return walk.dotted(stands_for)
    return name


def _extended(expr: s.Reference, index: s.Expr | None, base: s.Expr, scope: Scope) -> s.Expr:
    """`x[index].fields`, where `base` stands for `x`."""
    span = scope.at(expr.span)
    if not isinstance(base, s.Reference) or (index is not None and base.index is not None):
        raise Refused(
            span,
            f"`{expr.name}` stands for an expression here, which has no member",
            "pass the name of a pool or stage family for this parameter",
        )
    if index is None:
        index = base.index
    return s.Reference(base.name, index, (*base.fields, *expr.fields), span)


def _joined(kind: str, left: s.Expr, right: s.Expr, span: Span) -> s.Expr:
    if kind == "sum":
        return s.Binary("+", left, right, span)
    return s.Call(kind, (left, right), span)
