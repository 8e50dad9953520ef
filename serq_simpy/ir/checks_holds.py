"""Holds, and the statements that act on what a session holds."""

from __future__ import annotations

import math
from collections.abc import Iterator

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.vocabulary import OBSERVABLES
from serq_simpy.ir.walk import Part, Site, calls, draws, nodes, same, sites, slots_read

_MOVES = (
    "reads the state or the clock, which moves between admission and this statement, so the two "
    "may name different members; name the member in an attribute"
)
_REREAD = (
    "may preempt it, and it is admitted anew and reads the index again, which reads the state, "
    "the clock, or the `cached` and `computed` that admission and preemption set; name the member "
    "in another attribute"
)
_CHANGES = (
    "which the index reads, so the member read at admission, at a statement inside and after a "
    "preemption may differ; set it before the hold"
)


def check_holds(subject: Subject) -> None:
    """Report holds that cannot be, and what acts on a pool that is not held."""
    leased = _leased(subject)
    for site in subject.session:
        match site.statement:
            case ir.Hold():
                for message in _hold(subject, site, site.statement):
                    subject.findings.statement(site, message, rule="hold")
            case ir.Grow(pool):
                _check_inside(subject, site, "grow", pool)
            case ir.Load(pool):
                _check_inside(subject, site, "load", pool)
            case ir.Run(stage, growing=ir.PoolRef() as pool) if subject.is_engine(stage):
                _check_inside(subject, site, "growing", pool)
            case ir.Release(pool):
                _check_release(subject, site, pool, leased)


def enclosing_holds(site: Site) -> list[ir.Hold]:
    """The holds a statement stands in, innermost first, up to the leg it is of."""
    found: list[ir.Hold] = []
    for _, statement in reversed(site.enclosing):
        if isinstance(statement, ir.Fork):
            break
        if isinstance(statement, ir.Hold):
            found.append(statement)
    return found


def same_pool(left: ir.PoolRef, right: ir.PoolRef) -> bool:
    """Whether two references are written the same, or their members are equal numbers."""
    if (left.base, left.count) != (right.base, right.count):
        return False
    if left.index is None or right.index is None:
        return left.index is right.index
    member = constant(left.index)
    if member is not None:
        return member == constant(right.index)
    return same(left.index, right.index)


# ------------------------------------------------------------------- a hold


def _hold(subject: Subject, site: Site, hold: ir.Hold) -> Iterator[str]:
    yield from _taken_twice(subject, hold)
    yield from _lease(subject, hold)
    for request in hold.pools:
        yield from _amounts(subject, request)
        if request.pool.index is not None:
            yield from _changed_index(subject, hold, request.pool, request.pool.index)
            yield from _read_again(subject, site, hold, request.pool, request.pool.index)


def _taken_twice(subject: Subject, hold: ir.Hold) -> Iterator[str]:
    taken: list[ir.PoolRef] = []
    for request in hold.pools:
        if any(same_pool(request.pool, other) for other in taken):
            name = _member_text(subject, request.pool)
            mend = "hold it once, with the units (and any reserve) added"
            yield f"a hold takes `{name}` twice; {mend}"
        taken.append(request.pool)


def _member_text(subject: Subject, ref: ir.PoolRef) -> str:
    """The reference, its index folded."""
    member = None if ref.index is None else constant(ref.index)
    if member is None:
        return subject.printer.reference(ref)
    return f"{subject.printer.pool(ref.base)}[{value_text(member)}]"


def _lease(subject: Subject, hold: ir.Hold) -> Iterator[str]:
    if hold.lease is None:
        return
    pool = hold.lease.pool
    if not any(same_pool(pool, request.pool) for request in hold.pools):
        name = subject.printer.pool(pool.base)
        mend = "write it as the hold does, index included"
        yield f"`lease {name}`: the hold does not take that pool ({mend})"


def _amounts(subject: Subject, request: ir.HoldRequest) -> Iterator[str]:
    """Constant units that are no amount, or never fit: such a hold is never admitted."""
    units = constant(request.units)
    if units is not None and not units >= 0:
        pool = subject.printer.reference(request.pool)
        yield not_an_amount(f"hold {pool}", units)
        return
    reserve = None if request.reserve is None else constant(request.reserve)
    for amount in (units, reserve):
        if amount is not None and amount >= 0:
            yield from _never_fits(subject, request.pool, amount)


def not_an_amount(statement: str, value: float) -> str:
    """The message for a constant that is negative or NaN where an amount stands."""
    rule = "an amount of units, tokens or seconds is a number, and not negative"
    return f"`{statement} ({value_text(value)})`: {rule}"


def _in_blocks(block: float | None, amount: float) -> float:
    """The units that an amount takes, whole blocks where the pool has such."""
    if block is None or not block > 0 or not math.isfinite(amount / block):
        return amount
    return block * math.ceil(amount / block)


