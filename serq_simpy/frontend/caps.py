"""`each at most`: the cap on one request's tokens in an iteration.

No cap is written `inf`, which the IR writes 0. So no other outcome may be 0 or below.
"""

from __future__ import annotations

import math

from serq_simpy.errors import Span
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.resources import plain_number
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.walk import nodes

NO_CAP = ir.Num(0.0)
"""The cap of a schedule that writes none."""

_RULE = (
    "an `each at most` is a constant, `inf`, or `max(k, e)` with `k` a constant above 0, so that "
    "no run is given 0 or below"
)
_OUTERMOST = (
    "its condition may read the iteration: write the `?:` outermost, "
    "`c ? 8 : 16` and not `(c ? 4 : 8) * 2`"
)


def cap(expr: ir.Expr, engine: str, span: Span) -> ir.Expr:
    """The cap as the IR has it. Raises `Refused` where it may give a run nothing."""
    _check_inf(expr, engine, span)
    return _outcome(expr, engine, span)


def _outcome(expr: ir.Expr, engine: str, span: Span) -> ir.Expr:
    value = plain_number(expr)
    if value is not None:
        return _constant(value, engine, span)
    match expr:
        case ir.Cond(test, yes, no):
            return ir.Cond(test, _outcome(yes, engine, span), _outcome(no, engine, span))
        case ir.Call("Max", (left, right)) if _is_number(left) or _is_number(right):
            _check_floor(left if _is_number(left) else right, engine, span)
            return expr
        case ir.Call("Min"):
            raise Refused(
                span,
                f"engine `{engine}`: `each at most (min(…))` could give a run 0 or below: {_RULE}",
                "a cap that shrinks writes its floor: `max(1, min(k, e))`",
            )
        case _:
            raise Refused(span, f"engine `{engine}`: {_RULE}", _OUTERMOST)


def _check_inf(expr: ir.Expr, engine: str, span: Span) -> None:
    """`inf` is an outcome by itself, or not there."""
    if isinstance(expr, ir.Cond):
        _refuse_inf(expr.test, engine, span)
        _check_inf(expr.yes, engine, span)
        _check_inf(expr.no, engine, span)
    elif not isinstance(expr, ir.Num):
        _refuse_inf(expr, engine, span)


def _refuse_inf(expr: ir.Expr, engine: str, span: Span) -> None:
    if any(isinstance(node, ir.Num) and node.value == math.inf for node in nodes(expr)):
        raise Refused(
            span,
            f"engine `{engine}`: `inf` inside an `each at most`'s arithmetic: no cap is `inf` "
            "as a whole outcome",
            "write `c ? inf : 8`, with `inf` by itself",
        )


def _is_number(part: ir.Expr | ir.PoolRef | ir.StageRef) -> bool:
    if isinstance(part, ir.PoolRef | ir.StageRef):
        return False
    return plain_number(part) is not None


def _constant(value: float, engine: str, span: Span) -> ir.Expr:
    if value == math.inf:
        return NO_CAP
    if not value > 0:
        raise Refused(
            span,
            f"engine `{engine}`: `each at most ({value_text(value)})`: a run would be given "
            "nothing",
            "a cap is above 0; no cap is written `inf`",
        )
    return ir.Num(value)


def _check_floor(floor: ir.Expr | ir.PoolRef | ir.StageRef, engine: str, span: Span) -> None:
    assert not isinstance(floor, ir.PoolRef | ir.StageRef)
    value = plain_number(floor)
    assert value is not None
    if not value > 0:
        raise Refused(
            span,
            f"engine `{engine}`: `each at most (max({value_text(value)}, …))`: a run could be "
            f"given 0; {_RULE}",
            "write the floor above 0, as `max(1, …)`",
        )
