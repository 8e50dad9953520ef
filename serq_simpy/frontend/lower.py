"""The kernel as the IR's numbered blocks."""

from __future__ import annotations

from typing import assert_never

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.focus import focus
from serq_simpy.frontend.lower_expr import ExpressionLowering
from serq_simpy.frontend.problems import Problems
from serq_simpy.ir import model as ir
from serq_simpy.ir.spans import Spans

_MODES: dict[str | None, ir.Mode] = {None: "Plain", "prefill": "Prefill", "decode": "Decode"}


class Blocks:
    """Lowers a program's blocks; a block is numbered when the statement that has it is met.

    A statement that is refused goes to the problems, and the rest go on.
    """

    def __init__(self, lowering: ExpressionLowering, spans: Spans, problems: Problems) -> None:
        self._lowering = lowering
        self._spans = spans
        self._problems = problems
        self._blocks: list[list[ir.Statement]] = []
        self._sides: list[list[ir.Side]] = []

    def program(self, kernel: k.Program) -> None:
        """Lower `init`, `turn` and the session; a session ends with `end`."""
        roots = (kernel.init, kernel.turn, kernel.session)
        for number, block in zip([self._new() for _ in roots], roots, strict=True):
            self._fill(number, block, "Workload")
        if kernel.session and not isinstance(kernel.session[-1], s.End):
            self._blocks[ir.SESSION].append(ir.End())
            self._sides[ir.SESSION].append("Workload")

    @property
    def blocks(self) -> tuple[tuple[ir.Statement, ...], ...]:
        return tuple(tuple(block) for block in self._blocks)

    @property
    def sides(self) -> tuple[tuple[ir.Side, ...], ...]:
        return tuple(tuple(block) for block in self._sides)

    def _new(self) -> int:
        self._blocks.append([])
        self._sides.append([])
        return len(self._blocks) - 1

    def _block(self, block: k.Block, side: ir.Side) -> int:
        number = self._new()
        self._fill(number, block, side)
        return number

    def _fill(self, number: int, block: k.Block, side: ir.Side) -> None:
        for statement in block:
            with self._problems.catching():
                self._add(number, self._statement(statement, side), side, focus(statement))
            if isinstance(statement, k.Turn):
                self._fill(number, statement.server, "Server")

    def _add(self, number: int, statement: ir.Statement, side: ir.Side, span: Span) -> None:
        self._spans.statements[number, len(self._blocks[number])] = span
        self._blocks[number].append(statement)
        self._sides[number].append(side)

    def _statement(self, statement: k.Statement, side: ir.Side) -> ir.Statement:
        low = self._lowering
        env = low.env
        match statement:
            case k.Turn():
                return ir.Turn()
            case s.Set(_, name, value):
                return ir.Set(env.slots[name], low.expression(value))
            case s.Observe(name, value):
                return ir.Observe(env.observes[name], low.expression(value))
            case k.Hold():
                return self._hold(statement, side)
            case s.Grow(pool, amount):
                return ir.Grow(low.pool(pool), low.expression(amount))
            case s.Load(pool, amount):
                return ir.Load(low.pool(pool), low.expression(amount))
            case s.Drop(pool):
                return ir.Drop(low.pool(pool))
            case s.Release(pool):
                return ir.Release(low.pool(pool))
            case s.Run():
                return self._run(statement)
            case k.Branch(test, yes, no):
                guard = low.expression(test)
                return ir.Branch(guard, self._block(yes, side), self._block(no, side))
            case k.While(test, body):
                return ir.While(low.expression(test), self._block(body, side))
            case k.Loop(body):
                return ir.Loop(self._block(body, side))
            case k.Fork(body):
                return ir.Fork(self._block(body, side))
            case s.Join():
                return ir.Join()
            case s.Choose(name, count, keys):
                key_exprs = tuple([low.expression(key) for key in keys])
                return ir.Choose(env.slots[name], low.expression(count), key_exprs)
            case s.End():
                return ir.End()
            case _:
                assert_never(statement)

    def _hold(self, hold: k.Hold, side: ir.Side) -> ir.Hold:
        low = self._lowering
        requests = tuple(
            [
                ir.HoldRequest(
                    low.pool(request.pool),
                    low.expression(request.units),
                    self._maybe(request.reserve),
                )
                for request in hold.requests
            ]
        )
        reuse = self._maybe(hold.reuse)
        outer = low.env.bound
        low.env.bound = outer | hold.bound
        body = self._block(hold.body, side)
        low.env.bound = outer
        lease = hold.lease
        return ir.Hold(
            requests,
            reuse,
            body,
            self._maybe(hold.cache),
            None if lease is None else ir.Lease(low.pool(lease[0]), low.expression(lease[1])),
        )

    def _run(self, run: s.Run) -> ir.Run:
        low = self._lowering
        first, *others = [low.stage(stage) for stage in run.stages]
        growing = None if run.growing is None else low.pool(run.growing)
        return ir.Run(first, _MODES[run.mode], low.expression(run.work), growing, tuple(others))

    def _maybe(self, expr: s.Expr | None) -> ir.Expr | None:
        return None if expr is None else self._lowering.expression(expr)
