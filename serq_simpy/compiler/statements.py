"""Statements of the IR as the body of a generator function.

A session's generator runs through its statements and yields the event of a resource
wherever it has to wait. What a function of the module written is called is the same
everywhere: `me` is the customer, `a` its attributes, `u` its stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from serq_simpy.compiler.expressions import Expressions, Names
from serq_simpy.compiler.reading import block_draws, has_engines, is_test, replays
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import Printer

if TYPE_CHECKING:
    from serq_simpy.compiler.writer import Writer

DEEPEST = 7
"""Loops and holds in one function: CPython allows 20 nested `while` and `try` blocks."""


class Statements:
    """Writes blocks of a program into one generator function.

    `top` tells the session's own function, which ends the session by returning, from the
    bodies it enters with `yield from`, which end it by raising `Departed`. Blocks that
    stand too deep for one function are queued in `bodies`, those of legs in `legs`, by number.
    """

    def __init__(
        self,
        program: ir.Program,
        writer: Writer,
        names: Names,
        bodies: list[int],
        legs: list[int],
        *,
        top: bool,
    ) -> None:
        self._program = program
        self._printer = Printer(program)
        self._writer = writer
        self._names = names
        self._expressions = Expressions(writer, names)
        self._bodies = bodies
        self._legs = legs
        self._top = top
        self._nesting = 0
        self._engines = has_engines(program)
        self._turns_counted = replays(program) or block_draws(program, ir.TURN)
        self._block = 0
        self._index = 0

    def block(self, number: int) -> None:
        """Write the statements of a block, and the answer of a turn that was served in it."""
        outer = self._block, self._index
        sides = self._program.sides[number]
        answering = False
        for index, statement in enumerate(self._program.blocks[number]):
            if answering and sides[index] == "Workload":
                self._answer()
                answering = False
            self._block, self._index = number, index
            self._expressions.where = f", {self._place}"
            self._writer.comment(self._printer.statement(statement))
            self._statement(statement)
            if isinstance(statement, ir.Turn):
                answering = True
            elif isinstance(statement, ir.End):
                answering = False
                break
        if answering:
            self._answer()
        self._block, self._index = outer
        self._expressions.where = f", {self._place}"

    @property
    def _place(self) -> str:
        """The statement being written, as arguments for messages."""
        return f"me, {self._block}, {self._index}"

    def _line(self, text: str) -> None:
        self._writer.line(text)

    def _yield(self, event: str) -> None:
        self._line(f"yield {event}")
        self._line("now = clock._now")

    def _turn(self) -> None:
        """A new turn: its corpus is loaded, then the workload's turn block executed."""
        self._line(f"a[{ir.TURN_NO}] += 1.0")
        if self._turns_counted:
            self._line("me.turn += 1")
        self._line("me.turn_began = now")
        if self._engines:
            self._line("me.begin_tokens()")
        self._line("run.turns += 1")
        if replays(self._program):
            self._line("if me.corpus is not None: me.load_turn()")
        if self._program.blocks[ir.TURN]:
            self._line("turn(me)")

    def _answer(self) -> None:
        """The turn's server statements are done: the client has its response."""
        if self._engines:
            self._line("me.answered()")
        self._line(f"response((now, me.serial, a[{ir.TURN_NO}], now - me.turn_began))")

    # ------------------------------------------------------------ statements

    def _statement(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Turn():
                self._turn()
            case ir.Set(slot, value):
                self._line(f"a[{slot}] = {self._expressions.value(value)}")
            case ir.Observe(observe, value):
                code = self._expressions.value(value)
                self._line(f"observe{observe}((now, me.serial, a[{ir.TURN_NO}], {code}))")
            case ir.Hold():
                self._hold(statement)
            case ir.Grow(pool, amount):
                self._grow(pool, amount)
            case ir.Load(pool, amount):
                code = self._expressions.value(amount)
                self._line(f"load({self._place}, {self._expressions.place(pool)}, {code})")
            case ir.Drop(pool):
                self._line(f"{self._expressions.place(pool)}.drop(me.serial)")
            case ir.Release(pool):
                self._line(f"release(me, {self._expressions.place(pool)})")
            case ir.Run():
                self._run(statement)
            case ir.Branch(test, yes, no):
                self._branch(test, yes, no)
            case ir.While(test, body):
                self._while(test, body)
            case ir.Loop(body):
                self._while(None, body)
            case ir.Choose(slot, number, keys):
                self._choose(slot, number, keys)
            case ir.End():
                self._line("return" if self._top else "raise Departed")
            case ir.Fork(body):
                self._legs.append(body)
                self._line(f"fork(me, leg{body})")
            case ir.Join():
                with self._writer.block("if me.legs:"):
                    self._yield("Join(me)")
            case _:
                assert_never(statement)

    def _run(self, run: ir.Run) -> None:
        stage = ", ".join([self._stage(ref) for ref in (run.stage, *run.also)])
        work = self._expressions.value(run.work)
        if run.mode == "Decode":
            self._line("me.decode_reached()")
        if (
            isinstance(run.work, ir.Cost)
            and isinstance(run.work.value, ir.Num)
            and run.work.value.value > 0
        ):
            self._yield(self._served(run, stage, work))
            return
        self._line(f"work = {work}")
        with self._writer.block("if work > 0.0:"):
            self._yield(self._served(run, stage, "work"))
        with self._writer.block("elif work == 0.0:"):
            self._yield("Pause(me)")
        with self._writer.block("else:"):
            self._line(f"wrong_amount({self._place}, work)")

    def _stage(self, ref: ir.StageRef) -> str:
        """The code of a stage, whose index, if it is computed, is read here and now."""
        place = self._expressions.place(ref)
        if ref.index is None or isinstance(ref.index, ir.Num):
            return place
        return self._writer.temporary(place)

    def _served(self, run: ir.Run, stage: str, work: str) -> str:
        """The code of the event that a run of positive work waits for."""
        if run.also:
            return f"run.network.serve(me, {work}, {stage})"
        verb = {"Plain": "serve", "Prefill": "prefill", "Decode": "decode"}[run.mode]
        if run.growing is None:
            return f"{stage}.{verb}(me, {work})"
        pool = self._expressions.place(run.growing)
        return f"{stage}.{verb}(me, {work}, growing({self._place}, {pool}))"

    def _grow(self, pool: ir.PoolRef, amount: ir.Expr) -> None:
        code = self._expressions.value(amount)
        place = self._expressions.place(pool)
        self._line(f"wait = enlarge({self._place}, {place}, {code})")
        with self._writer.block("if wait is not None:"):
            self._yield("wait")
            self._line("grown(wait)")

    def _branch(self, test: ir.Expr, yes: int, no: int) -> None:
        with self._writer.block(f"if {self._guard(test)}:"):
            self._inner(yes)
        if self._program.blocks[no]:
            with self._writer.block("else:"):
                self._inner(no)

    def _guard(self, test: ir.Expr) -> str:
        """The code of a guard, which must be 0 or 1."""
        if is_test(test):
            return self._expressions.test(test)
        guard = self._writer.temporary(self._expressions.value(test))
        with self._writer.block(f"if {guard} != 1.0 and {guard} != 0.0:"):
            self._line(f"wrong_guard({self._place}, {guard})")
        return guard

    def _while(self, test: ir.Expr | None, body: int) -> None:
        with self._writer.block("while True:"):
            if test is not None:
                with self._writer.block(f"if not {self._guard(test)}:"):
                    self._line("break")
            self._deeper(body)

    def _inner(self, number: int) -> None:
        """A block that makes no Python block of the kind CPython counts."""
        if self._writer.depth > 60:
            self._enter(number)
        else:
            self.block(number)

    def _deeper(self, number: int) -> None:
        """A block inside a `while` or `try` of Python."""
        if self._nesting == DEEPEST:
            self._enter(number)
            return
        self._nesting += 1
        self._inner(number)
        self._nesting -= 1

    def _enter(self, number: int) -> None:
        self._bodies.append(number)
        self._line(f"yield from body{number}(me, a, u)")
        self._line("now = clock._now")

    def _choose(self, slot: int, number: ir.Expr, keys: tuple[ir.Expr, ...]) -> None:
        name = f"a[{slot}]"
        self._line(f"count = choices({self._place}, {self._expressions.value(number)})")
        self._line("best, chosen = None, 0.0")
        with self._writer.block("for candidate in range(count):"):
            self._line(f"{name} = float(candidate)")
            codes = [self._writer.temporary(self._expressions.value(key)) for key in keys]
            found = f"({', '.join(codes)},)" if len(codes) > 1 else codes[0]
            better = f"comes_before({found}, best)" if len(codes) > 1 else f"{found} < best"
            with self._writer.block(f"if best is None or {better}:"):
                self._line(f"best, chosen = {found}, {name}")
        self._line(f"{name} = chosen")

    def _hold(self, hold: ir.Hold) -> None:
        name = f"hold{self._block}_{self._index}"
        self._line(f"{name} = request(me, {name}_statement)")
        self._yield(name)
        if not self._preemptible(hold):
            self._inner(hold.body)
            self._line(f"end_hold(me, {name})")
            return
        with self._writer.block("while True:"):
            with self._writer.block("try:"):
                self._deeper(hold.body)
                self._line("break")
            with self._writer.block("except Preempted as preempted:"):
                self._line(f"if preempted.hold is not {name}: raise")
                self._line("now = clock._now")
        self._line(f"end_hold(me, {name})")

    def _preemptible(self, hold: ir.Hold) -> bool:
        """Whether a pool of the hold may take it away."""
        return any(self._program.pools[asked.pool.base].preempt is not None for asked in hold.pools)
