"""Growing an allocation, and taking others' away for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_simpy.ir import model as ir
from serq_simpy.resources.cache import total_order
from serq_simpy.resources.holding import rejected
from serq_simpy.resources.wait import Wait

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.hold import Allocation, Hold
    from serq_simpy.resources.pool import Pool


class Growth(Wait):
    """A growth that did not fit and waits for room that another holder frees."""

    customer: Customer

    def __init__(self, allocation: Allocation, units: float) -> None:
        self.callbacks = []
        self.customer = allocation.customer
        self.allocation = allocation
        self.units = units
        pool = allocation.pool
        pool.growing.append(self)
        pool.clock.waiting += 1

    def retry(self) -> bool:
        """Grow and ready the customer if there is room now; nobody is preempted for it."""
        pool = self.allocation.pool
        if not pool.fits_growth(self.allocation, self.units):
            return False
        self._leave()
        pool.enlarge(self.allocation, self.units)
        self.granted()
        return True

    def granted(self) -> None:
        """The growth is done: its customer goes on."""
        self.allocation.pool.clock.ready(self)

    def cancel(self) -> None:
        self.callbacks = []
        if self in self.allocation.pool.growing:
            self._leave()

    def _leave(self) -> None:
        pool = self.allocation.pool
        pool.growing.remove(self)
        pool.clock.waiting -= 1


def grow(allocation: Allocation, units: float) -> Wait | None:
    """Let an allocation grow by `units`; the event to wait for when that takes time.

    While it does not fit, the pool's victim is preempted. The grower may be the victim:
    then it waits for its own hold to be admitted again. Without a victim it waits for room.
    """
    pool = allocation.pool
    units = pool.round_up(units)
    if units <= 0.0:
        return None
    while not pool.fits_growth(allocation, units):
        victim = choose_victim(pool)
        if victim is None:
            return Growth(allocation, units)
        preempt(victim)
        if not allocation.open:
            return victim.hold
    pool.enlarge(allocation, units)
    return None


def grown(wait: Wait) -> None:
    """After the wait of a growth: raise `Preempted` if it took the grower's own hold."""
    if wait._value is not None:
        raise wait._value


def choose_victim(pool: Pool) -> Allocation | None:
    """The candidate of the pool with the least keys, of equal ones the last in its order."""
    if pool.preemption is None:
        return None
    keys = pool.preemption.keys
    candidates = pool.candidates()
    ranked = [
        (total_order(keys(candidate, place)), -place) for place, candidate in enumerate(candidates)
    ]
    return candidates[-min(ranked)[1]] if ranked else None


def preempt(victim: Allocation) -> None:
    """Take a hold away from its customer, who stands before the hold statement again."""
    pool, hold, customer = victim.pool, victim.hold, victim.customer
    assert pool.preemption is not None
    pool.preemptions += 1
    _note_progress(victim)
    customer.stop_waiting()
    if customer.last_token is not None:
        customer.last_token.resumed = True
    release_inwards(customer, hold)
    customer.attrs[ir.COMPUTED] = victim.position
    if rejected(hold):
        customer.expel()
    else:
        hold.again()
        hold.pools[0].join(hold, resumed=not pool.preemption.tail)


def _note_progress(victim: Allocation) -> None:
    """Count a customer as stuck that is preempted no further on than the last time there.

    It is counted once, at whichever pool that is seen first.
    """
    pool, customer = victim.pool, victim.customer
    if customer.stuck:
        return
    if customer.last_preempted is None:
        customer.last_preempted = {}
    last = customer.last_preempted.get(pool)
    customer.last_preempted[pool] = victim.position
    if last is not None and victim.position <= last:
        customer.stuck = True
        pool.stuck += 1


def release_inwards(customer: Customer, outermost: Hold) -> None:
    """Release the customer's holds from the innermost out to `outermost`, by position."""
    while True:
        hold = customer.holds[-1]
        customer.holds = customer.holds[:-1]
        for allocation in hold.allocations:
            if allocation.open:
                allocation.pool.release(allocation, allocation.position)
        if hold is outermost:
            return
