"""What an engine's request may read and set, and the program of what is the request's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from serq_simpy.errors import Span, place
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Problems, Refused, Told
from serq_simpy.frontend.requests import Request
from serq_simpy.frontend.signs import CONTEXT

_BUILT_IN = ("cached", "computed")

Regions = Mapping[str, Span]
"""Where the engines stand in the text, by name."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What there is around the requests.

    `constants` are what any place may name; `resources` the pools and stages; `assigned`
    the attributes that the program sets; `hidden` those of them that a request may read.
    `told` gathers the places of names that are refused.
    """

    constants: Collection[str]
    resources: Collection[str]
    assigned: Collection[str]
    hidden: Collection[str]
    told: Told


class RequestRules:
    """The rules of one request, written out with its parameters as themselves.

    `given` are the names that it assigns or binds, with their places; `own` those of
    them that are no marks. What it calls of other requests is theirs: `regions` are
    where the engines stand.
    """

    def __init__(
        self, request: Request, block: k.Block, around: Surroundings, regions: Regions
    ) -> None:
        self.request = request
        self._engine = request.engine.name
        self._block = block
        self._around = around
        self._regions = regions
        self.given: dict[str, Span] = {}
        for name, span in _names_given(block):
            if self._is_own(span):
                self.given.setdefault(name, span)
        marks = frozenset(name for name in self.given if name.startswith(f"{self._engine}."))
        self._marks = marks
        self.own = frozenset(self.given) - marks - set(request.params)

    def check(self, problems: Problems) -> None:
        """Report what the request sets, holds and reads that it may not."""
        for name, span in self.given.items():
            if name in self.request.params:
                message = f"`{self._engine}.request` sets its parameter `{name}`"
                problems.error(Refused(span, message, "set a name of its own").diagnostic)
        admission = self._admission()
        for statement in _statements(self._block):
            if not self._is_own(statement.span):
                continue
            with problems.catching():
                self._check_pools(statement)
                header = statement is admission
                self._check_reads(_outside_header(statement) if header else statement)
        if admission is not None:
            with problems.catching():
                self._check_header(admission)

    def _is_own(self, span: Span) -> bool:
        return _owner(span, self._regions) == self._engine

    def _admission(self) -> k.Hold | None:
        """The hold of what the request takes."""
        last = self._block[-1] if self._block and self.request.taken else None
        return last if isinstance(last, k.Hold) else None

    # ------------------------------------------------------------------ pools

    def _check_pools(self, statement: k.Statement) -> None:
        for pool in _pools(statement):
            name = walk.dotted(pool)
            if name not in self.request.taken:
                raise Refused(
                    pool.span,
                    f"engine `{self._engine}`'s request holds `{name}`, which its `taking` does "
                    "not take: a request grows and loads the pools it was admitted with",
                    f"write `taking {name} (units)` on `admit waiting`, or hold `{name}` in the "
                    "server",
                )

    # ------------------------------------------------------------------ reads

    def _check_reads(self, exprs: k.Statement | list[s.Expr]) -> None:
        read = exprs if isinstance(exprs, list) else _values(exprs)
        for reference in _references(read):
            name = walk.dotted(reference)
            if name in self._around.resources:
                self._check_resource(reference, name)
            elif not self._sees(name):
                raise self._tell(reference, self._unseen(reference, name))

    def _sees(self, name: str) -> bool:
        return self._admission_sees(name) or name in self._around.hidden or name in CONTEXT

    def _check_resource(self, reference: s.Reference, name: str) -> None:
        if name != self._engine and name not in self.request.taken:
            raise Refused(
                reference.span,
                f"`{self._engine}.request` reads `{name}`, which is not a pool or stage of "
                f"`{self._engine}`'s request",
                "read it in the server and pass what the request needs",
            )

    def _unseen(self, reference: s.Reference, name: str) -> Refused:
        if name in self._marks:
            return Refused(
                reference.span,
                f"`{self._engine}.request` reads `{name}`: what it marks is for the caller",
                f"`set t = now;` beside `mark {name.partition('.')[2]};` keeps the moment",
            )
        if name not in self._around.assigned and not reference.fields:
            return Refused(
                reference.span,
                f"engine `{self._engine}`'s request reads `{name}`, which nothing sets: an "
                "unknown name",
                "declare it, then pass it as a parameter",
            )
        return Refused(
            reference.span,
            f"engine `{self._engine}`'s request reads `{name}`, a session attribute set outside "
            "it: a request sees its parameters, the pools it takes and the session's `hidden` "
            "attributes",
            f"pass `{name}` as a parameter",
        )

    # ----------------------------------------------------------------- header

    def _check_header(self, hold: k.Hold) -> None:
        """An admission reads what is known when the request waits, not what comes later."""
        before = _set_on_every_way(self._block[:-1])
        for reference in _references(_header(hold)):
            name = walk.dotted(reference)
            if name in self._around.resources:
                self._check_resource(reference, name)
            elif name in self.own and name not in before:
                raise Refused(
                    reference.span,
                    f"engine `{self._engine}`'s request: its admission reads `{name}`, which the "
                    "request does not set above the admission on every way there",
                    f"`set {name}` before `at admission`, in every arm of a branch",
                )
            elif not self._admission_sees(name):
                raise self._tell(reference, self._unseen_before(reference, name))

    def _tell(self, reference: s.Reference, refused: Refused) -> Refused:
        """The refusal of a name, noted so that it is not refused as unknown again."""
        self._around.told.note(reference.span)
        return refused

    def _unseen_before(self, reference: s.Reference, name: str) -> Refused:
        return Refused(
            reference.span,
            f"engine `{self._engine}`'s admission (its `taking` and `at admission`) reads "
            f"`{name}`: it sees the request's parameters, what the request sets before "
            "`at admission`, its bindings, the engine's pools and stage and the constants",
            f"pass `{name}` as a parameter",
        )

    def _admission_sees(self, name: str) -> bool:
        return (
            name in self.request.params
            or name in self.own
            or name in self._around.constants
            or name in _BUILT_IN
            or name == "inf"
        )


# --------------------------------------------------- the program and the request


def check_apart(
    rules: dict[str, RequestRules], kernel: k.Program, regions: Regions, problems: Problems
) -> None:
    """Report names of a request that another request, or the program, gives or reads."""
    owners: dict[str, str] = {}
    told: set[str] = set()
    for engine, rule in rules.items():
        for name in sorted(rule.own):
            if name in owners:
                told.add(name)
                message = (
                    f"`{name}` is engine `{owners[name]}`'s request's own, at "
                    f"{place(rules[owners[name]].given[name])}, and engine `{engine}`'s too: one "
                    "attribute would carry both, mixed when the requests run beside each other"
                )
                span = rule.given[name]
                problems.error(Refused(span, message, "name one of them otherwise").diagnostic)
            owners.setdefault(name, engine)
    block = (*kernel.init, *kernel.turn, *kernel.session)
    for name, span in _names_met(block):
        owner = owners.get(name)
        if owner is None or name in told:
            continue
        if _owner(span, regions) != owner:
            told.add(name)
            message = (
                f"`{name}` is engine `{owner}`'s request's own, and the program reads or sets it "
                f"outside the request, at {place(span)}"
            )
            help = f"name it otherwise there, or `mark` a moment, which is read as `{owner}.NAME`"
            problems.error(Refused(rules[owner].given[name], message, help).diagnostic)


def _owner(span: Span, regions: Regions) -> str | None:
    """The engine whose text this is, or whose text brought it in, None of other text."""
    here: Span | None = span
    while here is not None:
        for engine, region in regions.items():
            if here.source is region.source and region.start <= here.start < region.end:
                return engine
        here = None if here.used_at is None else here.used_at.span
    return None


# ---------------------------------------------------------- going over a block


def _statements(block: k.Block) -> Iterator[k.Statement]:
    stack = list(reversed(block))
    while stack:
        statement = stack.pop()
        yield statement
        for inner in reversed(k.blocks(statement)):
            stack.extend(reversed(inner))


def _names_given(block: k.Block) -> Iterator[tuple[str, Span]]:
    """The names that statements assign or bind."""
    for statement in _statements(block):
        if isinstance(statement, s.Set | s.Choose):
            yield statement.name, statement.name_span
        elif isinstance(statement, k.Hold):
            for name in sorted(statement.bound):
                yield name, statement.span


def _names_met(block: k.Block) -> Iterator[tuple[str, Span]]:
    """The names that statements assign or read."""
    for statement in _statements(block):
        if isinstance(statement, s.Set | s.Choose):
            yield statement.name, statement.name_span
        for reference in _references(walk.expressions(statement)):
            yield walk.dotted(reference), reference.span


def _pools(statement: k.Statement) -> list[s.Reference]:
    """The pools that a statement holds or acts on."""
    match statement:
        case k.Hold():
            return [request.pool for request in statement.requests]
        case s.Grow(pool) | s.Load(pool) | s.Drop(pool) | s.Release(pool):
            return [pool]
        case s.Run():
            return [] if statement.growing is None else [statement.growing]
        case _:
            return []


def _values(statement: k.Statement) -> list[s.Expr]:
    """What a statement reads, without the pools and stages that it names."""
    match statement:
        case k.Hold():
            lease = [] if statement.lease is None else [statement.lease[1]]
            return [*_header(statement), *_given(statement.cache), *lease]
        case s.Grow(_, amount) | s.Load(_, amount):
            return [amount]
        case s.Drop() | s.Release():
            return []
        case s.Run():
            return [statement.work]
        case _:
            return walk.expressions(statement)


def _header(hold: k.Hold) -> list[s.Expr]:
    found: list[s.Expr] = []
    for request in hold.requests:
        found += [request.units, *_given(request.reserve)]
    return [*found, *_given(hold.reuse)]


def _outside_header(statement: k.Statement) -> list[s.Expr]:
    return _given(statement.cache) if isinstance(statement, k.Hold) else []


def _given(expr: s.Expr | None) -> list[s.Expr]:
    return [] if expr is None else [expr]


def _references(exprs: list[s.Expr]) -> Iterator[s.Reference]:
    """The names that expressions read; what a cost is of is not read."""
    stack = list(reversed(exprs))
    while stack:
        expr = stack.pop()
        if isinstance(expr, s.Reference):
            yield expr
        if isinstance(expr, s.Call) and expr.name == "cost":
            stack.extend(expr.args[-1:])
        else:
            stack.extend(reversed(walk.operands(expr)))


def _set_on_every_way(block: k.Block) -> frozenset[str]:
    """The names that are set wherever a session comes through the block."""
    known: frozenset[str] = frozenset()
    for statement in block:
        match statement:
            case s.Set() | s.Choose():
                known |= {statement.name}
            case k.Branch(_, yes, no):
                known |= _set_on_every_way(yes) & _set_on_every_way(no)
            case k.Hold():
                known |= _set_on_every_way(statement.body)
            case _:
                pass
    return known
