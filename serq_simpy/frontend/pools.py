"""Pools and stages as the IR declares them: one record a member."""

from __future__ import annotations

import math

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.owners import Owned
from serq_simpy.frontend.problems import Problems, Refused
from serq_simpy.frontend.resources import Family
from serq_simpy.frontend.scope import Placed, Scope
from serq_simpy.frontend.writing import Writing
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import value_text

_LIFO = ir.PreemptBy((ir.Unary("Neg", ir.Ctx("Admission")),))


def options(pool: s.PoolDeclaration, problems: Problems) -> dict[str, s.PoolOption]:
    """The options of a pool by word; of two of one word the later counts, with a warning."""
    found: dict[str, s.PoolOption] = {}
    for option in pool.options:
        first = found.get(option.word)
        if first is not None:
            problems.warn(
                option.span,
                f"pool `{pool.name}`: this `{option.word}` replaces the one on line "
                f"{first.span.line}",
                "the first is not read: remove one of them",
            )
        found[option.word] = option
    return found


def block_size(pool: s.PoolDeclaration, option: s.PoolOption, value: float) -> float:
    """The size of a pool's blocks. Raises `Refused` unless it is above 0."""
    if value != value:
        raise Refused(option.span, f"pool `{pool.name}`: block is NaN")
    if value <= 0:
        raise Refused(
            option.span, f"pool `{pool.name}`: block must be positive, found {value_text(value)}"
        )
    return value


def pool_members(
    pool: s.PoolDeclaration,
    family: Family,
    given: dict[str, s.PoolOption],
    writing: Writing,
    placed: Placed,
    owned: Owned | None,
) -> list[ir.Pool]:
    """The pools of a declaration, one for a pool that is no family. Raises `Refused`.

    `owned` is what a pool on a device or an engine takes from there.
    """

    def keys(word: str) -> tuple[ir.Expr, ...] | None:
        option = given.get(word)
        if option is None or option.form != "by":
            return None
        return tuple([writing.expression(key, placed.scope) for key in option.keys])

    if owned is None:
        cap = _cap(pool, given.get("cap"), writing, placed)
    else:
        cap = _owned_cap(pool, owned, writing)
    evict, queue = keys("evict"), keys("queue")
    preempt = _preempt(given.get("preempt"), keys("preempt"))
    spill = _spill(given.get("spill"), writing, placed.scope)
    return [
        ir.Pool(
            pool.name,
            i if family.indexed else None,
            cap,
            family.block,
            evict,
            preempt,
            queue,
            spill,
            admit_via=None if owned is None else owned.admit_via(i),
            reserve_held="reserve" in given,
        )
        for i in range(family.count)
    ]


def _cap(
    pool: s.PoolDeclaration, option: s.PoolOption | None, writing: Writing, placed: Placed
) -> float:
    if option is None:
        return math.inf
    cap = writing.constant(option.keys[0], placed)
    if cap != cap:
        raise Refused(option.span, f"pool `{pool.name}`: cap is NaN")
    return cap


def _owned_cap(pool: s.PoolDeclaration, owned: Owned, writing: Writing) -> float:
    value = owned.capacity.syntax.value
    cap = writing.constant(value, owned.placed)
    if cap != cap:
        raise Refused(value.span, f"pool `{pool.name}`: cap is NaN")
    return cap


def _preempt(option: s.PoolOption | None, keys: tuple[ir.Expr, ...] | None) -> ir.PreemptBy | None:
    if keys is not None and option is not None:
        return ir.PreemptBy(keys, tail=option.requeue == "tail")
    return _LIFO if option is not None and option.form == "lifo" else None


def _spill(option: s.PoolOption | None, writing: Writing, scope: Scope) -> ir.Spill | None:
    if option is None or option.spill is None:
        return None
    resources = writing.resources
    to, via = option.spill
    _refuse_member(to)
    _refuse_member(via)
    work, when = [writing.expression(key, scope) for key in option.keys]
    return ir.Spill(resources.pool(to).base, resources.stage(via).base, work, when)


def _refuse_member(reference: s.Reference) -> None:
    if reference.index is not None:
        raise Refused(
            reference.span,
            "a `spill` names a pool and a stage without an index; of a family it takes member 0",
        )


def stage_members(
    stage: s.StageDeclaration, family: Family, writing: Writing, placed: Placed
) -> list[ir.Stage]:
    """The stages of a declaration, one for a stage that is no family. Raises `Refused`."""
    kind = stage_kind(f"stage `{stage.name}`", stage.kind, writing, placed)
    return [ir.Stage(stage.name, i if family.indexed else None, kind) for i in range(family.count)]


def stage_kind(what: str, kind: s.StageKind, writing: Writing, placed: Placed) -> ir.Fifo | ir.Ps:
    """`fifo`, `ps` or `delay`. Raises `Refused`."""
    if kind.word == "delay":
        return ir.Ps(ir.Ctx("N"))
    if kind.word == "ps":
        assert kind.argument is not None
        return ir.Ps(writing.expression(kind.argument, placed.scope))
    if kind.argument is None:
        return ir.Fifo(1)
    return ir.Fifo(_servers(what, writing.constant(kind.argument, placed), kind.argument.span))


def _servers(what: str, count: float, span: Span) -> int:
    if count != count:
        raise Refused(span, f"{what}: fifo server count is NaN")
    if not (count >= 1 and count == count // 1 and count < 2**63):
        raise Refused(
            span,
            f"{what}: fifo servers must be a positive integer, found {value_text(count)}",
            "a stage where no job waits is a `delay`" if count == math.inf else None,
        )
    return int(count)
