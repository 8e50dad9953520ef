"""Expressions of random programs: what may be read at each moment, and amounts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from laws.words import Pool, Stage

_ATTRIBUTES = ("a", "b", "x", "serial", "turn_no", "computed")


class Expressions:
    """Writes expressions over the names that a moment may read."""

    def __init__(
        self, random: Random, pools: Sequence[Pool], stages: Sequence[Stage], *, grid: bool
    ) -> None:
        self.random = random
        self.pools = pools
        self.stages = stages
        self.grid = grid

    # ---------------------------------------------------------------- leaves

    def number(self) -> str:
        if self.grid:
            return f"{self.random.randint(0, 16) / 4:g}"
        return f"{self.random.randint(0, 400) / 100:g}"

    def draw(self) -> str:
        random = self.random
        if self.grid:
            return random.choice(("~bernoulli(0.5)", "floor(~uniform(0, 4)) / 2", "~det(0.5)"))
        laws = ("exp(0.8)", "uniform(0, 2)", "erlang(2, 1)", "h2(1, 3)", "bernoulli(0.4)", "det(1)")
        return "~" + random.choice(laws)

    def attributes(self) -> list[str]:
        return [*_ATTRIBUTES, self.number(), self.number()]

    def gauged(self) -> list[str]:
        """What the state tells without a session: of members by number."""
        return [self._pool_figure(), self._stage_figure(), self._pool_figure(), self.number()]

    def observables(self) -> list[str]:
        pool = self.pool_member(self.random.choice(self.pools))
        return [*self.gauged(), f"cachedin({pool})", f"work({self._stage_member()})"]

    def statements(self) -> list[str]:
        """What a statement may read, but draws."""
        return [*self.attributes(), *self.observables(), "v", "now"]

    def queueing(self) -> list[str]:
        return [*self.statements(), "waited", "-waited", "waited"]

    def evicting(self) -> list[str]:
        return [*self.attributes(), *self.observables(), "size", "age", "last", "waiting", "size"]

    def preempting(self) -> list[str]:
        leaves = [leaf for leaf in self.statements() if leaf != "computed"]
        return [*leaves, "admission", "position", "-admission"]

    def _pool_figure(self) -> str:
        figure = self.random.choice(("used", "free", "holders", "queued"))
        return f"{figure}({self.pool_member(self.random.choice(self.pools))})"

    def _stage_figure(self) -> str:
        figure = self.random.choice(
            ("queue", "busy", "queue", "busy", "est_lambda", "est_rho", "est_wait")
        )
        return f"{figure}({self._stage_member()})"

    def pool_member(self, pool: Pool) -> str:
        return pool.name if pool.size == 1 else f"{pool.name}[{self.random.randrange(pool.size)}]"

    def _stage_member(self) -> str:
        stage = self.random.choice(self.stages)
        return (
            stage.name if stage.size == 1 else f"{stage.name}[{self.random.randrange(stage.size)}]"
        )

    # ----------------------------------------------------------- expressions

    def expression(self, leaves: Sequence[str], depth: int) -> str:
        """An expression over the leaves, of any value."""
        random = self.random
        if depth <= 0 or random.random() < 0.3:
            return random.choice(leaves)
        left = self.expression(leaves, depth - 1)
        right = self.expression(leaves, depth - 1)
        form = random.choice(("+", "-", "*", "+", "-", "min", "max", "?", "floor", "<", "-x", "/"))
        match form:
            case "min" | "max":
                return f"{form}({left}, {right})"
            case "?":
                return f"({self.test(leaves, depth - 1)} ? {left} : {right})"
            case "floor":
                return f"floor({left})"
            case "<":
                return f"({left} < {right})"
            case "-x":
                return f"(-{left})" if not left.startswith("-") else f"(0 {left})"
            case "/":
                return f"({left} / {random.choice(('2', '4'))})"
            case _:
                return f"({left} {form} {right})"

    def test(self, leaves: Sequence[str], depth: int = 1) -> str:
        """A comparison."""
        relation = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        left, right = self.expression(leaves, depth), self.expression(leaves, depth)
        return f"{left} {relation} {right}"

    def live(self, depth: int) -> str:
        """What a statement may read, draws too."""
        return self.expression([*self.statements(), self.draw()], depth)

    def keys(self, leaves: Sequence[str]) -> str:
        return ", ".join(
            self.expression(leaves, 1) for _ in range(self.random.choice((1, 1, 1, 2)))
        )

    def capacity(self) -> str:
        """φ of a `ps` stage."""
        random = self.random
        shapes = ("1", "2", "1", "0.5 * present + 0.5", "min(present, 2)", "present")
        if random.random() < 0.7:
            return random.choice(shapes)
        return f"max(0.25, min(4, {self.expression([*self.gauged(), 'present', 'now'], 2)}))"

    # --------------------------------------------------------------- amounts

    def amount(self, leaves: Sequence[str], most: float) -> str:
        """An expression from 0 to `most`."""
        return f"max(0, min({most:g}, {self.expression(leaves, 2)}))"

    def small_whole(self) -> str:
        return self.random.choice(("1", "2", "1 + floor(~uniform(0, 4))", "2 + ~bernoulli(0.5)"))

    def work(self) -> str:
        """A job's work, mostly above 0."""
        random = self.random
        least = random.choice(("0", "0.25", "0.5", "1"))
        leaves = [*self.statements(), self.draw(), self.draw()]
        if random.random() < 0.5:
            return f"({least} + {self.draw()})"
        return f"max({least}, min(3, {self.expression(leaves, 1)}))"
