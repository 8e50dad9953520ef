"""An engine as the IR's step stage, one a member."""

from __future__ import annotations

from collections.abc import Iterable

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.engine_values import Clause, ClauseWord
from serq_simpy.frontend.names import Names, check_word
from serq_simpy.frontend.owners import Engine
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.resources import Resources, plain_number
from serq_simpy.frontend.schedules import Schedules
from serq_simpy.frontend.scope import Scope
from serq_simpy.frontend.words import CONSTRUCTS
from serq_simpy.frontend.writing import Writing
from serq_simpy.ir import model as ir


class Steps:
    """Lowers the engines of one program; `registers` are all of them, by name."""

    def __init__(self, writing: Writing, names: Names, registers: dict[str, int]) -> None:
        self._writing = writing
        self._names = names
        self._registers = registers

    def members(self, engine: Engine) -> list[ir.Stage]:
        """The stages of an engine, one a member of its family. Raises `Refused`."""
        step = self._step(engine)
        memory = None if engine.memory is None else self._writing.resources.pools[engine.memory]
        return [
            ir.Stage(
                engine.name,
                i if engine.indexed else None,
                ir.Step(
                    step.budget,
                    step.cost,
                    step.chunk,
                    step.granule,
                    step.serve,
                    None if memory is None else memory.base + i,
                    step.iteration,
                ),
            )
            for i in range(engine.count)
        ]

    def _step(self, engine: Engine) -> ir.Step:
        """The engine without its memory."""
        parts = engine.parts
        assert parts.tokens is not None
        assert parts.schedule is not None
        assert parts.execute is not None
        lowering = _EngineLowering(engine, self._writing)
        budget = lowering.expression(parts.tokens.value, "tokens cap")
        _check_budget(parts.tokens, budget)
        lowering.read_lets(parts.schedule, self._names)
        own = frozenset(state.name for state in parts.states)
        schedules = Schedules(engine.name, self._registers, own, lowering)
        planned = schedules.plan(parts.schedule)
        if not planned.is_body:
            _refuse_unset(engine)
        cost = lowering.expression(parts.execute.value, "execute")
        granule = self._granule(engine)
        return ir.Step(budget, cost, planned.chunk, granule, planned.serve, None, planned.iteration)

    def _granule(self, engine: Engine) -> ir.Expr | None:
        granule = engine.parts.granule
        if granule is None:
            return None
        return ir.Num(self._writing.constant(granule.value, engine.placed))


class _EngineLowering:
    """Lowers the expressions of one engine's clauses."""

    def __init__(self, engine: Engine, writing: Writing) -> None:
        self._engine = engine
        self._writing = writing
        self._scope = engine.placed.scope
        self._execute = Scope(engine.placed.order, resources=engine.device.resources)
        self._capped = self._scope
        self._lets: frozenset[str] = frozenset()

    def read_lets(self, schedule: s.Schedule, names: Names) -> None:
        """Let the schedule's `let`s stand for their values in `each at most`."""
        known: set[str] = set()
        for let in schedule.lets:
            self._check_let(let, known, names)
            known.add(let.name)
            value = self._writing.written_out(let.value, self._capped)
            self._capped = self._capped.with_name(let.name, value)
        self._lets = frozenset(known)

    def _check_let(self, let: s.Let, known: set[str], names: Names) -> None:
        name, span = let.name, let.name_span
        if name in CONSTRUCTS:
            raise Refused(span, f"`{name}` is a word of the language: name the `let` otherwise")
        if name in known:
            raise Refused(span, f"`let {name}` stands in the schedule already")
        check_word(name, "let", span)
        kind = names.kind(name)
        if kind in ("constant", "definition"):
            raise Refused(
                span,
                f"`{name}` is {names.called_by(name)} at {names.place(name)}; a `let` of engine "
                f"`{self._engine.name}`'s schedule named `{name}` would make the one word mean "
                "two things",
                "name one of them otherwise",
            )

    def expression(self, expr: s.Expr, word: ClauseWord) -> ir.Expr:
        """The IR of a clause's expression. Raises `Refused`."""
        return self.lowered(self.written(expr, word), word)

    def written(self, expr: s.Expr, word: ClauseWord) -> s.Expr:
        """A clause's expression, written out. Raises `Refused`."""
        scope = self._scope
        if word == "each at most":
            scope = self._capped
        elif word == "execute":
            scope = self._execute
        else:
            self._refuse_lets(expr)
        return self._writing.written_out(expr, scope)

    def lowered(self, expr: s.Expr, word: ClauseWord) -> ir.Expr:
        """The IR of a clause's expression that is written out. Raises `Refused`."""
        return self._writing.clause(expr, Clause(word, self._waiting))

    def _refuse_lets(self, expr: s.Expr) -> None:
        for node in walk.nodes(expr):
            if isinstance(node, s.Reference) and node.name in self._lets and not node.fields:
                name = node.name
                raise Refused(
                    node.span,
                    f"`{name}` is a `let` of the schedule, read as the iteration starts: it is "
                    "read only in `each at most`",
                    "name an expression that is read where it stands with "
                    f"`def {name}() {{ … }}`, and read `{name}()`",
                )

    def _waiting(self, reference: s.Reference) -> ir.Expr:
        """`waiting.count`: the holds in the queues that the engine admits."""
        engine = self._engine
        if engine.indexed:
            raise Refused(
                reference.span,
                f"`{engine.name}` is a family, and its `waiting.count` would read every member's "
                "queues, which no member's engine may",
                "count a member's own with `queued(…)` where it has an index",
            )
        queues = _members(engine.admits, self._writing.resources)
        total: ir.Expr | None = None
        for queue in queues:
            here = ir.Call("Queued", (queue,))
            total = here if total is None else ir.Binary("Add", total, here)
        return ir.Num(0.0) if total is None else total


def _members(pools: Iterable[str], resources: Resources) -> list[ir.PoolRef]:
    found: list[ir.PoolRef] = []
    for name in pools:
        family = resources.pools[name]
        for i in range(family.count):
            index = ir.Num(float(i)) if family.indexed else None
            found.append(ir.PoolRef(family.base, family.count, index))
    return found


def _refuse_unset(engine: Engine) -> None:
    """A schedule that is no body sets no register."""
    if engine.parts.states:
        name = engine.parts.states[0].name
        raise Refused(
            engine.parts.states[0].name_span,
            f"engine `{engine.name}`: register `{name}` is set by nothing",
            f"a schedule sets it with `set {name} = …;`; a constant is a `let`",
        )


def _check_budget(tokens: s.TokensCap, budget: ir.Expr) -> None:
    value = plain_number(budget)
    if value is not None and value <= 0:
        raise Refused(tokens.span, "`tokens cap` at or below 0: no iteration could compute a token")
