"""From the items of a program to its IR."""

from __future__ import annotations

from serq_simpy.errors import Span
from serq_simpy.frontend import attributes
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.arrivals import arrival
from serq_simpy.frontend.declarations import FirstPass
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.lower import Blocks
from serq_simpy.frontend.lower_expr import Environment, ExpressionLowering
from serq_simpy.frontend.names import Kind
from serq_simpy.frontend.placement import Place
from serq_simpy.frontend.pools import block_size, options, pool_members, stage_members
from serq_simpy.frontend.problems import AlreadyTold, Refused, did_you_mean
from serq_simpy.frontend.registers import Registers
from serq_simpy.frontend.request_rules import RequestRules, Surroundings, check_apart
from serq_simpy.frontend.requests import Requests, within
from serq_simpy.frontend.scope import Placed, Scope
from serq_simpy.frontend.sessions import check_both, kernel_of
from serq_simpy.frontend.statements import Statements
from serq_simpy.frontend.steps import Steps
from serq_simpy.frontend.workload import WorkloadParts, take_apart
from serq_simpy.frontend.writing import Writing
from serq_simpy.ir import model as ir
from serq_simpy.ir.spans import Spans

_SUPPLIED_TOOL = ir.Stage("tool", None, ir.Ps(ir.Ctx("N")))
_SHARES: dict[str, ir.Share] = {"maxmin": "MaxMin", "bottleneck": "Bottleneck"}


def link(first: FirstPass, settings: ir.Settings) -> tuple[ir.Program, Spans]:
    """The IR of a program whose items have been read, and the places of its parts.

    What is wrong goes to `first.problems`; the IR means something only without errors.
    """
    return _Linker(first).program(settings)


