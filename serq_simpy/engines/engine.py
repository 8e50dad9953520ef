"""An engine: a stage that serves its jobs in iterations, by continuous batching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from serq_simpy.engines.activity import Activity
from serq_simpy.engines.iteration import Iteration
from serq_simpy.engines.residents import Residents
from serq_simpy.engines.run import EngineRun
from serq_simpy.engines.steady import SteadyDecodes, is_whole
from serq_simpy.measure.record import Stage as StageRecord
from serq_simpy.resources.cache import TOLERANCE
from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.measure.claims import ClaimCheck
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.hold import Allocation
    from serq_simpy.resources.pool import Pool


@dataclass(frozen=True, slots=True)
class Rules:
    """What a program says of an engine, as functions of the state.

    `schedule` carries out an iteration's statements; `registers` are the numbers of those
    it sets; `claims` are read as an iteration starts. `steadily` says that the schedule
    begins by serving everybody in order, so that decodes may be counted together.
    """

    budget: Callable[[], float]
    chunk: Callable[[], float]
    granule: float | None
    execute: Callable[[], float]
    schedule: Callable[[Iteration], None]
    registers: Sequence[int]
    steadily: bool
    claims: Sequence[tuple[ClaimCheck, Callable[[], float]]] = ()


class Timeless(Exception):
    """An engine's iteration of so many `tokens` would last `duration`, which is no time."""

    def __init__(self, engine: Engine, duration: float, tokens: float) -> None:
        super().__init__(f"{engine.name}: {duration}")
        self.engine = engine
        self.duration = duration
        self.tokens = tokens


