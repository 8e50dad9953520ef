"""A hold: units of pools that a customer has for the length of a block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from serq_simpy.resources.cache import TOLERANCE
from serq_simpy.resources.wait import Wait

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.pool import Pool

Amount = Callable[["Customer"], float]
"""An expression of a program, read for a customer: a number, not negative, not NaN."""

Place = Callable[["Customer"], "Pool"]
"""A reference of a program, read for a customer: the member of the family it names."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a hold statement asks of one pool.

    `fixed` are those of `units` and `reserve` that read only attributes and numbers: a
    hold that they show can never fit is rejected when it joins the line.
    """

    place: Place
    units: Amount
    reserve: Amount | None
    fixed: tuple[Amount, ...]

    def asked(self, customer: Customer) -> tuple[float, float]:
        """The units to allocate, and the room that must be there first."""
        units = self.units(customer)
        return units, units if self.reserve is None else max(units, self.reserve(customer))


@dataclass(frozen=True, slots=True)
class HoldStatement:
    """A hold as the program has it: its header, and what is kept when it ends.

    `reuse` bounds the prefix consumed, `cache` says what stays cached; without `cache`
    the hold takes no part in the prefix cache. `lease` is the number of the demand whose
    allocation outlives the hold, with the time it may. `text` names the pools in messages.
    """

    demands: tuple[Demand, ...]
    reuse: Amount | None
    cache: Amount | None
    lease: tuple[int, Amount] | None
    same_pool: Callable[[Customer, Sequence[Pool]], None] | None


class Preempted(Exception):
    """Thrown into a customer's process: `hold` was taken away and is admitted anew."""

    def __init__(self, hold: Hold) -> None:
        super().__init__(hold)
        self.hold = hold


class Allocation:
    """A hold's units in one pool; a `lease` when they outlived the hold.

    `expires` says that the lease ends by itself.
    `position` is how far the hold's KV is computed there. `open` ends with the release.
    """

    __slots__ = (
        "cache",
        "customer",
        "expires",
        "hold",
        "lease",
        "open",
        "pool",
        "position",
        "reserved",
        "units",
    )

    def __init__(self, pool: Pool, hold: Hold, units: float, reserved: float, position: float):
        self.pool = pool
        self.hold = hold
        self.customer = hold.customer
        self.cache = hold.statement.cache
        self.units = units
        self.reserved = reserved
        self.position = position
        self.open = True
        self.lease = self.expires = False

    def load(self, units: float) -> bool:
        """Let `units` count as computed, if the allocation covers them; whether it does."""
        position = self.position + units
        if position > self.units + TOLERANCE:
            return False
        self.position = position
        self.hold.advanced = True
        return True

    def pass_to(self, customer: Customer) -> None:
        """Become another customer's; what it caches is still up to the first one."""
        if self.cache is not None:
            self.cache = partial(_read_for, self.cache, self.customer)
        self.customer = customer

    def computed(self) -> float:
        """The units worth caching: all, unless a growing run or a load told how far it got."""
        return min(self.position, self.units) if self.hold.advanced else self.units


def _read_for(amount: Amount, reader: Customer, _: Customer) -> float:
    return amount(reader)


class Hold(Wait):
    """A hold of a customer: first a wait in the line of its first pool, then allocations.

    It is the event that the customer waits for, and happens when the hold is admitted;
    preempted, it is pending again and throws `Preempted` at its next admission.
    """

    customer: Customer

    __slots__ = (
        "_value",
        "advanced",
        "allocations",
        "callbacks",
        "customer",
        "joined",
        "pools",
        "statement",
    )

    def __init__(self, customer: Customer, statement: HoldStatement) -> None:
        self.callbacks = []
        self.customer = customer
        self.statement = statement
        self._value = None
        self.pools: list[Pool] = [demand.place(customer) for demand in statement.demands]
        if statement.same_pool is not None:
            statement.same_pool(customer, self.pools)
        self.allocations: list[Allocation] = []
        self.advanced = False
        self.joined = 0.0

    def cancel(self) -> None:
        """Leave the pool's line; if admitted since, the ready line, where the hold must not
        stand still when it waits for its next admission. Its units are released as any hold's.
        """
        self.callbacks = []
        if self.allocations:
            self.customer.env.ready_line.remove(self)
        else:
            self.pools[0].leave(self)

    def again(self) -> None:
        """Stand before the hold statement again, waiting for a new admission.

        Where the customer has begun the body, that admission throws `Preempted` into it;
        one that was admitted and not yet resumed is still at the statement, and goes on.
        """
        customer = self.customer
        self.allocations = []
        self.advanced = False
        self.callbacks = []
        if customer.running:
            self._value = Preempted(self)
        elif customer._target is self and self._value is None:
            self.callbacks.append(customer._resume)
        else:
            self._value = Preempted(self)
            self.callbacks.append(customer.throw)
            customer._target = self
