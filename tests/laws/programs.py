"""Random programs of pools, stages and sessions that link by construction.

A program is drawn choice by choice from a `random.Random`, which may be hypothesis's own,
so that a failing program shrinks. It is small and crowded: a few units of memory, a few
servers, sessions that come faster than they leave, so that lines, evictions, preemptions
and growths that wait are common, and a run takes milliseconds.

On the *grid* all times and amounts are multiples of a quarter: many events fall on one
instant and sums are exact, which makes the order of things visible.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st
from laws.expressions import Expressions
from laws.statements import Server
from laws.words import Lines, Pool, Stage


@dataclass(frozen=True)
class Made:
    """A program's text and its settings."""

    source: str
    settings: dict[str, float | int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"\n{self.source}\n{self.settings}"


def programs(
    *, grid: bool | None = None, spills: bool = True, warmup: bool = True
) -> st.SearchStrategy[Made]:
    """Programs for hypothesis; without `spills` no pool writes what it evicts to another."""

    def make(random: Random) -> Made:
        on_grid = random.random() < 0.5 if grid is None else grid
        return Writer(random, grid=on_grid, spills=spills, warmup=warmup).program()

    return st.builds(make, st.randoms(use_true_random=False))


class Writer:
    """Writes one program."""

    def __init__(
        self, random: Random, *, grid: bool = True, spills: bool = True, warmup: bool = True
    ) -> None:
        self.random = random
        self.spills = spills
        self.warmup = warmup
        self.lines = Lines()
        self.stages = [self._stage(number) for number in range(random.randint(1, 3))]
        self.stages.append(Stage("tail", 1, "delay"))
        self.pools = [self._pool(number) for number in range(random.randint(1, 3))]
        if spills and random.random() < 0.2:
            self.pools.append(Pool("tier", 1, random.choice((6.0, 20.0, 1000.0)), None, False))
        self.expressions = Expressions(random, self.pools, self.stages, grid=grid)

    def program(self) -> Made:
        """The whole text, and settings that suit it."""
        with self.lines.block("fn main()"):
            for pool in self.pools:
                self._declare_pool(pool)
            for stage in self.stages:
                self._declare_stage(stage)
            arrival = self._workload()
            with self.lines.block("server"):
                Server(self.random, self.lines, self.expressions).write()
            for number in range(self.random.randint(0, 2)):
                value = self.expressions.expression(self.expressions.gauged(), 1)
                self.lines.add(f"gauge g{number} = {value};")
        return Made(self.lines.text(), self._settings(arrival))

    def _settings(self, arrival: str) -> dict[str, float | int]:
        random = self.random
        settings: dict[str, float | int] = {
            "horizon": random.choice((8, 20, 40)),
            "seed": random.randint(0, 9),
        }
        if self.warmup and random.random() < 0.3:
            settings["warmup"] = random.choice((1, 2.5, 6))
        if arrival in ("poisson", "renewal") and random.random() < 0.3:
            settings |= {"arrivals": random.randint(1, 25), "horizon": 500}
        return settings

    # ---------------------------------------------------------- declarations

    def _stage(self, number: int) -> Stage:
        kind = self.random.choice(("fifo", "fifo", "ps", "ps", "delay"))
        return Stage(f"s{number}", self.random.choice((1, 1, 1, 2)), kind)

    def _pool(self, number: int) -> Pool:
        random = self.random
        return Pool(
            f"p{number}",
            random.choice((1, 1, 1, 2)),
            random.choice((3.0, 4.0, 5.0, 6.0, 8.0, 12.0)),
            random.choice((None, None, 1.0, 2.0, 1.5)),
            random.random() < 0.45,
        )

    def _declare_stage(self, stage: Stage) -> None:
        kind = stage.kind
        if kind == "fifo":
            kind = self.random.choice(("fifo", "fifo", "fifo (2)"))
        elif kind == "ps":
            kind = f"ps ({self.expressions.capacity()})"
        self.lines.add(f"stage {stage.declared} : {kind};")

    def _declare_pool(self, pool: Pool) -> None:
        random, lines, texts = self.random, self.lines, self.expressions
        with lines.block(f"pool {pool.declared}"):
            lines.add(f"cap {pool.cap:g};")
            if pool.block is not None:
                lines.add(f"block {pool.block:g};")
            if random.random() < 0.4:
                lines.add(f"evict by ({texts.keys(texts.evicting())});")
            if random.random() < 0.4:
                lines.add(f"queue by ({texts.keys(texts.queueing())});")
            if pool.preempts:
                lines.add(f"preempt {self._preemption()};")
            if random.random() < 0.25:
                lines.add("reserve held;")
            self._declare_spill(pool)

    def _preemption(self) -> str:
        if self.random.random() < 0.4:
            return "lifo"
        requeue = self.random.choice(("", " requeue head", " requeue tail"))
        return f"by ({self.expressions.keys(self.expressions.preempting())}){requeue}"

    def _declare_spill(self, pool: Pool) -> None:
        if not self.spills or pool.name == "tier" or self.pools[-1].name != "tier":
            return
        if self.random.random() < 0.6:
            texts = self.expressions
            sizes = [*texts.evicting(), "~uniform(0, 1)", "~bernoulli(0.5)"]
            work = texts.expression(sizes, 1)
            stage = self.random.choice([stage for stage in self.stages if stage.size == 1])
            when = self.random.choice(("1", f"{texts.expression(sizes, 1)} > 0.5"))
            self.lines.add(f"spill tier via {stage.name} (min(2, {work})) when ({when});")

    # -------------------------------------------------------------- workload

    def _workload(self) -> str:
        random, lines, texts = self.random, self.lines, self.expressions
        arrival = random.choice(("poisson", "renewal", "renewal", "closed", "batch", "batch"))
        with lines.block("workload"):
            lines.add(f"arrive {self._arrival(arrival)};")
            with lines.block("init"):
                lines.add(f"Size a = {texts.small_whole()};")
                leaves = ["a", "serial", texts.number(), texts.draw()]
                lines.add(f"Size b = {texts.expression(leaves, 2)};")
                if random.random() < 0.3:
                    lines.add(f"observe born = {texts.live(1)};")
            if random.random() < 0.6:
                with lines.block("turn"):
                    lines.add(f"Size a = {texts.small_whole()};")
                    if random.random() < 0.3:
                        lines.add(f"observe began = {texts.live(1)};")
            if random.random() < 0.6:
                with lines.block("session"):
                    self._session()
        return arrival

    def _arrival(self, law: str) -> str:
        random, texts = self.random, self.expressions
        match law:
            case "poisson":
                return f"poisson({random.choice((0.5, 1, 2))})"
            case "renewal":
                gap = random.choice(
                    ("~exp(0.75)", "~uniform(0.25, 2)", "~erlang(2, 1)", "~h2(1, 3)")
                )
                steady = random.choice(("0.5", "0.75", "1", "0.5 + 0.5 * ~bernoulli(0.5)"))
                return f"renewal({steady if texts.grid else gap})"
            case "closed":
                return f"closed({random.randint(1, 5)})"
            case _:
                return f"batch({random.randint(1, 8)})"

    def _session(self) -> None:
        """Turns with the client's time between them."""
        random, lines, texts = self.random, self.lines, self.expressions
        lines.add("turn;")
        if random.random() < 0.4:
            lines.add(f"tool {texts.work()};")
        if random.random() < 0.5:
            lines.add("set more_turns = 0;")
            with lines.block(f"while (more_turns < {random.choice(('1', '2', 'serial'))})"):
                lines.add("set more_turns = more_turns + 1;")
                if random.random() < 0.7:
                    lines.add(f"tool {texts.work()};")
                if random.random() < 0.3:
                    with lines.block(f"branch ({texts.test(texts.statements())})"):
                        lines.add("end;")
                lines.add("turn;")
        elif random.random() < 0.5:
            with lines.block(f"branch ({texts.test(texts.statements())})"):
                lines.add("turn;")
        if random.random() < 0.2:
            lines.add(f"observe left = {texts.live(1)};")
