"""References, expressions and statements as the text of a program, for messages.

Parentheses stand only where the grammar needs them. Run deep expressions under
`depth.deep()`.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite, isinf, isnan
from typing import assert_never

from serq_simpy.ir import model as ir
from serq_simpy.ir.vocabulary import (
    AGGREGATE_WORDS,
    BINARY_SIGNS,
    COMPARISONS,
    CONTEXT_WORDS,
    FUNCTION_WORDS,
    LAW_WORDS,
    UNARY_SIGNS,
)

# How tightly the forms bind, loosest first.
_CHOICE, _OR, _AND, _COMPARISON, _SUM, _PRODUCT, _UNARY, _POWER, _PRIMARY = range(9)

_LEVELS = {"Or": _OR, "And": _AND, "Add": _SUM, "Sub": _SUM, "Mul": _PRODUCT, "Div": _PRODUCT}
_LEVELS |= dict.fromkeys(COMPARISONS, _COMPARISON)

_Primary = ir.Attr | ir.Reg | ir.Ctx | ir.Sample | ir.Call | ir.Cost | ir.Agg

_WHOLE = 1e15
_DIGITS = 12


def value_text(value: float) -> str:
    """A value that a run or a rule met: all its digits, no exponent; `NaN`, `inf`, `-inf`."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "inf" if value > 0 else "-inf"
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")


def number_text(value: float) -> str:
    """A number as a program would write it: whole or short, to 12 digits."""
    if not isfinite(value):
        return value_text(value)
    if value == int(value) and abs(value) < _WHOLE:
        return str(int(value))
    if value != int(value):
        value = float(f"{value:.{_DIGITS}g}")
    plain = value_text(value)
    digits, exponent = f"{Decimal(repr(value)).normalize():e}".split("e")
    scientific = f"{digits}e{int(exponent)}"
    return scientific if len(scientific) < len(plain) else plain


