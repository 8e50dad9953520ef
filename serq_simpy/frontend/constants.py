"""Constants: what `let` names, and the value of an expression of constants."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Refused, did_you_mean
from serq_simpy.frontend.signs import BINARY, FUNCTIONS, UNARY
from serq_simpy.frontend.sizes import MOST_PARTS, too_large
from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.depth import EXPRESSION_DEPTH
from serq_simpy.ir.vocabulary import FUNCTION_ARGUMENTS


@dataclass(slots=True)
class Constants:
    """The constants so far, by name; `overridden` are those a value from outside shapes."""

    values: dict[str, float] = field(default_factory=dict)
    overridden: set[str] = field(default_factory=set)

    def evaluate(self, expr: s.Expr) -> float:
        """The value of a constant expression that is written out; it may be NaN.

        Raises `Refused` where it reads anything but constants.
        """
        evaluation = _Evaluation(self.values)
        value = constant(evaluation.expr(expr))
        if value is None:
            raise evaluation.refusals[0]
        return value

    def depends_on_override(self, expr: s.Expr) -> str | None:
        """A name the expression reads whose value comes from outside, or None."""
        return next((name for name in walk.names(expr) if name in self.overridden), None)

    def define(self, name: str, value: float, overridden: bool) -> None:
        self.values[name] = value
        if overridden:
            self.overridden.add(name)
        else:
            self.overridden.discard(name)


class _Evaluation:
    """One constant expression on its way to numbers.

    What a test leaves out may be no constant, so names are refused only at the end.
    """

    def __init__(self, values: dict[str, float]) -> None:
        self.refusals: list[Refused] = []
        self._values = values
        self._depth = 0
        self._parts = 0

    def expr(self, expr: s.Expr) -> ir.Expr:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise too_large(expr)
        self._depth += 1
        if self._depth > EXPRESSION_DEPTH:
            raise Refused(expr.span, f"the expression is more than {EXPRESSION_DEPTH} levels deep")
        number = self._expr(expr)
        self._depth -= 1
        return number

    def _expr(self, expr: s.Expr) -> ir.Expr:
        match expr:
            case s.Number(value):
                return ir.Num(value)
            case s.Reference():
                return self._name(expr)
            case s.Unary(op, operand):
                return ir.Unary(UNARY[op], self.expr(operand))
            case s.Binary(op, left, right):
                return ir.Binary(BINARY[op], self.expr(left), self.expr(right))
            case s.Choice(test, yes, no):
                return ir.Cond(self.expr(test), self.expr(yes), self.expr(no))
            case s.Call():
                return self._call(expr)
            case s.Draw():
                raise Refused(expr.span, "a constant cannot sample")
            case s.Aggregate():
                raise AssertionError("aggregates are written out before constants are evaluated")

    def _name(self, expr: s.Reference) -> ir.Expr:
        name = walk.dotted(expr)
        value = math.inf if name == "inf" else self._values.get(name)
        if value is not None and expr.index is None:
            return ir.Num(value)
        if expr.name == "args" and expr.fields:
            raise Refused(
                expr.span,
                f"std/args has no function `{'.'.join(expr.fields)}`",
                'an input is `let NAME = args.number("name", default);`',
            )
        help = did_you_mean(
            name, self._values, "a constant reads numbers and the constants above it"
        )
        self.refusals.append(Refused(expr.span, f"`{name}` is not a constant", help))
        return ir.Ctx("Now")

    def _call(self, expr: s.Call) -> ir.Expr:
        if expr.name == "blocksize":
            raise Refused(
                expr.span,
                "`blocksize` is not a constant: in a constant position (a `let`, `cap`, `block`, "
                "an array size, a rate) name the value with a `let` both use",
            )
        function = FUNCTIONS.get(expr.name)
        kinds = FUNCTION_ARGUMENTS[function] if function is not None else ()
        if function is None or kinds != ("number",) * len(expr.args):
            raise Refused(
                expr.span,
                f"`{expr.name}` with {len(expr.args)} argument(s) is not a constant function",
            )
        return ir.Call(function, tuple([self.expr(arg) for arg in expr.args]))
