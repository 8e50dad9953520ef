"""A program of the IR as a Python module that is written, compiled and bound to a run.

The module has one function, `bind(run)`. It makes the run's stages and pools, with the
functions they read their expressions by, and returns what the processes execute: `init`
and `begin_turn` as functions of a session, `session` as its generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CodeType

from serq_simpy.compiler.engines import EngineRules
from serq_simpy.compiler.expressions import Families
from serq_simpy.compiler.expressions import number as number_code
from serq_simpy.compiler.functions import Functions
from serq_simpy.compiler.reading import (
    block_draws,
    changes_with_its_entry,
    estimated_stages,
    is_amount,
    may_repeat,
    most_draws,
    program_expressions,
    reads_attributes,
    reads_attributes_alone,
    shared_stages,
)
from serq_simpy.compiler.statements import Statements
from serq_simpy.compiler.writer import Writer
from serq_simpy.draws.streams import BLOCK
from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import deep
from serq_simpy.ir.printing import Printer
from serq_simpy.ir.walk import sites

_QUEUE_TIME = {"Now": "clock._now", "Waited": "(clock._now - hold.joined)"}
_EVICTION_TIME = {
    "Now": "clock._now",
    "Age": "(clock._now - entry.released)",
    "Last": "entry.released",
    "Queued": "waits(entry)",
}
_VICTIM_TIME = {
    "Now": "clock._now",
    "Decoding": "decoding(allocation)",
    "Admission": "float(place)",
    "Position": "allocation.position",
}
_SHARING_TIME = {"Now": "clock._now", "N": "present"}


def source(program: ir.Program) -> str:
    """The Python source of a program."""
    with deep():
        return _Module(program).text()


def compiled(program: ir.Program) -> CodeType:
    """The module's code object."""
    return compile(source(program), "<serq program>", "exec")


def resource_names(kind: str, resources: Sequence[ir.Pool | ir.Stage]) -> list[str]:
    """A Python name for each resource: its own where that is one, else by number."""
    names: list[str] = []
    for number, resource in enumerate(resources):
        name = f"{kind}_{resource.name.replace('.', '_')}"
        if resource.index is not None:
            name += f"_{resource.index}"
        if not (name.isascii() and name.isidentifier()) or name in names:
            name = f"{kind}{number}"
        names.append(name)
    return names