def _never_fits(subject: Subject, ref: ir.PoolRef, amount: float) -> Iterator[str]:
    pool = subject.program.pools[ref.base]
    rounded = _in_blocks(pool.block, amount)
    if rounded > pool.cap:
        blocks = ""
        if pool.block is not None and rounded != amount:
            blocks = f" ({value_text(rounded)} in blocks of {value_text(pool.block)})"
        waits = f"waits for {value_text(amount)} units{blocks}"
        yield f"a hold on pool `{pool.name}` {waits}, more than its cap {value_text(pool.cap)}"


# -------------------------------------------------------------------- index


def _changed_index(
    subject: Subject, hold: ir.Hold, pool: ir.PoolRef, index: ir.Expr
) -> Iterator[str]:
    changed = _changed_in(subject, hold.body)
    for slot in slots_read(index):
        if changed is None or slot in changed:
            name, shown = subject.printer.attribute(slot), subject.printer.reference(pool)
            yield f"`hold {shown}`: its body changes `{name}`, {_CHANGES}"
            return


def _changed_in(subject: Subject, block: int) -> frozenset[int] | None:
    """The attributes that a body may change, None for all: a turn may change any.

    A leg's are its own.
    """
    changed: set[int] = set()
    for site in sites(subject.program, block):
        if any(isinstance(statement, ir.Fork) for _, statement in site.enclosing):
            continue
        match site.statement:
            case ir.Turn():
                return None
            case ir.Set(slot) | ir.Choose(slot):
                changed.add(slot)
            case ir.Hold():
                changed |= {ir.CACHED, ir.COMPUTED}
    return frozenset(changed)


def _moves(index: Part) -> bool:
    """Whether an index reads what changes by itself: the state, the clock, a stream."""
    return (
        draws(index)
        or calls(index, *OBSERVABLES)
        or any(isinstance(node, ir.Ctx) for node in nodes(index))
    )


def _read_again(
    subject: Subject, site: Site, hold: ir.Hold, pool: ir.PoolRef, index: ir.Expr
) -> Iterator[str]:
    """A hold that may be preempted reads its indices again."""
    if not _moves(index) and not {ir.CACHED, ir.COMPUTED} & set(slots_read(index)):
        return
    for around in (hold, *enclosing_holds(site)):
        preemptor = preempting_pool(subject, around)
        if preemptor is not None:
            shown = subject.printer.reference(pool)
            yield f"`hold {shown}`: `{preemptor}` {_REREAD}"
            return


def preempting_pool(subject: Subject, hold: ir.Hold) -> str | None:
    """The name of a pool of the hold that may preempt it, if one may."""
    for request in hold.pools:
        pool = subject.program.pools[request.pool.base]
        if pool.preempt is not None:
            return pool.name
    return None


# ---------------------------------------------------------------- statements


def _check_inside(subject: Subject, site: Site, verb: str, pool: ir.PoolRef) -> None:
    """`grow`, `load` and `growing` act on an enclosing hold of the same reference."""
    held = [request.pool for hold in enclosing_holds(site) for request in hold.pools]
    if not any(same_pool(pool, other) for other in held):
        why = "it acts on an enclosing hold's allocation"
        _outside(subject, site, verb, pool, held, why)
    elif pool.index is not None and _moves(pool.index):
        _moved(subject, site, verb, pool)


def _check_release(
    subject: Subject, site: Site, pool: ir.PoolRef, leased: list[ir.PoolRef]
) -> None:
    """`release` acts on an enclosing hold, or on a lease that the session may have."""
    held = [request.pool for hold in enclosing_holds(site) for request in hold.pools]
    if any(same_pool(pool, other) for other in held):
        if pool.index is not None and _moves(pool.index):
            _moved(subject, site, "release", pool)
    elif not any(same_pool(pool, other) for other in leased):
        why = "it takes an enclosing hold's allocation, or a lease of it"
        _outside(subject, site, "release", pool, held + leased, why)


def _leased(subject: Subject) -> list[ir.PoolRef]:
    return [
        site.statement.lease.pool
        for site in subject.session
        if isinstance(site.statement, ir.Hold) and site.statement.lease is not None
    ]


def _outside(
    subject: Subject, site: Site, verb: str, pool: ir.PoolRef, held: list[ir.PoolRef], why: str
) -> None:
    name = subject.printer.pool(pool.base) + ("" if pool.index is None else "[…]")
    if any(other.base == pool.base for other in held):
        why = "write the pool as the hold does, index included"
    message = f"`{verb} {name}` outside a hold of `{name}`: {why}"
    subject.findings.statement(site, message, rule="outside")


def _moved(subject: Subject, site: Site, verb: str, pool: ir.PoolRef) -> None:
    message = f"`{verb} {subject.printer.reference(pool)}`: the hold's index {_MOVES}"
    subject.findings.statement(site, message, rule="outside")