class Printer:
    """Writes the parts of one program in the program's names."""

    def __init__(self, program: ir.Program) -> None:
        self._program = program

    def attribute(self, slot: int) -> str:
        """The name of an attribute."""
        return self._program.attrs[slot]

    def pool(self, number: int) -> str:
        """The name of a pool's family."""
        return self._program.pools[number].name

    def stage(self, number: int) -> str:
        """The name of a stage's family."""
        return self._program.stages[number].name

    def reference(self, ref: ir.PoolRef | ir.StageRef) -> str:
        """`kv`, or `kv[j]` where an index is written."""
        name = self.pool(ref.base) if isinstance(ref, ir.PoolRef) else self.stage(ref.base)
        return name if ref.index is None else f"{name}[{self.expression(ref.index)}]"

    def resource(self, resource: ir.Resource) -> str:
        """The families of a cost, separated by commas."""
        match resource:
            case ir.PoolFamily(base, _):
                return self.pool(base)
            case ir.StageFamily(base, _):
                return self.stage(base)
            case ir.Joint(parts):
                return ", ".join([self.resource(part) for part in parts])
            case _:
                assert_never(resource)

    def expression(self, expr: ir.Expr) -> str:
        """The expression with the parentheses it needs, none around it."""
        return self._at_least(_CHOICE, expr)

    def _at_least(self, level: int, expr: ir.Expr) -> str:
        own, text = self._leveled(expr)
        return text if own >= level else f"({text})"

    def _leveled(self, expr: ir.Expr) -> tuple[int, str]:
        """How tightly the expression binds, and its text."""
        match expr:
            case ir.Num(value):
                return (_PRODUCT if value < 0 else _PRIMARY), number_text(value)
            case ir.Binary():
                return self._binary(expr)
            case ir.Unary(op, operand):
                return _UNARY, UNARY_SIGNS[op] + self._at_least(_UNARY, operand)
            case ir.Cond(test, yes, no):
                arms = f"{self.expression(yes)} : {self.expression(no)}"
                return _CHOICE, f"{self._at_least(_OR, test)} ? {arms}"
            case _:
                return _PRIMARY, self._primary(expr)

    def _binary(self, expr: ir.Binary) -> tuple[int, str]:
        if expr.op == "Pow":
            left, right = self._at_least(_PRIMARY, expr.left), self._at_least(_UNARY, expr.right)
            return _POWER, f"{left} ^ {right}"
        level = _LEVELS[expr.op]
        left = self._at_least(level + (level == _COMPARISON), expr.left)
        right = self._at_least(level + 1, expr.right)
        return level, f"{left} {BINARY_SIGNS[expr.op]} {right}"

    def _primary(
        self, expr: ir.Attr | ir.Reg | ir.Ctx | ir.Sample | ir.Call | ir.Cost | ir.Agg
    ) -> str:
        match expr:
            case ir.Attr(slot):
                return self.attribute(slot)
            case ir.Reg(register):
                return self._program.registers[register].name
            case ir.Ctx(variable):
                return CONTEXT_WORDS[variable]
            case ir.Sample(law, args):
                return f"~{LAW_WORDS[law]}({self._arguments(args)})"
            case ir.Call(function, args):
                return f"{FUNCTION_WORDS[function]}({self._arguments(args)})"
            case ir.Cost(resource, value):
                return f"cost({self.resource(resource)}, {self.expression(value)})"
            case ir.Agg(aggregate, observe):
                return f"{AGGREGATE_WORDS[aggregate]}({self._program.observes[observe]})"
            case _:
                assert_never(expr)

    def _arguments(self, args: tuple[ir.Expr | ir.PoolRef | ir.StageRef, ...]) -> str:
        return ", ".join([self._argument(arg) for arg in args])

    def _argument(self, arg: ir.Expr | ir.PoolRef | ir.StageRef) -> str:
        if isinstance(arg, ir.PoolRef | ir.StageRef):
            return self.reference(arg)
        return self.expression(arg)

    # ----------------------------------------------------------- statements

    def statement(self, statement: ir.Statement) -> str:
        """The statement's head, without the blocks it has and without a `;`."""
        match statement:
            case ir.Set(slot, value):
                return f"set {self.attribute(slot)} = {self.expression(value)}"
            case ir.Observe(observe, value):
                return f"observe {self._program.observes[observe]} = {self.expression(value)}"
            case ir.Hold():
                return self._hold(statement)
            case ir.Grow(pool, amount):
                return f"grow {self.reference(pool)} ({self.expression(amount)})"
            case ir.Load(pool, amount):
                return f"load {self.reference(pool)} ({self.expression(amount)})"
            case ir.Drop(pool):
                return f"drop {self.reference(pool)}"
            case ir.Release(pool):
                return f"release {self.reference(pool)}"
            case ir.Run():
                return self._run(statement)
            case ir.Branch(ir.Sample("Bernoulli", (probability,))):
                return f"branch with ({self.expression(probability)})"
            case ir.Branch(test):
                return f"branch ({self.expression(test)})"
            case ir.While(test):
                return f"while ({self.expression(test)})"
            case ir.Choose(slot, count, keys):
                count_text = self._at_least(_PRIMARY, count)
                return f"choose {self.attribute(slot)} in {count_text} by ({self._arguments(keys)})"
            case ir.Turn() | ir.Loop() | ir.Fork() | ir.Join() | ir.End():
                return type(statement).__name__.lower()
            case _:
                assert_never(statement)

    def _hold(self, hold: ir.Hold) -> str:
        requests = []
        for request in hold.pools:
            text = f"{self.reference(request.pool)} ({self.expression(request.units)})"
            if request.reserve is not None:
                text += f" reserve ({self.expression(request.reserve)})"
            requests.append(text)
        reuse = "" if hold.reuse is None else f" reuse ({self.expression(hold.reuse)})"
        return f"hold {', '.join(requests)}{reuse}"

    def _run(self, run: ir.Run) -> str:
        stages = ", ".join([self.reference(stage) for stage in (run.stage, *run.also)])
        mode = "" if run.mode == "Plain" else f" {run.mode.lower()}"
        growing = "" if run.growing is None else f" growing {self.reference(run.growing)}"
        return f"run {stages}{mode} ({self.expression(run.work)}){growing}"
