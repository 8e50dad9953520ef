"""What a program declares, in the order written: the first pass over its items.

Constants are evaluated, array sizes fixed and names entered here; everything else
waits until all names are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.constants import Constants
from serq_simpy.frontend.definitions import Definitions
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.inputs import Inputs
from serq_simpy.frontend.libraries import STANDARD_ARGUMENTS
from serq_simpy.frontend.names import Kind, Names
from serq_simpy.frontend.problems import Problems, Refused
from serq_simpy.frontend.resources import Family, ResourceKind, Resources
from serq_simpy.frontend.scope import Placed
from serq_simpy.ir.printing import value_text

MOST_MEMBERS = 10_000
"""The members a family may have."""


@dataclass(slots=True)
class Declarations:
    """The items of a program by kind, each with its place."""

    pools: list[tuple[s.PoolDeclaration, Placed]] = field(default_factory=list)
    stages: list[tuple[s.StageDeclaration, Placed]] = field(default_factory=list)
    gauges: list[tuple[s.GaugeDeclaration, Placed]] = field(default_factory=list)
    claims: list[tuple[s.ClaimDeclaration, Placed]] = field(default_factory=list)
    workload: tuple[s.Workload, Placed] | None = None
    server: tuple[s.Server, Placed] | None = None
    share: s.ShareDeclaration | None = None


class FirstPass:
    """Goes over the items of a program once.

    `unsupported` is set when one is a construct that this version does not run.
    """

    def __init__(
        self, sets: Mapping[str, float | str], overrides: Mapping[str, str], problems: Problems
    ) -> None:
        self.problems = problems
        self.names = Names()
        self.constants = Constants()
        self.definitions = Definitions(overrides, problems)
        self.expressions = Expressions(self.definitions, self.constants.evaluate)
        self.inputs = Inputs(sets, self.evaluate)
        self.resources = Resources()
        self.declared = Declarations()
        self.unsupported = False
        self._counts = {"pool": 0, "stage": 0}
        self._args: s.Use | None = None
        self._above: tuple[str, ...] = ()

    def read(self, items: Iterable[s.Item], inside_main: int) -> None:
        """Enter the items; those from number `inside_main` on stand in `fn main()`."""
        for order, item in enumerate(items):
            with self.problems.catching():
                self._item(item, Placed(order, self._above), order >= inside_main)
        self.definitions.check()
        for diagnostic in self.inputs.unknown():
            self.problems.error(diagnostic)

    def evaluate(self, expr: s.Expr, placed: Placed) -> float:
        """The value of a constant expression. Raises `Refused`."""
        return self.constants.evaluate(self.expressions.expression(expr, placed.scope))

    def _item(self, item: s.Item, placed: Placed, inside: bool) -> None:
        match item:
            case s.Use():
                self._args = item
            case s.Let():
                self._let(item, placed)
            case s.Input():
                self._input(item, placed, inside)
            case s.Definition():
                self._declare(item.name, "definition", item.name_span)
                self.definitions.add(item, placed.order)
            case s.PoolDeclaration():
                self._pool(item, placed)
            case s.StageDeclaration():
                self._stage(item, placed)
            case s.Workload():
                _refuse_second("workload", self.declared.workload, item.span)
                self.declared.workload = (item, placed)
            case s.Server():
                _refuse_second("server", self.declared.server, item.span)
                self.declared.server = (item, placed)
            case s.ShareDeclaration():
                self._share(item)
            case s.GaugeDeclaration():
                self._declare(item.name, "gauge", item.name_span)
                self.declared.gauges.append((item, placed))
            case s.ClaimDeclaration():
                self._declare(item.name, "claim", item.name_span)
                self.declared.claims.append((item, placed))
            case (
                s.DeviceDeclaration() | s.EngineDeclaration() | s.QueueDeclaration() | s.Relation()
            ):
                self.unsupported = True
                raise _unsupported(item)

    def _declare(self, name: str, kind: Kind, span: Span) -> None:
        if name == "args" and self._args is not None:
            raise Refused(
                span, "`args` names the imported std/args module; give the declaration another name"
            )
        self.names.declare(name, kind, span)

    # -------------------------------------------------------------- constants

    def _let(self, let: s.Let, placed: Placed) -> None:
        with self._constant(let):
            written = self.expressions.expression(let.value, placed.scope)
            overridden = self.constants.depends_on_override(written) is not None
            self._define(let, self.constants.evaluate(written), let.value.span, overridden)

    def _input(self, item: s.Input, placed: Placed, inside: bool) -> None:
        self.inputs.expect(item.argument)
        if self._args is None or not inside:
            raise Refused(
                item.span,
                f'`args.{item.function}` needs `use "{STANDARD_ARGUMENTS}";` and a `let` inside '
                "`fn main()`",
                f'write `use "{STANDARD_ARGUMENTS}";` above it',
            )
        with self._constant(item):
            value = self.inputs.read(item, placed)
            overridden = self.inputs.given(item.argument)
            self._define(item, value, item.default.span, overridden)

    @contextmanager
    def _constant(self, item: s.Let | s.Input) -> Iterator[None]:
        """Declare a constant around its evaluation: also one without a value is known."""
        if item.name in self.constants.values:
            self.problems.warn(
                item.name_span,
                f"this `let {item.name}` replaces the one at {self.names.place(item.name)}",
                "what is computed between the two keeps the first value",
            )
        self._declare(item.name, "constant", item.name_span)
        try:
            yield
        except Refused:
            self.constants.define(item.name, 1.0, overridden=False)
            raise

    def _define(self, item: s.Let | s.Input, value: float, span: Span, overridden: bool) -> None:
        if value != value:
            raise Refused(
                span,
                f"`let {item.name}` is NaN",
                "a constant is a number or `inf`; `0/0` and `inf - inf` are not",
            )
        self.constants.define(item.name, value, overridden)

    # ------------------------------------------------------- pools and stages

    def _pool(self, pool: s.PoolDeclaration, placed: Placed) -> None:
        if pool.owner is not None:
            raise Refused(
                pool.owner.span,
                f"no device or engine `{pool.owner.name}`: a pool is on one declared before it",
            )
        self._family(pool, "pool", placed)
        self.declared.pools.append((pool, placed))

    def _stage(self, stage: s.StageDeclaration, placed: Placed) -> None:
        self._family(stage, "stage", placed)
        self.declared.stages.append((stage, placed))
        self._above = (*self._above, stage.name)

    def _family(
        self, item: s.PoolDeclaration | s.StageDeclaration, kind: ResourceKind, placed: Placed
    ) -> None:
        self._declare(item.name, kind, item.name_span)
        base = self._counts[kind]
        count = 1
        try:
            if item.count is not None:
                count = self._array_size(item.count, placed)
        except Refused:
            # Any member is in range of a family whose size is unknown.
            count = MOST_MEMBERS
            raise
        finally:
            self._counts[kind] += count
            self.add_family(Family(item.name, kind, base, count, item.count is not None))

    def add_family(self, family: Family) -> None:
        families = self.resources.pools if family.kind == "pool" else self.resources.stages
        families[family.name] = family

    def supply_stage(self, name: str) -> None:
        """Declare a stage that no text declares, after all that are declared."""
        self.add_family(Family(name, "stage", self._counts["stage"], 1, indexed=False))
        self._counts["stage"] += 1

    def _array_size(self, expr: s.Expr, placed: Placed) -> int:
        written = self.expressions.expression(expr, placed.scope)
        try:
            size = self.constants.evaluate(written)
        except Refused as refused:
            raise Refused(
                expr.span,
                "array size must be a positive integer or a `let` constant that is one: "
                f"{refused.diagnostic.message}",
                refused.diagnostic.help,
            ) from None
        if not (size >= 1 and size == size // 1):
            found = value_text(size)
            raise Refused(expr.span, f"array size must be a positive integer, found {found}")
        if size > MOST_MEMBERS:
            raise Refused(
                expr.span,
                f"array size {value_text(size)} is more than a family holds ({MOST_MEMBERS}): "
                "every member is a pool or stage of its own",
            )
        outside = self.constants.depends_on_override(written)
        if outside is not None:
            raise Refused(
                expr.span,
                f"the value given for `{outside}` changes an array size, which the text fixes",
                "write the size as a constant no input shapes, or change the input's default",
            )
        return int(size)

    def _share(self, share: s.ShareDeclaration) -> None:
        first = self.declared.share
        if first is not None:
            raise Refused(
                share.span, f"`share` is given twice: the first is on line {first.span.line}"
            )
        self.declared.share = share


def _refuse_second(what: str, first: object, span: Span) -> None:
    if first is not None:
        raise Refused(span, f"duplicate {what}", f"a program has one `{what}`")


_FORMS = {
    s.DeviceDeclaration: "devices are",
    s.EngineDeclaration: "engines are",
    s.QueueDeclaration: "queues are",
    s.Relation: "pull and push relations are",
}


def _unsupported(
    item: s.DeviceDeclaration | s.EngineDeclaration | s.QueueDeclaration | s.Relation,
) -> Refused:
    return Refused(
        item.span,
        f"{_FORMS[type(item)]} not part of this version",
        "it runs programs of pools, stages (`fifo`, `ps`, `delay`) and sessions",
    )