class _Module(Functions):
    def __init__(self, program: ir.Program) -> None:
        pools = resource_names("pool", program.pools)
        stages = resource_names("stage", program.stages)
        super().__init__(Writer(depth=1), pools, stages, Families(Printer(program)))
        self._program = program
        self._sites = list(sites(program, ir.SESSION))

    def text(self) -> str:
        self._make_stages()
        self._make_pools()
        self._make_engines()
        self._make_holds()
        self._workload_function("init", ir.INIT)
        self._workload_function("turn", ir.TURN)
        self._session()
        self._gauges()
        self._gap()
        self._claims()
        self.writer.line("return Bound(init, session, gauges, gap, givens, ends)")
        head = Writer()
        head.line("def bind(run):")
        head.depth = 1
        self._bindings(head)
        for line in self.families.lines():
            self.writer.lines.insert(-1, "    " + line)
        return head.text() + self.writer.text()

    def _bindings(self, head: Writer) -> None:
        head.line("clock, streams = run.clock, run.streams")
        head.line("response = run.client[2].record")
        if self._program.registers:
            head.line("registers = run.registers")
        if self._program.claims:
            head.line("checks, aggregates = run.claims.checks, run.claims.aggregates")
        for number in range(len(self._program.observes)):
            head.line(f"observe{number} = run.observations[{number}].record")
        head.line("evicting, running = streams.eviction(), streams.machine()")

    # ------------------------------------------------------------- resources

    def _make_stages(self) -> None:
        estimated = estimated_stages(program_expressions(self._program))
        shared = shared_stages(self._program)
        for number, (name, stage) in enumerate(zip(self.stages, self._program.stages, strict=True)):
            match stage.kind:
                case ir.Fifo(servers):
                    made = f"run.fifo({number}, {servers})"
                case ir.Ps(ir.Num(capacity)) if number in shared:
                    made = f"run.link({number}, {number_code(capacity)})"
                case ir.Ps(ir.Ctx("N")):
                    made = f"run.delay({number})"
                case ir.Ps(capacity):
                    head = f"capacity{number}(present)"
                    self.returning(head, capacity, context=_SHARING_TIME, stream="running")
                    made = f"run.sharing({number}, capacity{number})"
                case ir.Step():
                    made = f"run.engine({number})"
            self.writer.line(f"{name} = {made}")
            if number in estimated:
                self.writer.line(f"{name}.estimator = Estimator()")

    def _make_engines(self) -> None:
        for number, stage in enumerate(self._program.stages):
            if isinstance(stage.kind, ir.Step):
                rules = EngineRules(self, self._program, number)
                self.writer.line(f"{self.stages[number]}.follow({rules.write(stage.kind)})")

    def _make_pools(self) -> None:
        for number, (name, pool) in enumerate(zip(self.pools, self._program.pools, strict=True)):
            options = [*self._line_option(number, pool), *self._eviction_option(number, pool)]
            options += [*self._preemption_option(number, pool), *self._spill_option(number, pool)]
            self.writer.line(f"{name} = run.pool({', '.join([str(number), *options])})")

    def _line_option(self, number: int, pool: ir.Pool) -> Iterator[str]:
        if pool.queue is not None:
            prologue = "a = hold.customer.attrs"
            names = {"context": _QUEUE_TIME, "customer": "hold.customer"}
            self.keys(f"queue{number}(hold)", pool.queue, prologue, **names)
            settled = all(reads_attributes_alone(key) for key in pool.queue)
            yield f"line={'SettledLine' if settled else 'KeyedLine'}(queue{number})"

    def _eviction_option(self, number: int, pool: ir.Pool) -> Iterator[str]:
        if pool.evict is not None:
            context = {**_EVICTION_TIME, "Size": "entry.units"}
            names = {"context": context, "customer": "entry", "stream": "evicting"}
            self.keys(f"evict{number}(entry)", pool.evict, "a = entry.attrs", **names)
            stable = all(changes_with_its_entry(key) for key in pool.evict)
            yield f"order=EvictionOrder(evict{number}, {stable})"

    def _preemption_option(self, number: int, pool: ir.Pool) -> Iterator[str]:
        if pool.preempt is not None:
            names = {"context": _VICTIM_TIME, "customer": "allocation.customer"}
            prologue = "a = allocation.customer.attrs"
            head = f"victim{number}(allocation, place)"
            self.keys(head, pool.preempt.keys, prologue, **names)
            yield f"preemption=Preemption(victim{number}, {pool.preempt.tail})"

    def _spill_option(self, number: int, pool: ir.Pool) -> Iterator[str]:
        if pool.spill is not None:
            context = {**_EVICTION_TIME, "Size": "size"}
            names = {"context": context, "customer": "entry", "stream": "evicting"}
            for word, expr in (("when", pool.spill.when), ("work", pool.spill.work)):
                prologue = "a = entry.attrs" if reads_attributes(expr) else ""
                head = f"spill_{word}{number}(entry, size)"
                self.returning(head, expr, prologue=prologue, **names)
            tier = f"lambda: ({self.pools[pool.spill.to]}, {self.stages[pool.spill.via]})"
            yield f"spill=Spill({tier}, spill_when{number}, spill_work{number})"

    # ----------------------------------------------------------------- holds

    def _make_holds(self) -> None:
        for site in self._sites:
            if isinstance(site.statement, ir.Hold):
                self._hold(site.statement, site.place.block, site.place.index)

    def _hold(self, hold: ir.Hold, block: int, index: int) -> None:
        name = f"hold{block}_{index}"
        demands = [
            self._demand(f"{name}_{number}", asked, block, index)
            for number, asked in enumerate(hold.pools)
        ]
        reuse = self._amount(f"{name}_reuse", hold.reuse)
        cache = self._amount(f"{name}_cache", hold.cache)
        lease = "None"
        if hold.lease is not None:
            number = [asked.pool for asked in hold.pools].index(hold.lease.pool)
            lease = f"({number}, {self._amount(f'{name}_lease', hold.lease.duration)})"
        twice = f"different_members({block}, {index})" if may_repeat(hold) else "None"
        arguments = f"({', '.join(demands)},), {reuse}, {cache}, {lease}, {twice}"
        self.writer.line(f"{name}_statement = HoldStatement({arguments})")

    def _demand(self, name: str, asked: ir.HoldRequest, block: int, index: int) -> str:
        self._place_function(f"{name}_place", asked.pool, block, index)
        fixed = []
        self._checked_amount(f"{name}_units", asked.units, block, index)
        if reads_attributes_alone(asked.units):
            fixed.append(f"{name}_units")
        reserve = "None"
        if asked.reserve is not None:
            reserve = f"{name}_reserve"
            self._checked_amount(reserve, asked.reserve, block, index)
            if reads_attributes_alone(asked.reserve):
                fixed.append(reserve)
        tail = "," if fixed else ""
        return f"Demand({name}_place, {name}_units, {reserve}, ({', '.join(fixed)}{tail}))"

    def _place_function(self, name: str, ref: ir.PoolRef, block: int, index: int) -> None:
        with self.function(f"{name}(me)", stream="me.stream") as expressions:
            expressions.where = f", me, {block}, {index}"
            if ref.index is not None:
                self.writer.line("a = me.attrs")
            self.writer.line(f"return {expressions.place(ref)}")

    def _amount(self, name: str, expr: ir.Expr | None) -> str:
        """A function of the customer for an optional clause; its name, or None."""
        if expr is None:
            return "None"
        prologue = "a = me.attrs" if reads_attributes(expr) else ""
        self.returning(f"{name}(me)", expr, prologue=prologue, stream="me.stream")
        return name

    def _checked_amount(self, name: str, expr: ir.Expr, block: int, index: int) -> None:
        """A function for units, which are not negative and not NaN."""
        with self.function(f"{name}(me)", stream="me.stream") as expressions:
            expressions.where = f", me, {block}, {index}"
            if reads_attributes(expr):
                self.writer.line("a = me.attrs")
            value = self.kept(expressions.value(expr))
            if not (isinstance(expr, ir.Cost) and is_amount(expr.value)):
                with self.writer.block(f"if not {value} >= 0.0:"):
                    self.writer.line(f"wrong_amount(me, {block}, {index}, {value})")
            self.writer.line(f"return {value}")

    # ------------------------------------------------------------- processes

    def _workload_function(self, name: str, block: int) -> None:
        """`init`, or the workload's turn block: a plain function of a session, if there is one."""
        if not self._program.blocks[block]:
            self.writer.line(f"{name} = None")
            return
        with self.writer.block(f"def {name}(me):"):
            self.writer.line("a, now = me.attrs, clock._now")
            if block_draws(self._program, block):
                self.writer.line("u = streams.workload(me.serial, me.turn)")
            self._statements(top=True, bodies=[], legs=[]).block(block)

    def _statements(self, *, top: bool, bodies: list[int], legs: list[int]) -> Statements:
        names = self.names(context={"Now": "now"})
        return Statements(self._program, self.writer, names, bodies, legs, top=top)

    def _session(self) -> None:
        """The session's generator, those of its legs, and of the blocks too deep in these."""
        legs: list[int] = []
        self._process("session", ir.SESSION, self._statement_stream(), legs)
        for block in legs:
            drawn = "streams.leg(me.serial, me.number)"
            stream = drawn if block_draws(self._program, block) else "None"
            self._process(f"leg{block}", block, stream, legs=[])

    def _process(self, name: str, block: int, stream: str, legs: list[int]) -> None:
        """The generator of a customer; the blocks of the legs it forks are added to `legs`."""
        bodies: list[int] = []
        with self.writer.block(f"def {name}(me):"):
            self.writer.line("a = me.attrs")
            self.writer.line(f"u = me.stream = {stream}")
            self._generator(block, top=True, bodies=bodies, legs=legs)
        while bodies:
            number = bodies.pop()
            with self.writer.block(f"def body{number}(me, a, u):"):
                self._generator(number, top=False, bodies=bodies, legs=legs)

    def _statement_stream(self) -> str:
        """The code of the stream that a session's statements draw from."""
        if not block_draws(self._program, ir.SESSION):
            return "None"
        few = most_draws(self._program) <= BLOCK
        return f"streams.{'few_' if few else ''}statements(me.serial)"

    def _generator(self, block: int, *, top: bool, bodies: list[int], legs: list[int]) -> None:
        self.writer.line("now = clock._now")
        before = len(self.writer.lines)
        self._statements(top=top, bodies=bodies, legs=legs).block(block)
        if not any(line.lstrip().startswith("yield") for line in self.writer.lines[before:]):
            self.writer.line("yield from ()")  # a generator all the same

    def _gauges(self) -> None:
        for number, gauge in enumerate(self._program.gauges):
            self.returning(f"gauge{number}()", gauge.expr, customer="", context={})
        names = "".join(f"gauge{number}, " for number in range(len(self._program.gauges)))
        self.writer.line(f"gauges = ({names})")

    def _gap(self) -> None:
        if isinstance(self._program.arrival, ir.Renewal):
            self.writer.line("arriving = run.arriving")
            self.returning("gap()", self._program.arrival.gap, stream="arriving")
        else:
            self.writer.line("gap = None")

    def _claims(self) -> None:
        """What claims say of every session, and of the end of a run."""
        givens, ends = [], []
        for number, claim in enumerate(self._program.claims):
            if claim.given is not None:
                prologue = "a = me.attrs" if reads_attributes(claim.given) else ""
                self.returning(f"given{number}(me)", claim.given, prologue=prologue, context={})
                givens.append(f"({number}, given{number}), ")
            if isinstance(claim.kind, ir.AtEnd):
                self.returning(f"end{number}()", claim.expr, customer="")
                ends.append(f"({number}, end{number}), ")
        self.writer.line(f"givens, ends = ({''.join(givens)}), ({''.join(ends)})")
