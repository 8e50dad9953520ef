"""The pools and stages of a program: families of members, and references to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Refused, did_you_mean
from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.walk import nodes

ResourceKind = Literal["pool", "stage"]


@dataclass(frozen=True, slots=True)
class Family:
    """`count` members from number `base` on; `indexed` when the size is written."""

    name: str
    kind: ResourceKind
    base: int
    count: int
    indexed: bool
    block: float | None = None

    @property
    def resource(self) -> ir.PoolFamily | ir.StageFamily:
        if self.kind == "pool":
            return ir.PoolFamily(self.base, self.count)
        return ir.StageFamily(self.base, self.count)


@dataclass(slots=True)
class Resources:
    """The families by name, pools and stages apart."""

    pools: dict[str, Family] = field(default_factory=dict)
    stages: dict[str, Family] = field(default_factory=dict)

    def set_block(self, pool: str, block: float) -> None:
        """Fix the size of a pool's blocks."""
        self.pools[pool] = replace(self.pools[pool], block=block)

    def pool(self, reference: s.Reference) -> Family:
        return _find(reference, "pool", self.pools, self.stages)

    def stage(self, reference: s.Reference) -> Family:
        return _find(reference, "stage", self.stages, self.pools)

    def either(self, reference: s.Reference) -> Family:
        """The family a cost names."""
        name = walk.dotted(reference)
        family = self.pools.get(name) or self.stages.get(name)
        if family is None:
            known = (*self.pools, *self.stages)
            help = did_you_mean(name, known, "a cost names pools and stages of the program")
            raise Refused(reference.span, f"unknown cost resource `{name}`", help)
        return family


def _find(
    reference: s.Reference,
    kind: ResourceKind,
    families: dict[str, Family],
    others: dict[str, Family],
) -> Family:
    name = walk.dotted(reference)
    family = families.get(name)
    if family is not None:
        return family
    if name in others:
        help: str | None = f"`{name}` is a {others[name].kind}"
    else:
        help = did_you_mean(name, families, f"declare it: `{kind} {name} …` inside `fn main()`")
    raise Refused(reference.span, f"unknown {kind} `{name}`", help)


def index_of(
    reference: s.Reference, family: Family, lower: Callable[[s.Expr], ir.Expr]
) -> ir.Expr | None:
    """The lowered index of a member, which a family must have. Raises `Refused`.

    An index of constants is its number.
    """
    if reference.index is None:
        if family.indexed:
            raise Refused(
                reference.span,
                f"{family.kind} `{family.name}` is a family of {family.count}; index it",
                f"name a member, as `{family.name}[0]`",
            )
        return None
    index = lower(reference.index)
    number = plain_number(index)
    if number is None:
        return index
    if not (0 <= number < family.count and number == number // 1):
        raise Refused(
            reference.span,
            f"{family.kind} `{family.name}[{value_text(number)}]` is out of range: "
            f"`{family.name}` has {family.count} member(s)",
            f"a member of an array of {family.count} is 0 to {family.count - 1}",
        )
    return ir.Num(number)


def plain_number(expr: ir.Expr) -> float | None:
    """The value of an expression of numbers alone; None of any other, a cost too."""
    if any(isinstance(node, ir.Cost) for node in nodes(expr)):
        return None
    return constant(expr)


def cost_resource(families: list[Family]) -> ir.Resource:
    """What a cost of these families is a cost of: pools before stages, each once."""
    unique = {(f.kind, f.base): f for f in families}
    ordered = [unique[key].resource for key in sorted(unique)]
    return ordered[0] if len(ordered) == 1 else ir.Joint(tuple(ordered))
