"""The server of a random program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from laws.expressions import Expressions
from laws.words import Lines, Pool


@dataclass
class Held:
    """A pool that a hold being written takes: how it is named, and what may act on it."""

    pool: Pool
    name: str
    units: str
    growing: bool = True
    loaded: bool = False
    released: bool = False


@dataclass
class Scope:
    """Where a statement stands."""

    holds: list[list[Held]] = field(default_factory=list)
    depth: int = 0
    cached: bool = False
    """Whether the innermost hold has a `cache` clause, and no other was met in it."""


class Server:
    """Writes statements that link and mostly run without an error."""

    def __init__(self, random: Random, lines: Lines, texts: Expressions) -> None:
        self.random = random
        self.lines = lines
        self.texts = texts
        self._names = 0
        self._leased: list[str] = []
        self._forms: list[tuple[int, Callable[[Scope], None]]] = [
            (5, self._run),
            (6, self._hold),
            (3, self._set),
            (3, self._observe),
            (2, self._branch),
            (1, self._while),
            (1, self._choose),
            (1, self._drop),
            (1, self._end),
            (2, self._release),
            (6, self._grow),
            (1, self._load),
        ]

    def write(self) -> None:
        """All statements; the first takes time, so that no session comes and goes at once."""
        self.lines.add("set x = x;")
        self.lines.add("set v = v + used(" + self.texts.pool_member(self.texts.pools[0]) + ");")
        self.lines.add("run tail (cost(tail, 0.25));")
        self._statements(Scope(), self.random.randint(1, 5))
        self.lines.add(f"observe end = {self.texts.live(1)};")

    def _statements(self, scope: Scope, count: int) -> None:
        weights = [weight for weight, _ in self._forms]
        for _ in range(count):
            self.random.choices([form for _, form in self._forms], weights)[0](scope)

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    def _inner(self, scope: Scope, **changes: object) -> Scope:
        return Scope(scope.holds, scope.depth + 1, scope.cached)

    # ---------------------------------------------------------------- simple

    def _run(self, scope: Scope) -> None:
        stage = self.random.choice(self.texts.stages)
        member = stage.name if stage.size == 1 else f"{stage.name}[{self._index(stage.size)}]"
        self.lines.add(f"run {member} (cost({stage.name}, {self.texts.work()}));")

    def _index(self, size: int) -> str:
        return self.random.choice((f"{self.random.randrange(size)}", "serial == 0 ? 1 : 0"))

    def _set(self, scope: Scope) -> None:
        if self.random.random() < 0.5:
            leaves = [*self.texts.attributes(), self.texts.draw()]
            self.lines.add(f"set x = min(9, {self.texts.expression(leaves, 2)});")
        else:
            self.lines.add(f"set v = {self.texts.live(2)};")

    def _observe(self, scope: Scope) -> None:
        value = self.texts.live(2)
        if scope.cached and self.random.random() < 0.5:
            value = f"{value} + cached"
        self.lines.add(f"observe {self._name('o')} = {value};")

    def _branch(self, scope: Scope) -> None:
        if scope.depth > 3:
            return
        test = f"branch ({self.texts.test(self.texts.statements())})"
        if self.random.random() < 0.3:
            test = f"branch with ({self.random.choice(('0.5', '0.25', '0.8'))})"
        with self.lines.block(test):
            self._statements(self._inner(scope), self.random.randint(1, 2))
        scope.cached = False
        if self.random.random() < 0.6:
            with self.lines.block("else"):
                self._statements(self._inner(scope), self.random.randint(1, 2))

    def _while(self, scope: Scope) -> None:
        if scope.depth > 2:
            return
        scope.cached = False
        name = self._name("n")
        self.lines.add(f"set {name} = 0;")
        with self.lines.block(f"while ({name} < {self.random.choice(('2', 'min(a, 3)'))})"):
            self.lines.add(f"set {name} = {name} + 1;")
            self.lines.add("run tail (cost(tail, 0.5));")
            self._statements(self._inner(scope), self.random.randint(1, 2))

    def _choose(self, scope: Scope) -> None:
        families = [*self.texts.stages, *self.texts.pools]
        family = self.random.choice(families)
        name = self._name("j")
        figure = "used" if isinstance(family, Pool) else "queue"
        key = f"{figure}({family.name}[{name}])" if family.size > 1 else f"-{name}"
        if self.random.random() < 0.3:
            key = f"{self.texts.live(1)}, {key}"
        self.lines.add(f"choose {name} in {family.size} by ({key});")
        if isinstance(family, Pool) or family.size == 1:
            self.lines.add(f"observe {self._name('o')} = {name};")
        else:
            work = self.texts.work()
            self.lines.add(f"run {family.name}[{name}] (cost({family.name}, {work}));")

    def _drop(self, scope: Scope) -> None:
        pool = self.texts.pool_member(self.random.choice(self.texts.pools))
        self.lines.add(f"drop {pool};")

    def _end(self, scope: Scope) -> None:
        if scope.holds or self.random.random() < 0.7:
            return
        with self.lines.block(f"branch ({self.texts.test(self.texts.statements())})"):
            self.lines.add("end;")

    # ----------------------------------------------------------------- holds

    def _hold(self, scope: Scope) -> None:
        if scope.depth > 3:
            return
        random = self.random
        taken = random.sample(
            list(self.texts.pools), min(len(self.texts.pools), 1 + (random.random() < 0.3))
        )
        caches, admission = random.random() < 0.5, []
        held, heads = [], []
        for pool in taken:
            held_pool, head = self._demand(pool, caches, admission)
            held.append(held_pool)
            heads.append(head)
        names = ", ".join(pool.name for pool in taken)
        reuse = ""
        if caches and random.random() < 0.4:
            reuse = f" reuse (cost({names}, {self._header_value()}))"
        bindings = ""
        if admission:
            bindings = f" at admission ({', '.join(admission)})"
        head = f"hold {', '.join(heads)}{reuse}{bindings}"
        with self.lines.block(head, self._closing(held, names, caches)):
            inner = Scope([*scope.holds, held], scope.depth + 1, caches)
            self._statements(inner, random.randint(1, 4))
            if random.random() < 0.5:
                self._run(inner)
        scope.cached = False

    def _demand(self, pool: Pool, caches: bool, admission: list[str]) -> tuple[Held, str]:
        random = self.random
        name = self.texts.pool_member(pool)
        if pool.size > 1 and random.random() < 0.4:
            index = self._name("i")
            self.lines.add(
                f"set {index} = {random.choice(('serial == 1 ? 0 : 1', '~bernoulli(0.5)'))};"
            )
            name = f"{pool.name}[{index}]"
        units = self._units(pool)
        if random.random() < 0.2:
            binding = self._name("c")
            admission.append(f"{binding} = {units}")
            units = binding
        head = f"{name} (cost({pool.name}, {units}))"
        if random.random() < 0.3:
            head += f" reserve (cost({pool.name}, {self._units(pool)}))"
        return Held(pool, name, units), head

    def _units(self, pool: Pool) -> str:
        random = self.random
        shape = random.random()
        if shape < 0.3:
            return f"{min(pool.room, random.choice((0, 0.5, 1, 1, 2, 2, 3))):g}"
        if shape < 0.6:
            return f"min({pool.room:g}, a)"
        if shape < 0.7:
            return f"max(0, min({pool.cap + 1:g}, a + x))"
        return self.texts.amount([*self.texts.attributes(), *self.texts.observables()], pool.room)

    def _header_value(self) -> str:
        return self.texts.expression([*self.texts.attributes(), *self.texts.observables()], 1)

    def _closing(self, held: list[Held], names: str, caches: bool) -> str:
        random = self.random
        end = ""
        if caches:
            end += f" cache (cost({names}, {random.choice((self._kept(), 'a', 'a + 1', '3'))}))"
        if random.random() < 0.2:
            chosen = random.choice(held)
            time = random.choice(("inf", "0", "0.5", "1", "2", self.texts.live(1)))
            end += f" lease {chosen.name} ({time})"
            self._leased.append(chosen.name)
        return end

    def _kept(self) -> str:
        """What a hold caches: anything but `v`, which the state told before the hold."""
        leaves = [*self.texts.attributes(), *self.texts.observables(), "now", self.texts.draw()]
        return self.texts.expression(leaves, 1)

    def _grow(self, scope: Scope) -> None:
        if not scope.holds:
            return
        open_here = [held for hold in scope.holds for held in hold if not held.released]
        if not open_here:
            return
        held = self.random.choice(open_here)
        amount = self.random.choice(("1", "0.5", "2", "a", self.texts.amount(self._growing(), 3)))
        self.lines.add(f"grow {held.name} (cost({held.pool.name}, {amount}));")

    def _growing(self) -> list[str]:
        return [*self.texts.statements(), self.texts.draw()]

    def _load(self, scope: Scope) -> None:
        fresh = [held for hold in scope.holds[-1:] for held in hold if not held.loaded]
        if not fresh or not scope.cached:
            return
        held = self.random.choice(fresh)
        if held.released:
            return
        held.loaded = True
        part = self.random.choice(("0.5", "0.25", "0"))
        self.lines.add(
            f"load {held.name} (cost({held.pool.name}, max(0, min({part} * a, 2 - cached))));"
        )

    def _release(self, scope: Scope) -> None:
        inside = [held for hold in scope.holds for held in hold if not held.released]
        if inside and self.random.random() < 0.5:
            held = self.random.choice(inside)
            held.released = True
            self.lines.add(f"release {held.name};")
        elif self._leased and not any(
            name == held.name for hold in scope.holds for held in hold for name in self._leased
        ):
            fixed = [name for name in self._leased if "[i" not in name]
            if fixed:
                self.lines.add(f"release {self.random.choice(fixed)};")
