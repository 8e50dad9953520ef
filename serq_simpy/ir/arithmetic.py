"""The language's arithmetic on numbers: IEEE doubles, no exception ever."""

from __future__ import annotations

import math
from collections.abc import Callable

from serq_simpy.ir import model as ir

_NAN = -math.nan  # with the sign bit, as x86 makes it: first in the total order


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return _NAN
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b % 2 == 1
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        # A zero to a negative power; else a negative to a power that is not whole.
        if a != 0:
            return _NAN
        return math.copysign(math.inf, a) if b % 2 == 1 else math.inf


def _least(a: float, b: float) -> float:
    if math.isnan(a):
        return b
    return a if a < b or math.isnan(b) else b


def _largest(a: float, b: float) -> float:
    if math.isnan(a):
        return b
    return a if a > b or math.isnan(b) else b


def _root(a: float) -> float:
    return math.sqrt(a) if a >= 0 else _NAN


def _exponential(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _logarithm(a: float) -> float:
    if a > 0:
        return math.log(a)
    return -math.inf if a == 0 else _NAN


def _floor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def _ceil(a: float) -> float:
    return math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a


BINARY: dict[str, Callable[[float, float], float]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": _divide,
    "Pow": _power,
    "Lt": lambda a, b: float(a < b),
    "Le": lambda a, b: float(a <= b),
    "Gt": lambda a, b: float(a > b),
    "Ge": lambda a, b: float(a >= b),
    "Eq": lambda a, b: float(a == b),
    "Ne": lambda a, b: float(a != b),
    "And": lambda a, b: float(a != 0 and b != 0),
    "Or": lambda a, b: float(a != 0 or b != 0),
    "Min": _least,
    "Max": _largest,
}

UNARY: dict[str, Callable[[float], float]] = {
    "Neg": lambda a: -a,
    "Not": lambda a: float(a == 0),
    "Abs": abs,
    "Floor": _floor,
    "Ceil": _ceil,
    "Sqrt": _root,
    "Exp": _exponential,
    "Ln": _logarithm,
}


def constant(expr: ir.Expr) -> float | None:
    """The value of an expression of numbers alone, None of any other.

    What a deciding `&&`, `||` or test leaves out need not be constant.
    """
    match expr:
        case ir.Num(value):
            return value
        case ir.Cost(_, value):
            return constant(value)
        case ir.Unary(op, operand):
            return _apply_one(op, operand)
        case ir.Binary("And" | "Or" as op, left, right):
            return _logical(op, left, right)
        case ir.Binary(op, left, right):
            return _apply_two(op, left, right)
        case ir.Cond(test, yes, no):
            decided = constant(test)
            return None if decided is None else constant(yes if decided != 0 else no)
        case ir.Call(function, args):
            return _call(function, args)
        case _:
            return None


def _logical(op: str, left: ir.Expr, right: ir.Expr) -> float | None:
    a = constant(left)
    if a is None:
        return None
    if (a != 0) == (op == "Or"):
        return float(a != 0)
    b = constant(right)
    return None if b is None else float(b != 0)


def _apply_one(op: str, operand: ir.Expr) -> float | None:
    a = constant(operand)
    return None if a is None else UNARY[op](a)


def _apply_two(op: str, left: ir.Expr, right: ir.Expr) -> float | None:
    a = constant(left)
    b = None if a is None else constant(right)
    return None if a is None or b is None else BINARY[op](a, b)


def _call(function: str, args: tuple[ir.Expr | ir.PoolRef | ir.StageRef, ...]) -> float | None:
    match args:
        case (ir.PoolRef() | ir.StageRef(), *_):
            return None
        case (a,) if not isinstance(a, ir.PoolRef | ir.StageRef):
            return _apply_one(function, a)
        case (a, b) if not isinstance(a, ir.PoolRef | ir.StageRef) and not isinstance(
            b, ir.PoolRef | ir.StageRef
        ):
            return _apply_two(function, a, b)
        case _:
            return None
