"""What the statements `hold`, `grow`, `load`, `release` and a hold's end do."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING

from simpy.events import Event

from serq_simpy.ir import model as ir
from serq_simpy.resources.hold import Allocation, Hold, HoldStatement
from serq_simpy.resources.wait import Departed

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.pool import Pool


def request(customer: Customer, statement: HoldStatement) -> Hold:
    """Join the line of the hold's first pool; the hold is the event to wait for.

    A hold that can never fit is rejected: `Departed` is raised, the customer leaves.
    """
    hold = Hold(customer, statement)
    if rejected(hold):
        raise Departed
    hold.pools[0].join(hold)
    return hold


def rejected(hold: Hold) -> bool:
    """Whether amounts that will not change show that the hold can never fit.

    It is counted, and its customer refused.
    """
    for pool, demand in zip(hold.pools, hold.statement.demands, strict=True):
        for amount in demand.fixed:
            if not pool.can_ever_fit(amount(hold.customer)):
                pool.rejected += 1
                hold.customer.refused = True
                return True
    return False


def end_hold(customer: Customer, hold: Hold) -> None:
    """The hold's block is done: release what it has, or let it become a lease."""
    customer.holds = customer.holds[:-1]
    lease = hold.statement.lease
    for number, allocation in enumerate(hold.allocations):
        if not allocation.open:
            continue
        if lease is not None and lease[0] == number:
            _begin_lease(allocation, lease[1](customer))
        else:
            allocation.pool.release(allocation, allocation.computed())
    customer.attrs[ir.COMPUTED] = 0.0
    if customer.last_preempted is not None:
        _forget_progress(customer, hold)
    customer.env.pass_over()


def _forget_progress(customer: Customer, hold: Hold) -> None:
    """A hold got through: a later one is not measured by it. Who was stuck stays so."""
    assert customer.last_preempted is not None
    for pool in hold.pools:
        if customer.last_preempted.get(pool) != inf:
            customer.last_preempted.pop(pool, None)


def _begin_lease(allocation: Allocation, duration: float) -> None:
    """Let an allocation outlive its hold; one of no time ends at this very instant.

    It will not grow any more, so of what the hold reserved the rest is free.
    """
    allocation.lease = True
    allocation.reserved = allocation.units
    allocation.customer.leases += (allocation,)
    if duration != inf:
        allocation.expires = True
        clock = allocation.pool.clock
        expiry = Event(clock)
        expiry.callbacks.append(partial(_expire, allocation))
        clock.at(clock._now + (duration if duration > 0.0 else 0.0), expiry)


def _expire(allocation: Allocation, event: Event) -> None:
    if allocation.open:
        end_lease(allocation)


def end_lease(allocation: Allocation) -> None:
    """Give a lease back, with what it caches, and let others have the units."""
    customer = allocation.customer
    customer.leases = tuple(lease for lease in customer.leases if lease is not allocation)
    allocation.pool.release(allocation, allocation.computed())
    allocation.pool.clock.pass_over()


def release(customer: Customer, pool: Pool) -> None:
    """Give back what the innermost hold has of the pool, else the oldest lease of it."""
    allocation = innermost(customer, pool)
    if allocation is not None:
        pool.release(allocation, allocation.computed())
        pool.clock.pass_over()
        return
    for lease in customer.leases:
        if lease.pool is pool:
            end_lease(lease)
            return


def innermost(customer: Customer, pool: Pool) -> Allocation | None:
    """The allocation in `pool` of the customer's innermost hold that has one."""
    for hold in reversed(customer.holds):
        for allocation in hold.allocations:
            if allocation.pool is pool and allocation.open:
                return allocation
    return None
