"""An engine's request: what the engine does with one, as the statements a call stands for.

The statements before the admission come first, then a hold of what the schedule's
`admit waiting … taking` takes, with the rest as its body. Without `taking` there is no
hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from serq_simpy.errors import Span, Use
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.names import check_word
from serq_simpy.frontend.owners import Engine
from serq_simpy.frontend.placement import Place
from serq_simpy.frontend.problems import AlreadyTold, Problems, Refused, did_you_mean
from serq_simpy.frontend.schedules import all_statements
from serq_simpy.frontend.scope import Scope


@dataclass(frozen=True, slots=True)
class Request:
    """A request: its parameters, what a call stands for, and the pools it is admitted with."""

    engine: Engine
    params: tuple[str, ...]
    statements: tuple[s.Statement, ...]
    taken: tuple[str, ...]
    span: Span

    def scope(self, args: tuple[s.Expr, ...], expressions: Expressions, call: Span) -> Scope:
        """What the request's names mean for a call. Raises `Refused`."""
        name = self.engine.name
        if len(args) != len(self.params):
            raise Refused(
                call, f"`{name}.request` takes {len(self.params)} argument(s), got {len(args)}"
            )
        for param, arg in zip(self.params, args, strict=True):
            if expressions.measure(arg).draws:
                raise Refused(
                    call,
                    f"`{name}.request`: the argument for `{param}` draws a sample; a parameter is "
                    "substituted, so a name used twice would draw twice",
                    "`set` the draw first and pass the name",
                )
        names = dict(zip(self.params, args, strict=True))
        return Scope(self.engine.placed.order, names, Use(name, call))


@dataclass(slots=True)
class Requests:
    """The requests of a program's engines, by engine; None of one that is wrong."""

    engines: dict[str, Engine]
    found: dict[str, Request | None] = field(default_factory=dict)

    @staticmethod
    def of(engines: dict[str, Engine], problems: Problems) -> Requests:
        """The requests of all engines. What is wrong with them goes to the problems."""
        requests = Requests(engines)
        for name, engine in engines.items():
            with problems.catching():
                if engine.parts.request is None:
                    _refuse_taking(engine)
                else:
                    requests.found[name] = None
                    requests.found[name] = _request(engine, engine.parts.request)
        return requests

    def of_call(self, name: str, place: Place, span: Span) -> Request:
        """The request that a call of engine `name` stands for. Raises `Refused`."""
        if name == place.engine:
            raise Refused(span, f"the request of `{name}` calls itself, and would never end")
        if name not in place.above:
            raise Refused(
                span,
                f"engine `{name}` is declared below, and its request is called after that",
                "move the engine above the server",
            )
        if name not in self.found:
            raise Refused(
                span,
                f"engine `{name}` has no `request (…) {{ … }}`: it says what the engine does with "
                "one request, and a call runs it",
                f"write a request in the engine, or `run {name} prefill (cost({name}, …));` here",
            )
        request = self.found[name]
        if request is None:
            raise AlreadyTold
        return request


def within(request: Request, scope: Scope, place: Place) -> Place:
    """The place of a request's statements, called at `place` and read in `scope`."""
    engine = request.engine
    return replace(place, scope=scope, above=engine.placed.above, engine=engine.name)


def plain(statement: s.Phase | s.Mark, engine: str) -> s.Run | s.Set:
    """The statement that a request's `prefill`, `decode` or `mark` is short for."""
    span = statement.span
    if isinstance(statement, s.Mark):
        now = s.Reference("now", None, (), span)
        return s.Set("set", f"{engine}.{statement.name}", now, span, span)
    stage = s.Reference(engine, None, (), span)
    work = s.Call("cost", (stage, statement.work), statement.work.span)
    return s.Run((stage,), statement.mode, work, statement.growing, span)


# ------------------------------------------------------------------ a request


def _request(engine: Engine, declared: s.RequestDeclaration) -> Request:
    _check_family(engine, declared)
    admits = _admits(engine)
    taking = admits[0].taking if admits else ()
    taken = _taken(engine, taking)
    params = _params(engine, declared, taken)
    before, admission, after, cache = _split(declared)
    if not taking:
        _refuse_admission(engine, admission, cache)
        return Request(engine, params, before + after, (), declared.span)
    hold = s.Hold(
        tuple(
            s.HoldRequest(r.pool, _cost((r.pool,), r.units), _maybe((r.pool,), r.reserve), r.span)
            for r in taking
        ),
        _maybe([r.pool for r in taking], admits[0].reuse),
        admission.bindings if admission is not None else (),
        s.Block(after, declared.span),
        _maybe([r.pool for r in taking], None if cache is None else cache.value),
        None,
        admits[0].span,
    )
    return Request(engine, params, (*before, hold), taken, declared.span)


def _check_family(engine: Engine, declared: s.RequestDeclaration) -> None:
    if engine.indexed:
        raise Refused(
            declared.span,
            f"a `request` in engine family `{engine.name}`: a call would have to pick a member, "
            "which a request does not take",
            "declare one engine per device",
        )


