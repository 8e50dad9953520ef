"""A run: the processes, the resources and the clock of one program, tied together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from simpy.events import Event

from serq_simpy.clock import Clock, Unsettled
from serq_simpy.compiler.namespace import ARITHMETIC, Bound
from serq_simpy.compiler.reading import observed_tests
from serq_simpy.draws.streams import Streams
from serq_simpy.engines.engine import Engine, Rules, Timeless
from serq_simpy.engines.run import decoding
from serq_simpy.errors import Diagnostic, RunError
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import Printer, value_text
from serq_simpy.ir.spans import Spans
from serq_simpy.measure.gauges import GaugeRecorder
from serq_simpy.measure.record import OverCap, RunRecord
from serq_simpy.measure.samples import Samples
from serq_simpy.measure.totals import total
from serq_simpy.processes.arrivals import Arrivals, poisson_gaps, renewal_gaps
from serq_simpy.processes.claims import Claims
from serq_simpy.processes.deadlock import deadlocked
from serq_simpy.processes.engine import EngineProcess
from serq_simpy.processes.faults import Faults
from serq_simpy.processes.leg import Join, Leg
from serq_simpy.processes.session import Presets, Session
from serq_simpy.resources import holding
from serq_simpy.resources.cache import Entry, EvictionOrder
from serq_simpy.resources.delay import Delay
from serq_simpy.resources.estimator import Estimator
from serq_simpy.resources.fifo import Fifo
from serq_simpy.resources.growth import grow, grown
from serq_simpy.resources.hold import Allocation, Demand, Hold, HoldStatement, Preempted
from serq_simpy.resources.links import Link, Network, bottleneck, max_min
from serq_simpy.resources.pool import Admissions, Pool, Preemption
from serq_simpy.resources.sharing import Sharing
from serq_simpy.resources.single_server import SingleServer
from serq_simpy.resources.spill import Spill
from serq_simpy.resources.stage import Stage
from serq_simpy.resources.wait import Departed, Pause, Start, Wait
from serq_simpy.resources.waiting_line import KeyedLine, SettledLine, WaitingLine

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer

_Stage = TypeVar("_Stage", bound=Stage)

Corpus = Sequence[Sequence[Presets]]
"""The sessions of a trace, each the turns it has, each turn the attributes it sets."""

MOST_SESSIONS = 1_000_000
"""How many sessions of a closed workload may come in one instant."""


class Simulation:
    """One run of a program, made by `code` (the compiled module) and started by `run`.

    The public attributes are what the program's module, the processes and the resources
    find here; `run` answers what was measured.
    """

    def __init__(
        self, program: ir.Program, code: CodeType, spans: Spans, corpus: Corpus | None
    ) -> None:
        self.program = program
        self.clock = Clock()
        self.network = Network(self.clock, max_min if program.share == "MaxMin" else bottleneck)
        self.streams = Streams(program.settings.seed)
        self.arriving = self.streams.arrivals()
        self.observations = [Samples(name) for name in program.observes]
        self.claims = Claims(program.claims, self.observations)
        self.client = [Samples(name) for name in ("ttft", "tpot", "response")]
        self.stages: list[Stage] = []
        self.pools: list[Pool] = []
        self.registers = [register.init for register in program.registers]
        self.attributes = [0.0] * len(program.attrs)
        self.arrivals = self.turns = self._ended_before = 0
        self.living: dict[Session, None] = {}
        self.legs: dict[Leg, None] = {}
        self.live_time = 0.0
        self._admissions = Admissions()
        self._faults = Faults(program, spans, self.clock)
        self._arrival_span = spans.arrival
        self._corpus = corpus
        self._picked = self.streams.trace()
        self._sessions_at = (-1.0, 0)
        arrival = program.arrival
        self._explicit = arrival.sessions if isinstance(arrival, ir.Sessions) else ()
        self.closed = isinstance(arrival, ir.Closed)
        self._limit = program.settings.arrivals
        self._bound = self._bind(code)
        self._process = self._bound.session
        self._prepares = bool(self._bound.init or corpus or self._explicit or self._bound.givens)
        self._gauges = [GaugeRecorder(gauge.name) for gauge in program.gauges]

    # -------------------------------------------- what the module makes itself of

    def _bind(self, code: CodeType) -> Bound:
        faults = self._faults
        namespace: dict[str, Any] = {
            **ARITHMETIC,
            "Estimator": Estimator,
            "EvictionOrder": EvictionOrder,
            "Preemption": Preemption,
            "KeyedLine": KeyedLine,
            "SettledLine": SettledLine,
            "Demand": Demand,
            "HoldStatement": HoldStatement,
            "Departed": Departed,
            "Join": Join,
            "fork": self._fork,
            "Preempted": Preempted,
            "Pause": Pause,
            "Spill": Spill,
            "request": holding.request,
            "end_hold": holding.end_hold,
            "release": holding.release,
            "enlarge": self._enlarge,
            "grown": grown,
            "load": self._load,
            "waits": _waits,
            "member": faults.member,
            "wrong_amount": faults.wrong_amount,
            "wrong_guard": faults.wrong_guard,
            "wrong_test": faults.wrong_test,
            "growing": self._growing,
            "decoding": decoding,
            "Rules": Rules,
            "choices": faults.choices,
            "different_members": faults.different_members,
        }
        exec(code, namespace)
        bound: Bound = namespace["bind"](self)
        return bound

    def fifo(self, number: int, servers: int) -> Stage:
        """The stage `number`, of so many servers."""
        stage = self.program.stages[number]
        if servers == 1:
            return self._add(SingleServer(self.clock, stage.name, stage.index, number))
        return self._add(Fifo(self.clock, stage.name, stage.index, number, servers))

    def delay(self, number: int) -> Delay:
        """The stage `number`, without waiting."""
        stage = self.program.stages[number]
        return self._add(Delay(self.clock, stage.name, stage.index, number))

    def link(self, number: int, capacity: float) -> Link:
        """The stage `number`, whose capacity is shared by flows."""
        stage = self.program.stages[number]
        place = (stage.name, stage.index, number)
        return self._add(Link(self.clock, *place, capacity, self.network))

    def sharing(self, number: int, capacity: Callable[[float], float]) -> Sharing:
        """The stage `number`, whose jobs share a capacity."""
        stage = self.program.stages[number]
        return self._add(Sharing(self.clock, stage.name, stage.index, number, capacity))

    def engine(self, number: int) -> Engine:
        """The stage `number`, which runs iterations; its rules are still to be set."""
        stage = self.program.stages[number]
        engine = Engine(self.clock, stage.name, stage.index, number, self.registers)
        self.clock.engines.append(EngineProcess(self.clock, engine))
        return self._add(engine)

    def _add(self, stage: _Stage) -> _Stage:
        self.stages.append(stage)
        return stage

    def pool(
        self,
        number: int,
        *,
        line: WaitingLine | None = None,
        order: EvictionOrder | None = None,
        preemption: Preemption | None = None,
        spill: Spill | None = None,
    ) -> Pool:
        """The pool `number`, with the options that read expressions."""
        declared = self.program.pools[number]
        pool = Pool(
            self.clock,
            declared.name,
            declared.index,
            declared.cap,
            declared.block,
            line=WaitingLine() if line is None else line,
            order=order,
            admissions=self._admissions,
            preemption=preemption,
            spill=spill,
            reserve_held=declared.reserve_held,
        )
        self.pools.append(pool)
        self._give_to_engines(number, pool)
        return pool

    def _give_to_engines(self, number: int, pool: Pool) -> None:
        """Tell the engines that admit from the pool's line, or have it as their memory."""
        admitting = self.program.pools[number].admit_via
        for place, stage in enumerate(self.program.stages):
            engine = self.stages[place]
            if isinstance(engine, Engine) and isinstance(stage.kind, ir.Step):
                if place == admitting:
                    engine.admit_from(pool)
                if stage.kind.memory == number:
                    engine.remember_in(pool)

    def _growing(self, customer: Customer, block: int, index: int, pool: Pool) -> Allocation:
        """The allocation that grows with a run."""
        allocation = holding.innermost(customer, pool)
        if allocation is None:
            raise self._faults.grow_outside(customer, block, index, pool)
        return allocation

    def _enlarge(
        self, customer: Customer, block: int, index: int, pool: Pool, amount: float
    ) -> Wait | None:
        """The statement `grow`."""
        if not amount >= 0.0:
            self._faults.wrong_amount(customer, block, index, amount)
        allocation = holding.innermost(customer, pool)
        if allocation is None:
            raise self._faults.grow_outside(customer, block, index, pool)
        return grow(allocation, amount)

    def _load(self, customer: Customer, block: int, index: int, pool: Pool, amount: float) -> None:
        """The statement `load`."""
        if not amount >= 0.0:
            self._faults.wrong_amount(customer, block, index, amount)
        allocation = holding.innermost(customer, pool)
        if allocation is None:
            raise self._faults.load_outside(customer, block, index, pool)
        if not allocation.load(amount):
            raise self._faults.load_over(customer, block, index, allocation, amount)

    def _fork(self, session: Session, body: Callable[[Leg], Any]) -> None:
        """The statement `fork`: a leg runs `body` from this instant."""
        leg = Leg(session)
        leg._generator = body(leg)
        if self.clock.engines:
            leg.begin_tokens()
        leg.start()

    def leaves_legs(self, session: Session) -> RunError:
        """The error of a session that would end before its legs."""
        return self._faults.leaves_legs(session)

    # ------------------------------------------------------------- sessions

    def _queue_up(self, session: Session) -> None:
        """Put a new session at the back of the ready line."""
        start = session._target = Start(session)
        self.clock.ready_line.append(start)

    def new_session(self) -> Session:
        """A session that comes now: its attributes are set, its first statement is to come."""
        serial = self.arrivals
        self.arrivals = serial + 1
        session = Session(self, serial)
        session._generator = self._process(session)
        self.living[session] = None
        if self.clock.engines:
            session.begin_tokens()
        if self._prepares:
            self._prepare(session)
        return session

    def _prepare(self, session: Session) -> None:
        """Give a new session the turns that it replays, and the attributes it comes with."""
        session.corpus = self._corpus_of(session.serial)
        if self._bound.init is not None:
            self._bound.init(session)
        if self._explicit:
            for slot, value in self._explicit[session.serial].attrs:
                session.attrs[slot] = value
        if self._bound.givens:
            self.claims.came(session, self._bound.givens)

    def _corpus_of(self, serial: int) -> Sequence[Presets] | None:
        """The turns that a session replays: its own, or those of a session of the trace."""
        if self._explicit and self._explicit[serial].turns:
            return self._explicit[serial].turns
        if self._corpus is None:
            return None
        if self.program.trace_ordered:
            return self._corpus[serial % len(self._corpus)]
        return self._corpus[self._picked.below(len(self._corpus))]

    def replace_session(self) -> None:
        """A session has left: of a closed workload another one comes in its place.

        The last of so many requested arrivals ends the run.
        """
        if self.closed:
            self._respawn()
        elif self.arrivals == self._limit:
            self.clock.stopped = True

    def _respawn(self) -> None:
        now = self.clock._now
        time, count = self._sessions_at
        self._sessions_at = (now, count + 1 if time == now else 1)
        if self._sessions_at[1] > MOST_SESSIONS:
            message = (
                f"the workload does not let time pass: at t = {value_text(now)}, a million "
                "sessions of `arrive closed(…)` came and ended"
            )
            raise RunError(Diagnostic(message, self._arrival_span))
        self._queue_up(self.new_session())

    # ------------------------------------------------------------------ run

    def run(self, progress: Callable[[float], None] | None = None) -> RunRecord:
        """Run to the end, telling `progress` the time now and then.

        Raises `RunError` where the program breaks a rule.
        """
        try:
            self._start()
            self.clock.settle()
            self.clock.run_to(self.program.settings.horizon, self._tick(progress))
        except Unsettled as error:
            raise self._faults.unsettled(error.customer, error.customer.times_ready) from None
        except Timeless as error:
            raise self._faults.timeless(error) from None
        return self._record(self._end())

    def _tick(self, progress: Callable[[float], None] | None) -> Callable[[], None]:
        samples = [*self.observations, *self.client]

        def tick() -> None:
            for column in samples:
                column.compact()
            if progress is not None:
                progress(self.clock._now)

        return tick

    def _start(self) -> None:
        settings, clock = self.program.settings, self.clock
        clock.pass_over = self._pass_over
        if self._gauges:
            clock.instant_over = self._read_gauges
        if settings.warmup > 0.0:
            warmed_up = Event(clock)
            warmed_up.callbacks.append(self._restart_statistics)
            clock.at(settings.warmup, warmed_up)
        match self.program.arrival:
            case ir.Poisson(rate):
                Arrivals(self, 0.0, poisson_gaps(rate, self.arriving), self._limit)
            case ir.Renewal(law):
                assert self._bound.gap is not None
                text = Printer(self.program).expression(law)
                gaps = renewal_gaps(self._bound.gap, text, self._arrival_span)
                Arrivals(self, next(gaps), gaps, self._limit)
            case ir.Closed(population):
                self._start_together(population)
            case ir.Batch(size):
                self._start_together(size)
            case ir.Sessions(sessions):
                self._start_together(len(sessions))
            case ir.NoArrivals():
                pass

    def _start_together(self, count: int) -> None:
        """Let so many sessions come at once: all are set up before the first one does anything."""
        for session in [self.new_session() for _ in range(count)]:
            self._queue_up(session)

    def _pass_over(self) -> None:
        for pool in self.pools:
            pool.pass_over()

    def _read_gauges(self) -> None:
        now = self.clock._now
        for gauge, value in zip(self._gauges, self._bound.gauges, strict=True):
            gauge.record(now, value())

    def _restart_statistics(self, event: Event) -> None:
        now = self.clock._now
        self.live_time = -self._unfinished(now)
        self._ended_before = self.arrivals - len(self.living)
        self.turns = 0
        for stage in self.stages:
            stage.restart_statistics(now)
        for pool in self.pools:
            pool.restart_statistics(now)

    def _unfinished(self, now: float) -> float:
        """The time that the sessions now alive have lived."""
        return total(now - session.began for session in self.living)

    # ------------------------------------------------------------------ end

    def _end(self) -> float:
        """The time the run ended; an error when requested arrivals did not come and leave."""
        waiting = deadlocked(self.living, self.legs)
        if waiting:
            raise self._faults.deadlock(waiting)
        settings = self.program.settings
        if settings.arrivals is None:
            self.clock._now = settings.horizon
            return settings.horizon
        end, horizon = self.clock._now, value_text(settings.horizon)
        if self.arrivals < settings.arrivals:
            raise RunError(
                f"run: horizon {horizon} reached before requested arrivals: "
                f"got {self.arrivals}, requested {settings.arrivals}"
            )
        if self.living:
            raise RunError(
                f"run: failed to drain {len(self.living)} active sessions within horizon {horizon}"
            )
        if end <= settings.warmup:
            raise RunError(
                f"run: arrivals drained at {value_text(end)} before or at warmup "
                f"{value_text(settings.warmup)}; no measurement interval"
            )
        return end

    def _record(self, end: float) -> RunRecord:
        settings = self.program.settings
        measured = end - settings.warmup
        live_time = self.live_time + self._unfinished(end)
        over = self._over_cap()
        claims = self.claims.ended(end, len(self.living), self._bound.ends)
        samples = [*self.observations, *self.client]
        for column in samples:
            column.drop_before(settings.warmup)
        return RunRecord(
            horizon=settings.horizon,
            warmup=settings.warmup,
            seed=settings.seed,
            end=end,
            events=self.clock.events,
            arrivals=self.arrivals,
            ended=self.arrivals - len(self.living) - self._ended_before,
            turns=self.turns,
            mean_live=live_time / measured,
            observations=tuple(self.observations),
            client=tuple(self.client),
            gauges=tuple(self._gauges),
            claims=claims,
            stages=tuple(stage.record(end, measured) for stage in self.stages),
            pools=tuple(pool.record(end, over.get(pool)) for pool in self.pools),
            tests=observed_tests(self.program),
        )

    def _over_cap(self) -> dict[Pool, OverCap]:
        """The pools that the head of a line asks for more than their cap."""
        found: dict[Pool, OverCap] = {}
        for queue in self.pools:
            if not len(queue.line):
                continue
            hold = queue.line.head()
            for pool, demand in zip(hold.pools, hold.statement.demands, strict=True):
                need = demand.asked(hold.customer)[1]
                if not pool.can_ever_fit(need):
                    found.setdefault(pool, OverCap(queue.name, need))
        return found


def _waits(entry: Entry) -> float:
    """1 if the entry's session waits in some pool's line, else 0."""
    session = entry.session
    waiting = session is not None and isinstance(session._target, Hold)
    return 1.0 if waiting and not session._target.allocations else 0.0  # type: ignore[union-attr]
