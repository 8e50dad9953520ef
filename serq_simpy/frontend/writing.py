"""Writing out and lowering in one step, for expressions outside of statements."""

from __future__ import annotations

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.constants import Constants
from serq_simpy.frontend.engine_values import Clause
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.lower_expr import ExpressionLowering
from serq_simpy.frontend.resources import Resources
from serq_simpy.frontend.scope import Placed, Scope
from serq_simpy.ir import model as ir


class Writing:
    """From the syntax of an expression to the IR's, or to its value."""

    def __init__(
        self, expressions: Expressions, lowering: ExpressionLowering, constants: Constants
    ) -> None:
        self._expressions = expressions
        self._lowering = lowering
        self._constants = constants

    @property
    def resources(self) -> Resources:
        return self._lowering.env.resources

    def expression(self, expr: s.Expr, scope: Scope) -> ir.Expr:
        """The IR of an expression. Raises `Refused`."""
        return self._lowering.expression(self._expressions.expression(expr, scope))

    def written_out(self, expr: s.Expr, scope: Scope) -> s.Expr:
        """An expression with nothing left to write out. Raises `Refused`."""
        return self._expressions.expression(expr, scope)

    def clause(self, expr: s.Expr, clause: Clause) -> ir.Expr:
        """The IR of an engine's expression that is written out. Raises `Refused`."""
        env = self._lowering.env
        env.clause = clause
        try:
            return self._lowering.expression(expr)
        finally:
            env.clause = None

    def constant(self, expr: s.Expr, placed: Placed) -> float:
        """The value of a constant expression, NaN where it is. Raises `Refused`."""
        return self._constants.evaluate(self._expressions.expression(expr, placed.scope))

    def stage(self, reference: s.Reference, scope: Scope) -> ir.StageRef:
        """The stage a reference names. Raises `Refused`."""
        return self._lowering.stage(self._expressions.reference(reference, scope))