class _Linker:
    def __init__(self, first: FirstPass) -> None:
        self._first = first
        self._declared = first.declared
        self._problems = first.problems
        self._spans = Spans()
        self._requests = Requests.of(first.owners.engines, first.problems)
        self._statements = self._writer(first.expressions)
        self._env = Environment(first.names, first.constants, first.resources)
        devices = first.owners.devices.values()
        self._env.time_resources = frozenset(f for device in devices for f in device.resources)
        self._lowering = ExpressionLowering(self._env)
        self._writing = Writing(first.expressions, self._lowering, first.constants)
        self._registers = Registers()

    def _writer(self, expressions: Expressions) -> Statements:
        """What writes statements out."""
        first = self._first
        return Statements(
            first.names, first.definitions, expressions, first.problems, self._requests
        )

    def program(self, settings: ir.Settings) -> tuple[ir.Program, Spans]:
        with self._problems.catching():
            check_both(self._declared)
        parts = self._workload_parts()
        kernel = kernel_of(self._declared, parts, self._statements, self._problems)
        self._enter_names()
        self._supply_tool()
        self._number(kernel)
        self._check_requests(kernel, parts)
        pools, stages = self._pools(), self._stages()
        blocks = Blocks(self._lowering, self._spans, self._problems)
        blocks.program(kernel)
        types = attributes.types(len(self._env.slots), blocks.blocks, blocks.sides)
        self._check_costs(types)
        program = ir.Program(
            attrs=tuple(self._env.slots),
            attr_types=types,
            sides=blocks.sides,
            observes=tuple(self._env.observes),
            pools=pools,
            stages=stages,
            arrival=self._arrival(parts),
            trace=None if parts.trace is None else parts.trace.path,
            trace_ordered=parts.trace is not None and parts.trace.ordered,
            blocks=blocks.blocks,
            settings=settings,
            hidden=self._hidden(parts),
            share=self._share(),
            gauges=self._gauges(),
            claims=self._claims(),
            registers=self._registers.lowered(self._writing, self._spans, self._problems),
        )
        self._check_indexes()
        return program, self._spans

    # ------------------------------------------------------- workload, server

    def _workload_parts(self) -> WorkloadParts:
        if self._declared.workload is None:
            return WorkloadParts()
        return take_apart(self._declared.workload[0], self._problems)

    def _supply_tool(self) -> None:
        span = self._statements.supplied_tool
        if span is None:
            return
        names = self._first.names
        if "tool" not in self._first.resources.stages:
            self._first.supply_stage("tool")
        with self._problems.catching():
            if names.kind("tool") not in (None, "attribute"):
                raise Refused(
                    span,
                    "the workload's `tool` runs on a stage `tool` that it brings with it, and "
                    f"`tool` is {names.called_by('tool')} at {names.place('tool')}",
                    "declare the stage `tool` above the workload, or name the stage, "
                    "`tool on STAGE (…)`",
                )

    def _arrival(self, parts: WorkloadParts) -> ir.Arrival:
        if self._declared.workload is None or parts.arrive is None:
            return ir.NoArrivals()
        self._spans.arrival = parts.arrive.span
        with self._problems.catching():
            return arrival(parts.arrive, self._writing, self._declared.workload[1])
        return ir.NoArrivals()

    def _hidden(self, parts: WorkloadParts) -> tuple[int, ...]:
        slots = []
        for name, span in parts.hidden:
            with self._problems.catching():
                slot = self._env.slots.get(name)
                if slot is None:
                    raise Refused(
                        span,
                        f"hidden `{name}`: no `set` or `choose` makes it a session attribute",
                        did_you_mean(name, self._env.slots),
                    )
                self._spans.hidden[slot] = span
                slots.append(slot)
        return tuple(slots)

    # ------------------------------------------------------------------ names

    def _enter_names(self) -> None:
        """Enter what statements assign and record; bindings are entered already."""
        declared = self._statements.declared
        self._enter("attribute", declared.assigned)
        self._enter("observation", declared.observed)

    def _enter(self, kind: Kind, found: list[tuple[str, Span]]) -> None:
        seen: set[str] = set()
        for name, span in found:
            if name not in seen:
                seen.add(name)
                with self._problems.catching():
                    self._first.names.declare(name, kind, span)

    def _number(self, kernel: k.Program) -> None:
        env = self._env
        env.slots, env.observes = attributes.number(kernel, self._spans)
        if self._problems.errors:
            # What assigns a name may be left out: a name is unknown only if nothing does.
            for name, _ in self._statements.declared.assigned:
                env.slots.setdefault(name, len(env.slots))
            for name, _ in self._statements.declared.observed:
                env.observes.setdefault(name, len(env.observes))
        env.bindings = frozenset(self._statements.declared.bound)
        engines = self._first.owners.engines.values()
        self._registers.enter(engines, self._first.names, env.slots, self._problems)
        env.registers = self._registers.numbers

    def _check_requests(self, kernel: k.Program, parts: WorkloadParts) -> None:
        """Hold the requests to their rules, each written out by itself, called or not."""
        first, env = self._first, self._env
        around = Surroundings(
            constants=first.constants.values,
            resources={*first.resources.pools, *first.resources.stages},
            assigned=set(env.slots),
            hidden={name for name, _ in parts.hidden},
            told=env.told,
        )
        regions = {e.name: e.declaration.span for e in first.owners.engines.values()}
        rules: dict[str, RequestRules] = {}
        for name, request in self._requests.found.items():
            if request is not None:
                expressions = Expressions(first.definitions, first.constants.evaluate)
                place = Place("server", Scope(request.engine.placed.order), ())
                place = within(request, place.scope, place)
                block = self._writer(expressions).block(request.statements, place)
                rules[name] = RequestRules(request, block, around, regions)
                rules[name].check(self._problems)
        check_apart(rules, kernel, regions, self._problems)

    def _check_indexes(self) -> None:
        for name, form, span in self._first.expressions.indexes:
            with self._problems.catching():
                self._first.names.check_index(name, form, span)

    def _check_costs(self, types: tuple[ir.AttrType, ...]) -> None:
        costs = self._statements.declared.costs
        for name, span in attributes.declared_costs(costs, self._env.slots, types):
            with self._problems.catching():
                raise Refused(
                    span,
                    f"`{name}` is declared Cost, but what it is assigned is no cost",
                    f"convert the quantity: `Cost {name} = cost(resource, …);`",
                )

    # ------------------------------------------------------- pools and stages

    def _pools(self) -> tuple[ir.Pool, ...]:
        families = self._first.resources.pools
        given = {}
        for pool, placed in self._declared.pools:
            given[pool.name] = options(pool, self._problems)
            with self._problems.catching():
                self._fix_block(pool, given[pool.name], placed)
        members: list[ir.Pool] = []
        for pool, placed in self._declared.pools:
            self._place_members(self._spans.pools, len(members), families[pool.name].count, pool)
            with self._problems.catching():
                owned = self._first.owners.pools.get(pool.name)
                members += pool_members(
                    pool, families[pool.name], given[pool.name], self._writing, placed, owned
                )
        return tuple(members)

    def _fix_block(
        self, pool: s.PoolDeclaration, given: dict[str, s.PoolOption], placed: Placed
    ) -> None:
        option = given.get("block")
        if option is not None:
            value = self._writing.constant(option.keys[0], placed)
            self._first.resources.set_block(pool.name, block_size(pool, option, value))

    def _stages(self) -> tuple[ir.Stage, ...]:
        families = self._first.resources.stages
        members: list[ir.Stage] = []
        for stage, placed in self._declared.stages:
            family = families[stage.name]
            self._place_members(self._spans.stages, len(members), family.count, stage)
            with self._problems.catching():
                if isinstance(stage, s.StageDeclaration):
                    members += stage_members(stage, family, self._writing, placed)
                else:
                    members += self._engine(stage.name)
        if len(families) > len(self._declared.stages):
            members.append(_SUPPLIED_TOOL)
        return tuple(members)

    def _engine(self, name: str) -> list[ir.Stage]:
        engine = self._first.owners.engines[name]
        if not engine.parts.complete:
            raise AlreadyTold
        return Steps(self._writing, self._first.names, self._env.registers).members(engine)

    def _place_members(
        self,
        spans: dict[int, Span],
        base: int,
        count: int,
        item: s.PoolDeclaration | s.StageDeclaration | s.EngineDeclaration,
    ) -> None:
        for number in range(base, base + count):
            spans[number] = item.name_span

    # ------------------------------------------------- share, gauges, claims

    def _share(self) -> ir.Share | None:
        share = self._declared.share
        if share is None:
            return None
        self._spans.share = share.span
        return _SHARES[share.policy]

    def _gauges(self) -> tuple[ir.Gauge, ...]:
        gauges: list[ir.Gauge] = []
        for gauge, placed in self._declared.gauges:
            with self._problems.catching():
                value = self._writing.expression(gauge.value, placed.scope)
                self._spans.gauges[len(gauges)] = gauge.name_span
                gauges.append(ir.Gauge(gauge.name, value))
        return tuple(gauges)

    def _claims(self) -> tuple[ir.Claim, ...]:
        claims: list[ir.Claim] = []
        for claim, placed in self._declared.claims:
            with self._problems.catching():
                kind = self._claim_kind(claim, placed)
                given = (
                    None
                    if claim.given is None
                    else self._writing.expression(claim.given, placed.scope)
                )
                value = self._writing.expression(claim.value, placed.scope)
                self._spans.claims[len(claims)] = claim.name_span
                claims.append(ir.Claim(claim.name, given, kind, value))
        return tuple(claims)

    def _claim_kind(
        self, claim: s.ClaimDeclaration, placed: Placed
    ) -> ir.EveryIteration | ir.SomeIteration | ir.AtEnd:
        if claim.stage is None:
            return ir.AtEnd()
        stage = self._writing.stage(claim.stage, placed.scope)
        index = ir.Num(0.0) if stage.index is None else stage.index
        if not isinstance(index, ir.Num):
            raise Refused(
                claim.stage.span,
                f"claim `{claim.name}`: the member of an engine family is named by a number",
            )
        number = stage.base + int(index.value)
        return ir.EveryIteration(number) if claim.kind == "every" else ir.SomeIteration(number)
