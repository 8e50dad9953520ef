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
from serq_simpy.frontend.devices import check_count, read_capacities, read_device
from serq_simpy.frontend.engine_parts import take_apart
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.inputs import Inputs
from serq_simpy.frontend.libraries import STANDARD_ARGUMENTS
from serq_simpy.frontend.names import Kind, Names
from serq_simpy.frontend.owners import Device, Engine, Owners, check_memory
from serq_simpy.frontend.problems import AlreadyTold, Problems, Refused
from serq_simpy.frontend.resources import Family, ResourceKind, Resources
from serq_simpy.frontend.scope import Placed
from serq_simpy.ir.printing import value_text

MOST_MEMBERS = 10_000
"""The members a family may have."""


@dataclass(slots=True)
class Declarations:
    """The items of a program by kind, each with its place."""

    pools: list[tuple[s.PoolDeclaration, Placed]] = field(default_factory=list)
    stages: list[tuple[s.StageDeclaration | s.EngineDeclaration, Placed]] = field(
        default_factory=list
    )
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
        self.owners = Owners()
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
        for unused in self.owners.without_pool():
            self.problems.error(unused.diagnostic)
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
                self._definition(item, placed)
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
            case s.DeviceDeclaration():
                self._device(item, placed)
            case s.EngineDeclaration():
                self._engine(item, placed)
            case s.QueueDeclaration() | s.Relation():
                self.unsupported = True
                raise _unsupported(item)

    def _declare(self, name: str, kind: Kind, span: Span) -> None:
        if name == "args" and self._args is not None:
            raise Refused(
                span, "`args` names the imported std/args module; give the declaration another name"
            )
        self.names.declare(name, kind, span)

    def _definition(self, item: s.Definition, placed: Placed) -> None:
        self._declare(item.name, "definition", item.name_span)
        for device in self.owners.devices.values():
            if item.name in device.resources:
                raise Refused(
                    item.name_span,
                    f"`{item.name}` is a time resource of device `{device.name}`, and is read as "
                    "a definition is: name the definition otherwise",
                )
        self.definitions.add(item, placed.order)

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
        if pool.owner is None:
            self._family(pool, "pool", placed)
        else:
            self._pool_on(pool, pool.owner, placed)
        self.declared.pools.append((pool, placed))

    def _pool_on(self, pool: s.PoolDeclaration, owner: s.Reference, placed: Placed) -> None:
        try:
            self._declare(pool.name, "pool", pool.name_span)
        except Refused:
            self.owners.refused |= {pool.name, owner.name}
            raise
        count, indexed = MOST_MEMBERS, False
        try:
            if self._was_refused(owner.name):
                raise AlreadyTold
            owned = self.owners.place_pool(pool, owner)
            count, indexed = owned.count, owned.indexed
        finally:
            self._members(pool.name, "pool", count, indexed)

    def _was_refused(self, owner: str) -> bool:
        """Whether an owner stands in the text, but is not one."""
        known = {**self.owners.devices, **self.owners.engines}
        return self.names.kind(owner) in ("device", "engine") and owner not in known

    def _stage(self, stage: s.StageDeclaration, placed: Placed) -> None:
        self._family(stage, "stage", placed)
        self.declared.stages.append((stage, placed))
        self._above = (*self._above, stage.name)

    def _family(
        self, item: s.PoolDeclaration | s.StageDeclaration, kind: ResourceKind, placed: Placed
    ) -> None:
        self._declare(item.name, kind, item.name_span)
        # Any member is in range of a family whose size is unknown.
        count = MOST_MEMBERS
        try:
            count = self._count(item.count, placed)
        finally:
            self._members(item.name, kind, count, item.count is not None)

    def _count(self, written: s.Expr | None, placed: Placed) -> int:
        return 1 if written is None else self._array_size(written, placed)

    def _members(self, name: str, kind: ResourceKind, count: int, indexed: bool) -> None:
        """Enter a family, whose members are numbered next of their kind."""
        self.add_family(Family(name, kind, self._counts[kind], count, indexed))
        self._counts[kind] += count

    def add_family(self, family: Family) -> None:
        families = self.resources.pools if family.kind == "pool" else self.resources.stages
        families[family.name] = family

    def supply_stage(self, name: str) -> None:
        """Declare a stage that no text declares, after all that are declared."""
        self.add_family(Family(name, "stage", self._counts["stage"], 1, indexed=False))
        self._counts["stage"] += 1

    # ----------------------------------------------------- devices and engines

    def _device(self, item: s.DeviceDeclaration, placed: Placed) -> None:
        self._declare(item.name, "device", item.name_span)
        device = Device(item.name, 1, item.count is not None, placed)
        self.owners.devices[item.name] = device
        with self.problems.catching():
            device.count = self._count(item.count, placed)
        read_device(item, device, self.names, self.problems)

    def _engine(self, item: s.EngineDeclaration, placed: Placed) -> None:
        self._declare(item.name, "engine", item.name_span)
        self._above = (*self._above, item.name)
        base, count = self._counts["stage"], MOST_MEMBERS
        try:
            count = self._count(item.count, placed)
        finally:
            self._members(item.name, "stage", count, item.count is not None)
        device = self.owners.device_of(item)
        with self.problems.catching():
            check_count(item, count, device)
        parts = take_apart(item, self.problems)
        engine = Engine(item.name, count, item.count is not None, placed, base, device, item, parts)
        device.engine = self.owners.engines[item.name] = engine
        read_capacities(engine, self._array_size, self.problems)
        self.declared.stages.append((item, placed))
        check_memory(device, engine)

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
    s.QueueDeclaration: "queues are",
    s.Relation: "pull and push relations are",
}


def _unsupported(item: s.QueueDeclaration | s.Relation) -> Refused:
    return Refused(
        item.span,
        f"{_FORMS[type(item)]} not part of this version",
        "it runs programs of pools, stages, engines and sessions",
    )
