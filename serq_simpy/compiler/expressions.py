"""Expressions of the IR as Python source.

Arithmetic is IEEE double arithmetic and never raises: what Python's operators would
answer with an exception is left to the functions of `ir.arithmetic`. Operands are
evaluated from left to right and an arm of `?:`, `&&`, `||` only when it is taken, which
fixes the order of draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, TypeGuard, assert_never

from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import Printer
from serq_simpy.ir.walk import children

if TYPE_CHECKING:
    from serq_simpy.compiler.writer import Writer

TALL = 24
"""The levels of an expression on one line: CPython's parser nests some 200 parentheses."""

_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*"}
_COMPARISON = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Eq": "==", "Ne": "!="}
_FUNCTIONS = {
    "Min": "least",
    "Max": "largest",
    "Abs": "abs",
    "Floor": "floor",
    "Ceil": "ceil",
    "Sqrt": "root",
    "Exp": "exponential",
    "Ln": "logarithm",
}
_LAWS = {
    "Exp": "exp",
    "Uniform": "uniform",
    "Erlang": "erlang",
    "H2": "h2",
    "Bernoulli": "bernoulli",
}
_STAGE_QUERIES = {"Queue": ".present", "Busy": ".busy", "Work": ".work()"}
_ESTIMATES = {"EstLambda": "rate()", "EstRho": "load()", "EstWait": "wait()"}
_POOL_QUERIES = {
    "Used": ".used",
    "Free": ".free",
    "Holders": ".holders",
    "Queued": ".queued",
}
ESTIMATING = frozenset({*_ESTIMATES, "Price"})
"""The functions for which a stage must keep an estimator."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the parts of an expression are called in the function being written.

    `attrs` is the list of attributes, `customer` who reads; `context` has the code of each
    context variable there is; `stream` is what draws read.
    """

    pools: Sequence[str]
    stages: Sequence[str]
    families: Families
    attrs: str = "a"
    customer: str = "me"
    stream: str = "u"
    context: Mapping[str, str] = field(default_factory=dict)


class Families:
    """Tuples of a family's members, for references whose index is computed."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._tuples: dict[str, str] = {}

    def member(
        self, members: Sequence[str], ref: ir.PoolRef | ir.StageRef, index: str, where: str
    ) -> str:
        """The code of the member that the index names; `where` says who reads it."""
        assert ref.index is not None
        code = f"({', '.join(members)},)"
        name = self._tuples.setdefault(code, f"family{len(self._tuples)}")
        text = self._printer.expression(ref.index)
        return f"member({name}, {index}, {text!r}{where})"

    def lines(self) -> list[str]:
        """The assignments of all tuples that were used."""
        return [f"{name} = {code}" for code, name in self._tuples.items()]


def number(value: float) -> str:
    """A number as Python source; `inf` and `nan` are names of the module written."""
    if isnan(value):
        return "nan"
    if isinf(value):
        return "inf" if value > 0 else "(-inf)"
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def heights(expr: ir.Expr | ir.PoolRef | ir.StageRef) -> dict[int, int]:
    """The levels of every part of an expression, by the part's identity."""
    known: dict[int, int] = {}
    stack: list[tuple[ir.Expr | ir.PoolRef | ir.StageRef, bool]] = [(expr, False)]
    while stack:
        part, seen = stack.pop()
        if seen:
            known[id(part)] = 1 + max([known[id(child)] for child in children(part)], default=0)
        elif id(part) not in known:
            stack.append((part, True))
            stack.extend((child, False) for child in children(part))
    return known