class Engine(Stage):
    """The runs on an engine and its iterations.

    `memory` is the pool on the engine's device and `admitting` are the pools whose lines
    it serves, in the order of declaration; `waiting` counts the holds in these lines.
    `residents` are all runs, `alone` those that are not `steady`, both in the serving order.

    The engine's process calls `form` and, when the iteration's time is over, `commit`.
    """

    def __init__(
        self, clock: Clock, name: str, index: int | None, order: int, registers: list[float]
    ) -> None:
        super().__init__(clock, name, index, order)
        self.rules: Rules
        self.granule: float | None = None
        self.memory: Pool | None = None
        self.admitting: list[Pool] = []
        self.waiting = 0
        self.residents = Residents()
        self.alone = Residents()
        self.steady = SteadyDecodes()
        self.iteration = Iteration(self)
        self.activity = Activity()
        self.served = 0.0
        """The tokens of earlier iterations, where claims read them."""
        self._registers = registers
        self._newcomers: list[EngineRun] = []
        self._joined = 0
        self._decodes = 0
        self._idle = False
        self._steadily = False

    def follow(self, rules: Rules) -> None:
        """Set the rules, which read the engine and the pools."""
        self.rules = rules
        self.granule = rules.granule
        self._steadily = rules.steadily and (self.memory is None or self.memory.counts_growth)

    def admit_from(self, pool: Pool) -> None:
        """Serve the line of a pool."""
        self.admitting.append(pool)
        pool.served_by(self)

    def remember_in(self, pool: Pool) -> None:
        """Have a pool as memory: for its units only residents are preempted."""
        self.memory = pool
        pool.candidates = self.candidates

    # ------------------------------------------------------------ its runs

    def prefill(
        self, customer: Customer, work: float, allocation: Allocation | None = None
    ) -> EngineRun:
        """A run of `work` > 0 tokens to prefill; `allocation` grows with them."""
        return self._join(customer, work, allocation, decoding=False)

    def decode(
        self, customer: Customer, work: float, allocation: Allocation | None = None
    ) -> EngineRun:
        """A run of `work` > 0 tokens to decode; `allocation` grows with them."""
        return self._join(customer, work, allocation, decoding=True)

    def _join(
        self, customer: Customer, work: float, allocation: Allocation | None, *, decoding: bool
    ) -> EngineRun:
        now = self.clock._now
        self._joined += 1
        order = (customer.admission, self._joined)
        run = EngineRun(self, customer, work, now, order, decoding=decoding, allocation=allocation)
        self.residents.add(run)
        self.alone.add(run)
        self._decodes += decoding
        self._enter(now)
        if self.iteration.forming:
            self._newcomers.append(run)
        return run

    def take_newcomers(self) -> list[EngineRun]:
        """The residents that joined since the last call, in the serving order."""
        if not self._newcomers:
            return []
        found = sorted((run for run in self._newcomers if run.resident), key=lambda run: run.order)
        self._newcomers.clear()
        return found

    def withdraw(self, job: Job) -> None:
        assert isinstance(job, EngineRun)
        if not job.resident:
            return  # done, and its customer already in the ready line
        if job.steady:
            self._stop_steady(job)
        if job.stalled is not None:
            job.stalled.cancel()
        if job in self.iteration.served:
            self.iteration.take_back(job)
        self._remove(job)
        self._abandon(job, self.clock._now)

    def _stop_steady(self, run: EngineRun) -> None:
        """Let a steady run stand alone, as a run that had its token in this iteration."""
        self.detach(run)
        if self.iteration.steady:
            self.iteration.serve_alone(run)

    def _remove(self, run: EngineRun) -> None:
        self.residents.remove(run)
        self.alone.remove(run)
        self._decodes -= run.decoding
        run.resident = False
        self._leave(self.clock._now)

    # ------------------------------------------------------- steady decodes

    def detach(self, run: EngineRun) -> None:
        """Take a run out of the steady decodes."""
        self.steady.remove(run)
        self.steady.held -= run.held(self.memory)
        self.alone.add(run)

    def dissolve(self) -> None:
        """Let every run stand alone."""
        if not self.steady.count:
            return
        for run in self.steady.dissolve():
            if self.iteration.steady:
                self.iteration.serve_alone(run)
        self.alone = Residents(self.residents)

    def _steady_again(self, served: list[EngineRun]) -> None:
        """Count the decodes together that had a token and have more to come."""
        added = False
        for run in served:
            if run.decoding and not run.customer.shares_turn:
                held = run.held(self.memory)
                if is_whole(run, self.memory, held):
                    self.steady.add(run, held)
                    added = True
        if added:
            self.alone = Residents(run for run in self.alone if not run.steady)

    # ------------------------------------------------- what expressions read

    @property
    def decoding(self) -> float:
        """The residents that decode."""
        return float(self._decodes)

    @property
    def kv_decode(self) -> float:
        """What the customers of residents that decode have of the memory."""
        return self.steady.held + self._held(decoding=True)

    @property
    def kv_prefill(self) -> float:
        """What the customers of residents that prefill have of the memory."""
        return self._held(decoding=False)

    def _held(self, *, decoding: bool) -> float:
        units = 0.0
        for run in self.alone:
            if run.decoding is decoding:
                units += run.held(self.memory)
        return units

    @property
    def busy(self) -> float:
        """The runs in the iteration that is running."""
        if self.iteration.forming:
            return 0.0
        return float(len(self.iteration.served) + self.iteration.steady)

    def work(self) -> float:
        left = -0.0
        for run in self.residents:
            left += self.steady.remaining(run) if run.steady else run.remaining
        return left

    def budget_left(self) -> float:
        """What a header is told of the budget; elsewhere, what all residents would leave."""
        if self.iteration.asking is not None:
            return self.iteration.asking
        left = self.rules.budget()
        chunk = self.rules.chunk()
        for run in self.alone:
            left -= run.wanted(chunk if chunk > 0.0 else inf)
        return max(0.0, left - self.steady.count)

    def demand(self) -> float:
        """The tokens that all residents could take of an unlimited budget."""
        wanted = -0.0
        for run in self.alone:
            wanted += run.wanted(self.iteration.chunk)
        return wanted + self.steady.count

    def jobs(self) -> list[Job]:
        return list(self.residents)

    def candidates(self) -> list[Allocation]:
        """The holds of residents on the memory, in the serving order, up to date."""
        self.dissolve()
        return [
            allocation
            for run in self.residents
            for hold in run.customer.holds
            for allocation in hold.allocations
            if allocation.pool is self.memory and allocation.open
        ]

    # ------------------------------------------------------------ iterations

    @property
    def wants_iteration(self) -> bool:
        """Whether there is somebody to serve or to admit."""
        return bool(self.present or self.waiting)

    def admit_next(self) -> bool:
        """Try the next hold of the first line where one waits; whether it was admitted."""
        for pool in self.admitting:
            if len(pool.line):
                return pool.admit_head()
        return False

    def form(self) -> float | None:
        """Form an iteration and start it; how long it lasts, None when there is none.

        Raises `Timeless` when an iteration with tokens would not last a positive time.
        """
        iteration, rules = self.iteration, self.rules
        iteration.begin(rules.budget(), rules.chunk())
        before = self._registers[:] if rules.registers else ()
        rules.schedule(iteration)
        self._newcomers.clear()
        empty = iteration.empty
        self._idle = empty and not iteration.preempted
        if self._idle:
            iteration.forming = False
            if rules.registers and not iteration.admitted:
                self._registers[:] = before
            return None
        if rules.claims:
            self._read_claims()
        duration = self._lasting(rules.execute())
        self._start(duration)
        return duration

    def _read_claims(self) -> None:
        now = self.clock._now
        for check, holds in self.rules.claims:
            if check.open:
                check.read(holds(), now)
        self.served += self.iteration.tokens

    def _lasting(self, duration: float) -> float:
        """The time that `execute` gave, if it is one; a step that only preempted may take none."""
        if duration > 0.0:
            return duration
        if self.iteration.empty:
            return 0.0
        raise Timeless(self, duration, self.iteration.tokens)

    def _start(self, duration: float) -> None:
        """The iteration begins: what it computes counts in the positions from now on."""
        iteration = self.iteration
        iteration.forming = False
        if iteration.steady:
            self.steady.started += 1
        decodes = iteration.steady
        for run in iteration.served:
            decodes += run.decoding
            if run.allocation is not None:
                run.allocation.position += run.tokens
                run.allocation.hold.advanced = True
        prefills = iteration.steady + len(iteration.served) - decodes
        self.activity.begin(self.clock._now, duration, prefills, decodes)

    def commit(self) -> None:
        """The iteration's time is over: its tokens are there, and runs that are done end."""
        iteration, now = self.iteration, self.clock._now
        self.activity.end(now)
        steady, tokens = self.steady, iteration.steady
        before = steady.last_time
        steady.committed, steady.last_time = steady.started, now
        if iteration.served:
            gaps = {now - before: tokens} if tokens else {}
            self._commit_each(iteration.over(), now, gaps)
        elif tokens:
            self.activity.gaps.add(now - before, tokens)
            iteration.steady = 0

    def _commit_each(self, served: list[EngineRun], now: float, gaps: dict[float, int]) -> None:
        """Commit the tokens of runs that stand alone; `gaps` counts those before them."""
        for run in served:
            run.remaining -= run.tokens
            if run.decoding or run.remaining <= TOLERANCE:
                self._token(run, now, gaps)
        self.activity.count_gaps(gaps)
        self._end_done(served, now)

    def _token(self, run: EngineRun, now: float, gaps: dict[float, int]) -> None:
        customer = run.customer
        turn = customer.turn_tokens
        if not run.decoding:
            turn.prefilled(now)
        elif turn.decoded(now):
            customer.first_token_known()
        gap = run.last_token.next(now, self.activity.gaps, decoded=run.decoding)
        if gap is not None:
            gaps[gap] = gaps.get(gap, 0) + 1

    def _end_done(self, served: list[EngineRun], now: float) -> None:
        going_on = []
        for run in served:
            if run.remaining <= TOLERANCE:
                self._remove(run)
                self._complete(run, now)
                self.clock.ready(run)
            else:
                going_on.append(run)
        if self._steadily:
            self._steady_again(going_on)

    # ------------------------------------------------------------ statistics

    def restart_statistics(self, now: float) -> None:
        super().restart_statistics(now)
        self.activity.restart(now)

    def record(self, now: float, measured: float) -> StageRecord:
        idle = self._idle and self.wants_iteration
        return self.activity.record(super().record(now, measured), now, measured, idle=idle)
