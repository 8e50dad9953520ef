"""Forming an iteration: whom it serves, with how many tokens, and whom it admits."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, inf
from typing import TYPE_CHECKING

from serq_simpy.engines.growth import grow_for
from serq_simpy.engines.together import shares
from serq_simpy.resources.cache import total_order

if TYPE_CHECKING:
    from serq_simpy.engines.engine import Engine
    from serq_simpy.engines.run import EngineRun

Predicate = Callable[["EngineRun"], float]
Keys = Callable[["EngineRun"], tuple[float, ...]]
Gate = Callable[[], float]


class Iteration:
    """The iteration that an engine forms or runs, and what a schedule can do in it.

    `left` is the budget not yet given away, `chunk` the most that a prefill gets. `served`
    has the runs with tokens in the order they were served, but for the `steady` decodes,
    which get one token each. `asking` is the budget that a header is told while a hold is
    tried, None else.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.number = 0
        self.forming = False
        self.served: dict[EngineRun, None] = {}
        self.steady = 0
        self.left = self.chunk = 0.0
        self.tokens = self.prefilled = -0.0
        self.admitted = self.preempted = 0.0
        self.asking: float | None = None
        self._closed = False

    def begin(self, budget: float, chunk: float) -> None:
        """Form a new one after `over`. A chunk of 0 is no cap; an empty sum is -0."""
        self.number += 1
        self.forming = True
        self.left = budget
        self.chunk = chunk if chunk > 0.0 else inf
        self.tokens = self.prefilled = -0.0
        self.admitted = self.preempted = 0.0
        self._closed = False

    def over(self) -> list[EngineRun]:
        """It gives nothing more; the runs it served, but for the steady ones."""
        served = list(self.served)
        self.served = {}
        self.steady = 0
        return served

    # ------------------------------------------------- what it is made of

    @property
    def empty(self) -> bool:
        """Whether it gives no one a token."""
        return not self.served and not self.steady

    @property
    def decoding(self) -> float:
        """The decodes served."""
        return float(self.steady + sum(run.decoding for run in self.served))

    @property
    def kv_decode(self) -> float:
        """What the customers of the decodes served have of the engine's memory."""
        steady = self._engine.steady.held if self.steady else 0.0
        return steady + self._held(decoding=True) if self.served else steady

    @property
    def kv_prefill(self) -> float:
        """What the customers of the prefills served have of the engine's memory."""
        return self._held(decoding=False) if self.served else 0.0

    def _held(self, *, decoding: bool) -> float:
        memory, units = self._engine.memory, 0.0
        for run in self.served:
            if run.decoding is decoding:
                units += run.held(memory)
        return units

    @property
    def attention(self) -> float:
        """Sum of n (K + n/2) over prefill chunks of n tokens behind K computed ones."""
        total = 0.0
        for run in self.served:
            if not run.decoding:
                before = 0.0 if run.allocation is None else run.allocation.position
                total += run.tokens * (before + run.tokens / 2.0)
        return total

    # ---------------------------------------------- the schedule's statements

    def advance(self, only: Predicate | None = None, keys: Keys | None = None) -> None:
        """`advance running`: serve the residents not yet served while budget is left."""
        engine = self._engine
        if self.steady:
            self._serve_each(engine.alone.snapshot(), only, keys)
            return
        if engine.steady.count:
            if only is None and keys is None and self._serve_together():
                return
            engine.dissolve()
        self._serve_each(engine.residents.snapshot(), only, keys)

    def admit(self, only: Predicate | None = None, gate: Gate | None = None) -> None:
        """`admit waiting`: admit holds one by one and serve who joins with them."""
        while self.left > 0.0 and not self._closed and (gate is None or gate()):
            if not self._admit_one(self.left):
                return
            if not self._serve_each(self._engine.take_newcomers(), only, None):
                return

    def unpreempted(self) -> bool:
        """The `while` of the plain schedule: `running.preempted == 0`."""
        return not self.preempted

    def exclude(self) -> None:
        """`exclusive prefill`, and the admissions that go with it."""
        engine = self._engine
        engine.dissolve()
        budget = self.left
        for run in engine.residents:
            if not run.decoding:
                self._serve_each([run], None, None)
                return
        self._serve_each(engine.residents.snapshot(), None, None)
        while self.left > 0.0 and not self.preempted:
            if not self._admit_one(budget):
                return
            joined = engine.take_newcomers()
            prefill = next((run for run in joined if not run.decoding), None)
            if prefill is None:
                self._serve_each(joined, None, None)
            elif self._displaces(prefill, budget):
                return

    def _displaces(self, prefill: EngineRun, budget: float) -> bool:
        """Serve a prefill alone, if it can grow; what the decodes grew stays allocated."""
        tokens = self.share(prefill, budget)
        self.preempted += grow_for(prefill, tokens)
        if not prefill.resident or prefill.stalled is not None:
            return False
        for run in self.served:
            run.served_in = 0
        self.served = {}
        self.left = budget
        self.tokens = self.prefilled = -0.0
        return self._give(prefill, tokens)

    # ------------------------------------------------------------ one by one

    def _serve_each(self, runs: list[EngineRun], only: Predicate | None, keys: Keys | None) -> bool:
        """Serve residents in order, or by keys, until the budget is spent.

        A grower that is its own victim ends the statement: False.
        """
        if keys is not None:
            return self._serve_by_keys(runs, only, keys)
        for run in runs:
            if not self.left > 0.0:
                return True
            if not self._consider(run, only):
                return False
        return True

    def _serve_by_keys(self, runs: list[EngineRun], only: Predicate | None, keys: Keys) -> bool:
        """The keys are read anew before each choice: growth may have changed them."""
        waiting = [run for run in runs if run.served_in != self.number]
        while waiting and self.left > 0.0:
            first = min(waiting, key=lambda run: total_order(keys(run)))
            waiting.remove(first)
            if not self._consider(first, only):
                return False
            waiting = [run for run in waiting if run.resident]
        return True

    def _consider(self, run: EngineRun, only: Predicate | None) -> bool:
        """Serve a run if it is its turn; whether the statement goes on."""
        if not run.resident or run.served_in == self.number or run.stalled is not None:
            return True
        if only is not None and only(run) == 0.0:
            return True
        tokens = self.share(run, self.left)
        if tokens == 0.0:
            self._closed = True
            return True
        return self._give(run, tokens)

    def share(self, run: EngineRun, left: float) -> float:
        """The tokens that a run takes of what is left; 0 by the granule."""
        tokens = min(run.wanted(self.chunk), left)
        granule = self._engine.granule
        if granule is not None and not run.decoding and tokens < run.remaining:
            return 0.0 if tokens < granule else floor(tokens / granule) * granule
        return tokens

    def _give(self, run: EngineRun, tokens: float) -> bool:
        if run.allocation is not None:
            self.preempted += grow_for(run, tokens)
            if not run.resident:
                return False
            if run.stalled is not None:
                return True
        run.served_in, run.tokens = self.number, tokens
        self.served[run] = None
        self.left -= tokens
        self.tokens += tokens
        if not run.decoding:
            self.prefilled += tokens
        return True

    def take_back(self, run: EngineRun) -> None:
        """A run that was served has left the engine: its tokens return to the budget."""
        del self.served[run]
        if not self.forming:
            return
        self.left += run.tokens
        if self.empty:
            self.tokens = self.prefilled = -0.0
            return
        self.tokens -= run.tokens
        if not run.decoding:
            self.prefilled -= run.tokens

    # -------------------------------------------------------- steady decodes

    def serve_alone(self, run: EngineRun) -> None:
        """A decode served as a steady one stands alone from now on."""
        self.steady -= 1
        run.served_in, run.tokens = self.number, 1.0
        self.served[run] = None

    def _serve_together(self) -> bool:
        """Give every steady decode its token, and the others theirs, if that can be done."""
        engine = self._engine
        steady, alone = engine.steady, None
        if engine.alone.runs or not steady.undisturbed():
            alone = shares(engine, self)
            if alone is None:
                return False
        elif not self.left >= steady.count:
            return False
        self.steady = steady.count
        self.left -= self.steady
        self.tokens += self.steady
        for run, tokens in alone or ():
            if tokens:
                self._give(run, tokens)
            else:
                self._closed = True
        return True

    def _admit_one(self, budget: float) -> bool:
        """Admit the next hold that waits for the engine, and let everybody act who is ready."""
        self.asking = budget
        admitted = self._engine.admit_next()
        self.asking = None
        if admitted:
            self.admitted += 1.0
            self._engine.clock.run_ready()
        return admitted