class Expressions:
    """Writes expressions into one function, under the names in force there.

    `value` and `test` return Python source to use in a line written right after the call.
    A tall expression is spread over assignments to temporaries, which are written at once.
    """

    def __init__(self, writer: Writer, names: Names) -> None:
        self._writer = writer
        self._names = names
        self._heights: dict[int, int] = {}
        self.where = ""
        """Further arguments for messages: the customer and the statement, if there is one."""

    def value(self, expr: ir.Expr) -> str:
        """The number the expression is."""
        self._heights = heights(expr)
        return self._value(expr)

    def test(self, expr: ir.Expr) -> str:
        """Something that is true in Python where the expression is not zero."""
        self._heights = heights(expr)
        return self._test(expr)

    def place(self, ref: ir.PoolRef | ir.StageRef) -> str:
        """The pool or stage that a reference names."""
        self._heights = heights(ref)
        return self._place(ref)

    # ------------------------------------------------------------ short ones

    def _tall(self, part: ir.Expr | ir.PoolRef | ir.StageRef) -> bool:
        return self._heights[id(part)] > TALL

    def _value(self, expr: ir.Expr) -> str:
        if self._tall(expr):
            return self._spread(expr)
        match expr:
            case ir.Num(value):
                return number(value)
            case ir.Attr(slot):
                return f"{self._names.attrs}[{slot}]"
            case ir.Reg(register):
                return f"registers[{register}]"
            case ir.Ctx(variable):
                return self._names.context[variable]
            case ir.Cost(_, value):
                return self._value(value)
            case ir.Unary("Neg", operand):
                return f"(-{self._value(operand)})"
            case ir.Unary() | ir.Binary("And" | "Or"):
                return f"(1.0 if {self._test(expr)} else 0.0)"
            case ir.Binary(op, left, right):
                return self._binary(op, self._value(left), self._value(right))
            case ir.Cond(test, yes, no):
                return f"({self._value(yes)} if {self._test(test)} else {self._value(no)})"
            case ir.Sample(law, args):
                return self._draw(law, [self._value(arg) for arg in args])
            case ir.Call(function, args):
                return self._call(function, args)
            case ir.Agg(aggregate, observe):
                return f"aggregates({observe}).{_AGGREGATES[aggregate]}"
            case _:
                assert_never(expr)

    def _binary(self, op: str, left: str, right: str) -> str:
        if op in _ARITHMETIC:
            return f"({left} {_ARITHMETIC[op]} {right})"
        if op in _COMPARISON:
            return f"(1.0 if {left} {_COMPARISON[op]} {right} else 0.0)"
        if op == "Div":
            return f"({left} / {right})" if _is_divisor(right) else f"divide({left}, {right})"
        return f"power({left}, {right})"

    def _test(self, expr: ir.Expr) -> str:
        if self._tall(expr):
            return self._spread(expr)
        match expr:
            case ir.Unary("Not", operand):
                return f"(not {self._test(operand)})"
            case ir.Binary("And", left, right):
                return f"({self._test(left)} and {self._test(right)})"
            case ir.Binary("Or", left, right):
                return f"({self._test(left)} or {self._test(right)})"
            case ir.Binary(op, left, right) if op in _COMPARISON:
                return f"({self._value(left)} {_COMPARISON[op]} {self._value(right)})"
            case _:
                return self._value(expr)

    def _draw(self, law: str, args: Sequence[str]) -> str:
        stream = self._names.stream
        if law == "Det":
            return args[0]
        if law == "Exp":
            return f"((-{args[0]}) * log(1.0 - next({stream})))"
        return f"{_LAWS[law]}({', '.join(args)}, {stream})"

    def _call(self, function: str, args: Sequence[ir.Expr | ir.PoolRef | ir.StageRef]) -> str:
        if function in _FUNCTIONS:
            values = [self._value(arg) for arg in args if _is_expr(arg)]
            return f"{_FUNCTIONS[function]}({', '.join(values)})"
        place = self._place(args[0])
        if function in _STAGE_QUERIES:
            return place + _STAGE_QUERIES[function]
        if function in _POOL_QUERIES:
            return place + _POOL_QUERIES[function]
        if function == "CachedIn":
            customer = self._names.customer
            return f"{place}.cache.own({customer}.serial)" if customer else "0.0"
        if function in _ESTIMATES:
            return f"{place}.estimator.{_ESTIMATES[function]}"
        if function == "Price":
            h, d = [self._value(arg) for arg in args[1:] if _is_expr(arg)]
            return f"{place}.estimator.price({h}, {d})"
        return f"{place}.budget_left()"

    def _place(self, ref: ir.Expr | ir.PoolRef | ir.StageRef) -> str:
        assert isinstance(ref, ir.PoolRef | ir.StageRef)
        names = self._names.pools if isinstance(ref, ir.PoolRef) else self._names.stages
        if ref.index is None:
            return names[ref.base]
        if isinstance(ref.index, ir.Num):
            return names[ref.base + int(ref.index.value)]
        members = names[ref.base : ref.base + ref.count]
        return self._names.families.member(members, ref, self._value(ref.index), self.where)

    # ------------------------------------------------------------- tall ones

    def _spread(self, expr: ir.Expr) -> str:
        """Assign the operands to temporaries in their order, then combine the names."""
        match expr:
            case ir.Cost(_, value):
                return self._value(value)
            case ir.Cond(test, yes, no):
                return self._spread_choice(self._test(test), yes, no)
            case ir.Binary("And", left, right):
                return self._spread_logical(left, right, decided="0.0")
            case ir.Binary("Or", left, right):
                return self._spread_logical(left, right, decided="1.0")
            case ir.Unary("Neg", operand):
                return self._writer.temporary(f"-{self._value(operand)}")
            case ir.Unary(_, operand):
                return self._writer.temporary(f"0.0 if {self._test(operand)} else 1.0")
            case ir.Binary(op, left, right):
                code = self._binary(op, self._named(left), self._named(right))
                return self._writer.temporary(code)
            case ir.Sample(law, args):
                names = [self._named(arg) for arg in args]
                return self._writer.temporary(self._draw(law, names))
            case ir.Call(function, args) if function in _FUNCTIONS:
                names = [self._named(arg) for arg in args if _is_expr(arg)]
                return self._writer.temporary(f"{_FUNCTIONS[function]}({', '.join(names)})")
            case ir.Call(function, args):
                return self._writer.temporary(self._call(function, args))
            case _:
                raise AssertionError("a leaf is not tall")

    def _named(self, expr: ir.Expr) -> str:
        code = self._value(expr)
        return code if code.isidentifier() else self._writer.temporary(code)

    def _spread_choice(self, test: str, yes: ir.Expr, no: ir.Expr) -> str:
        result = self._writer.temporary("0.0")
        with self._writer.block(f"if {test}:"):
            self._writer.line(f"{result} = {self._value(yes)}")
        with self._writer.block("else:"):
            self._writer.line(f"{result} = {self._value(no)}")
        return result

    def _spread_logical(self, left: ir.Expr, right: ir.Expr, decided: str) -> str:
        result = self._writer.temporary(decided)
        left_code = self._test(left)
        with self._writer.block(f"if {'not ' if decided == '1.0' else ''}{left_code}:"):
            self._writer.line(f"{result} = 1.0 if {self._test(right)} else 0.0")
        return result


_AGGREGATES = {
    "Total": "total",
    "Count": "count",
    "Largest": "largest",
    "Smallest": "smallest",
    "PrefixTotal": "prefix_total",
}


def _is_expr(part: ir.Expr | ir.PoolRef | ir.StageRef) -> TypeGuard[ir.Expr]:
    return not isinstance(part, ir.PoolRef | ir.StageRef)


def _is_divisor(code: str) -> bool:
    """Whether the source is a number by which Python divides without an exception."""
    try:
        return float(code.strip("()")) not in (0.0, inf)
    except ValueError:
        return False
