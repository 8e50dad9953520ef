"""How large an expression is, written out: parts that stand in several places count each time."""

from __future__ import annotations

from dataclasses import dataclass

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import TooLarge

MOST_PARTS = 500_000
"""The parts that an expression, and all that a program's statements read, may have."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An expression's number of parts, and whether a draw is written among them."""

    expr: s.Expr
    parts: int
    draws: bool


class Sizes:
    """Measures expressions that share parts without going through a part twice."""

    def __init__(self) -> None:
        self._known: dict[int, Measured] = {}

    def measure(self, expr: s.Expr) -> Measured:
        """The measure of an expression that is written out. Raises `TooLarge`."""
        parts, draws = 0, False
        stack = [expr]
        while stack:
            node = stack.pop()
            known = self._known.get(id(node))
            if known is None:
                parts += 1
                draws |= isinstance(node, s.Draw)
                stack.extend(walk.operands(node))
            else:
                parts += known.parts
                draws |= known.draws
        if parts > MOST_PARTS:
            raise too_large(expr)
        # The record keeps the expression alive, and its identity its own.
        measured = self._known[id(expr)] = Measured(expr, parts, draws)
        return measured


def too_large(expr: s.Expr) -> TooLarge:
    """The refusal of an expression that no run could evaluate in reasonable time."""
    return TooLarge(
        expr.span,
        "the program is too large: its definitions and aggregates write out expressions "
        f"of more than {MOST_PARTS} parts",
    )