def _params(
    engine: Engine, declared: s.RequestDeclaration, taken: tuple[str, ...]
) -> tuple[str, ...]:
    seen: list[str] = []
    for name, span in declared.params:
        check_word(name, "argument", span)
        if name in seen:
            raise Refused(span, f"parameter `{name}` twice")
        if name == engine.name or name in taken:
            raise Refused(
                span,
                f"`{name}` is a parameter, and the request runs on or is admitted with `{name}`",
                "name the parameter otherwise",
            )
        seen.append(name)
    return tuple(seen)


_Items = tuple[s.Statement, ...]


def _split(
    declared: s.RequestDeclaration,
) -> tuple[_Items, s.AtAdmission | None, _Items, s.CacheItem | None]:
    """The statements before the admission, its bindings, those after it, what is cached."""
    before: list[s.Statement] = []
    after: list[s.Statement] = []
    admission: s.AtAdmission | None = None
    cache: s.CacheItem | None = None
    for item in declared.items:
        if cache is not None:
            raise Refused(
                cache.span,
                "a request's `cache (e);` is its last item: what the release leaves cached",
            )
        match item:
            case s.AtAdmission():
                if admission is not None:
                    raise Refused(item.span, "`at admission` twice: a request is admitted once")
                admission = item
                before, after = after, []
            case s.CacheItem():
                cache = item
            case _:
                after.append(item)
    return tuple(before), admission, tuple(after), cache


def _refuse_admission(
    engine: Engine, admission: s.AtAdmission | None, cache: s.CacheItem | None
) -> None:
    """What takes nothing at admission has no admission, and leaves nothing cached."""
    for word, item in (("at admission", admission), ("cache", cache)):
        if item is not None:
            raise Refused(
                item.span,
                f"`{word}` in engine `{engine.name}`'s request, which takes nothing at admission",
                "write `taking POOL (units)` on the schedule's `admit waiting`",
            )


def _cost(pools: Iterable[s.Reference], amount: s.Expr) -> s.Expr:
    families = tuple([s.Reference(pool.name, None, pool.fields, pool.span) for pool in pools])
    return s.Call("cost", (*families, amount), amount.span)


def _maybe(pools: Iterable[s.Reference], amount: s.Expr | None) -> s.Expr | None:
    return None if amount is None else _cost(pools, amount)


# --------------------------------------------------------------------- taking


def _admits(engine: Engine) -> list[s.AdmitWaiting]:
    """The schedule's admissions, which all take the same. Raises `Refused`."""
    if engine.parts.schedule is None:
        return []
    statements = all_statements(engine.parts.schedule)
    admits = [st for st in statements if isinstance(st, s.AdmitWaiting)]
    for other in admits[1:]:
        if not _take_the_same(admits[0], other):
            raise Refused(
                _taking_span(other),
                f"every `admit waiting` of engine `{engine.name}` admits its request: write the "
                "same `taking` on each",
            )
    return admits


def _taking_span(admit: s.AdmitWaiting) -> Span:
    """Where an admission says what it takes, or could."""
    return admit.taking[0].span if admit.taking else admit.span


def _take_the_same(left: s.AdmitWaiting, right: s.AdmitWaiting) -> bool:
    if len(left.taking) != len(right.taking):
        return False
    pairs: list[tuple[s.Expr | None, s.Expr | None]] = [(left.reuse, right.reuse)]
    for a, b in zip(left.taking, right.taking, strict=True):
        pairs += [(a.pool, b.pool), (a.units, b.units), (a.reserve, b.reserve)]
    return all(_same(a, b) for a, b in pairs)


def _same(left: s.Expr | None, right: s.Expr | None) -> bool:
    if left is None or right is None:
        return left is right
    return walk.same(left, right)


def _refuse_taking(engine: Engine) -> None:
    """An engine without a request has nothing to size the admission of."""
    if engine.parts.schedule is None:
        return
    for statement in all_statements(engine.parts.schedule):
        if isinstance(statement, s.AdmitWaiting) and statement.taking:
            raise Refused(
                _taking_span(statement),
                f"`taking` sizes the admission of engine `{engine.name}`'s request, and "
                f"`{engine.name}` declares no `request (…) {{ … }}`",
                "declare the request, or write the `hold` in the server",
            )


def _check_single(engine: Engine, pool: s.Reference) -> None:
    """A request is admitted by pools that are no families."""
    capacity = engine.capacities.get(pool.name)
    queues = None if capacity is None else capacity.queues
    if queues is not None or pool.index is not None:
        family = "" if queues is None else f", and `{pool.name}` is a family of {queues}"
        raise Refused(
            pool.span,
            f"`taking` is a list of `POOL (units)`, without a `[member]`{family}",
            "a request that picks a queue is a `hold` in the server",
        )


def _taken(engine: Engine, taking: tuple[s.HoldRequest, ...]) -> tuple[str, ...]:
    names: list[str] = []
    for request in taking:
        name, span = walk.dotted(request.pool), request.pool.span
        if name not in engine.takes:
            known = ", ".join(f"`{capacity}`" for capacity in engine.takes) or "nothing"
            raise Refused(
                span,
                f"engine `{engine.name}`'s `taking` names `{name}`, which is no capacity of the "
                f"engine or its device: it takes {known}",
                did_you_mean(name, engine.takes),
            )
        if name in names:
            raise Refused(span, f"`taking` names `{name}` twice")
        _check_single(engine, request.pool)
        names.append(name)
    return tuple(names)
