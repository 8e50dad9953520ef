"""How sessions arrive."""

from __future__ import annotations

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.resources import plain_number
from serq_simpy.frontend.scope import Placed
from serq_simpy.frontend.writing import Writing
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import value_text

MOST_SESSIONS = 1_000_000
"""The sessions that a closed population or a batch may have."""


def arrival(arrive: s.Arrive | None, writing: Writing, placed: Placed) -> ir.Arrival:
    """The arrival law. Raises `Refused`."""
    if arrive is None or arrive.law == "none" or arrive.argument is None:
        return ir.NoArrivals()
    argument = arrive.argument
    match arrive.law:
        case "renewal":
            return ir.Renewal(_gap(writing.expression(argument, placed.scope)))
        case "poisson":
            return ir.Poisson(_rate(writing.constant(argument, placed), argument.span))
        case "closed":
            value = writing.constant(argument, placed)
            return ir.Closed(_count("the closed population", value, argument.span))
        case _:
            value = writing.constant(argument, placed)
            return ir.Batch(_count("the batch size", value, argument.span))


def _gap(gap: ir.Expr) -> ir.Expr:
    """The gap, as a number where it is constant."""
    value = plain_number(gap)
    return gap if value is None else ir.Num(value)


def _rate(rate: float, span: Span) -> float:
    if rate != rate:
        raise Refused(span, "the poisson rate is NaN")
    return rate


def _count(what: str, count: float, span: Span) -> int:
    if not (1 <= count <= MOST_SESSIONS and count == count // 1):
        raise Refused(
            span,
            f"{what} is {value_text(count)}: a count is a whole number from 1 to {MOST_SESSIONS}",
        )
    return int(count)
