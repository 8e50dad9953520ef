"""Devices and engines: what each is declared to have, and the pools that are on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.engine_parts import EngineParts
from serq_simpy.frontend.problems import Refused, did_you_mean
from serq_simpy.frontend.scope import Placed


@dataclass(slots=True)
class Capacity:
    """A capacity of a device or an engine; `queues` is the N of `CAP[N]`, `pool` its pool."""

    syntax: s.Capacity
    queues: int | None = None
    pool: s.PoolDeclaration | None = None


@dataclass(slots=True)
class Device:
    """A device or a family of them, with its time resources as the definitions they are."""

    name: str
    count: int
    indexed: bool
    placed: Placed
    capacities: dict[str, Capacity] = field(default_factory=dict)
    resources: dict[str, s.Definition] = field(default_factory=dict)
    engine: Engine | None = None


@dataclass(slots=True)
class Engine:
    """An engine, or a family of them on a family of devices; `base` is its first stage.

    `admits` are the pools whose waiting holds it admits, in the order they are declared.
    """

    name: str
    count: int
    indexed: bool
    placed: Placed
    base: int
    device: Device
    declaration: s.EngineDeclaration
    parts: EngineParts
    capacities: dict[str, Capacity] = field(default_factory=dict)
    admits: list[str] = field(default_factory=list)

    @property
    def memory(self) -> str | None:
        """The pool on the engine's device, whose holds are its requests' KV."""
        pools = _pools_of(self.device)
        return pools[0].name if pools else None

    @property
    def takes(self) -> list[str]:
        """The capacities that an admission may take: the engine's and its device's."""
        return [*self.capacities, *self.device.capacities]


@dataclass(frozen=True, slots=True)
class Owned:
    """A pool on a device or an engine: the capacity it is of, and who admits it.

    `placed` is where the capacity is written.
    """

    capacity: Capacity
    placed: Placed
    count: int
    indexed: bool
    engine: Engine | None

    def admit_via(self, member: int) -> int | None:
        """The stage that admits member number `member`, None where any settling does."""
        if self.engine is None:
            return None
        return self.engine.base + (member if self.engine.count > 1 else 0)


@dataclass(slots=True)
class Owners:
    """The devices and engines of a program, and the pools on them, each by name.

    `refused` are the pools, and what they are on, where the two do not go together.
    """

    devices: dict[str, Device] = field(default_factory=dict)
    engines: dict[str, Engine] = field(default_factory=dict)
    pools: dict[str, Owned] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)

    def device_of(self, engine: s.EngineDeclaration) -> Device:
        """The device an engine runs on. Raises `Refused`."""
        reference = engine.device
        device = self.devices.get(reference.name)
        if device is None:
            help = did_you_mean(reference.name, self.devices, None)
            name = reference.name
            raise Refused(
                reference.span,
                f"no device `{name}`: declare `device {name} {{ … }}` before the engine",
                help,
            )
        if reference.index is not None or reference.fields:
            raise Refused(
                reference.span,
                f"an engine runs on a whole device or family of devices, `on {device.name}`",
                "a family of engines has a member on each member of the devices",
            )
        if device.engine is not None:
            raise Refused(
                engine.name_span,
                f"`{device.engine.name}` already runs on `{device.name}`: one device runs one "
                "engine, which admits its pools",
                f"declare a second device for `{engine.name}`",
            )
        return device

    def place_pool(self, pool: s.PoolDeclaration, owner: s.Reference) -> Owned:
        """Enter a pool on a device or an engine. Raises `Refused`."""
        try:
            owned = self._owned(pool, owner)
        except Refused:
            self.refused |= {pool.name, owner.name}
            raise
        self.pools[pool.name] = owned
        if owned.engine is not None:
            owned.engine.admits.append(pool.name)
        return owned

    def _owned(self, pool: s.PoolDeclaration, owner: s.Reference) -> Owned:
        if pool.count is not None:
            raise Refused(
                pool.name_span,
                "a pool on a device or an engine is a family as its owner is: write no `[N]`",
                "for N queues that one engine admits, write `NAME[N] cap c;` in the engine",
            )
        of, engine = self._owner(owner)
        capacity = _capacity(pool, owner, of)
        capacity.pool = pool
        if isinstance(of, Device) and of.engine is not None:
            check_memory(of, of.engine)
        if capacity.queues is not None:
            return Owned(capacity, of.placed, capacity.queues, True, engine)
        return Owned(capacity, of.placed, of.count, of.indexed, engine)

    def _owner(self, owner: s.Reference) -> tuple[Device | Engine, Engine | None]:
        """What a pool is on, and the engine that admits it."""
        name = owner.name
        engine, device = self.engines.get(name), self.devices.get(name)
        if owner.fields:
            return self._engine_s_device(owner, engine), engine
        of: Device | Engine | None = engine if device is None else device
        if of is None:
            known = (*self.engines, *self.devices)
            raise Refused(
                owner.span,
                f"no device or engine `{name}`: a pool is on one declared before it",
                did_you_mean(name, known, "declare the device or the engine above the pool"),
            )
        return of, engine

    def _engine_s_device(self, owner: s.Reference, engine: Engine | None) -> Device:
        name, device = owner.name, ".".join(owner.fields)
        rule = "`on ENGINE.DEVICE` is the device the engine runs on"
        if engine is None:
            raise Refused(
                owner.span,
                f"no engine `{name}`: `on ENGINE.DEVICE` names the engine that admits the pool's "
                "queue, declared above the pool",
                did_you_mean(name, self.engines, None),
            )
        if device not in self.devices:
            raise Refused(
                owner.span,
                f"`{device}` is not a device: {rule}",
                f"write `on {name}.{engine.device.name}`",
            )
        if engine.device.name != device:
            raise Refused(
                owner.span,
                f"`{name}` runs on `{engine.device.name}`, not `{device}`: {rule}",
                f"write `on {name}.{engine.device.name}`",
            )
        return engine.device

    def without_pool(self) -> Iterator[Refused]:
        """The capacities that no pool declares."""
        owners: list[Device | Engine] = [*self.devices.values(), *self.engines.values()]
        for owner in owners:
            for name, capacity in owner.capacities.items():
                if capacity.pool is None and self.refused.isdisjoint((name, owner.name)):
                    yield Refused(
                        capacity.syntax.name_span,
                        f"`{name}` of `{owner.name}` is no pool: declare "
                        f"`pool {name} on {owner.name} {{ … }}`, or nothing can hold it",
                    )


def _pools_of(device: Device) -> list[s.PoolDeclaration]:
    return [c.pool for c in device.capacities.values() if c.pool is not None]


def check_memory(device: Device, engine: Engine) -> None:
    """Refuse a second pool on the device of an engine."""
    pools = _pools_of(device)
    if len(pools) > 1:
        first, second = sorted(pools, key=lambda pool: pool.span.start)[:2]
        raise Refused(
            second.name_span if second.owner is None else second.owner.span,
            f"`{first.name}` and `{second.name}` are both on `{device.name}`: which is "
            f"`{engine.name}`'s KV would be a choice the program did not make",
            f"`{engine.name}` may hold one of them: `NAME cap c;` in the engine",
        )


def _capacity(pool: s.PoolDeclaration, owner: s.Reference, of: Device | Engine) -> Capacity:
    """The capacity a pool is of. Raises `Refused`."""
    name = pool.name
    capacity = of.capacities.get(name)
    if capacity is None:
        raise Refused(
            owner.span,
            f"`{of.name}` has no capacity `{name}`",
            did_you_mean(name, of.capacities, f"write `{name} cap c;` in `{of.name}`"),
        )
    if capacity.pool is not None:
        raise Refused(owner.span, f"`{name}` of `{of.name}` is declared as a pool twice")
    for option in pool.options:
        if option.word == "cap":
            raise Refused(
                option.span,
                "a pool on a device or an engine takes its capacity from it: write "
                f"`{name} cap c;` there",
            )
    return capacity
