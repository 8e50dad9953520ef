"""A pool: units of memory, or of anything else that is held for a while."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, nan
from typing import TYPE_CHECKING, Protocol

from serq_simpy.ir import model as ir
from serq_simpy.measure.averages import TimeAverage
from serq_simpy.measure.record import OverCap
from serq_simpy.measure.record import Pool as PoolRecord
from serq_simpy.measure.totals import total
from serq_simpy.resources.cache import TOLERANCE, Entry, EvictionOrder, PrefixCache, round_down
from serq_simpy.resources.hold import Allocation, Hold
from serq_simpy.resources.holding import innermost
from serq_simpy.resources.waiting_line import WaitingLine

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.growth import Growth
    from serq_simpy.resources.spill import Spill

VictimKeys = Callable[[Allocation, int], tuple[float, ...]]
"""The keys of a candidate victim, given its place in the candidates' order."""


@dataclass(frozen=True, slots=True)
class Preemption:
    """`preempt by`: the candidate with the least keys is the victim.

    `tail`: it joins the line again as a newcomer, not at the head.
    """

    keys: VictimKeys
    tail: bool


class Waited(Protocol):
    """Whoever admits from a pool's line: it knows how many holds wait for it."""

    waiting: int


class Admissions:
    """The number of the next admission, counted over all pools of a run."""

    def __init__(self) -> None:
        self.next = 0.0

    def take(self) -> float:
        number = self.next
        self.next += 1.0
        return number


class Pool:
    """Units in use and units cached, the line of holds that wait, and those that grow.

    `candidates` gives the allocations of which one may be preempted, in their order: all
    open holds, or those of an engine's residents.

    `used + cache.units ≤ cap` after every admission and growth, up to a tolerance; only
    a spill into this pool can break it until the next one.
    """

    def __init__(
        self,
        clock: Clock,
        name: str,
        index: int | None,
        cap: float,
        block: float | None,
        *,
        line: WaitingLine,
        admissions: Admissions,
        order: EvictionOrder | None = None,
        preemption: Preemption | None = None,
        spill: Spill | None = None,
        reserve_held: bool = False,
    ) -> None:
        self.clock = clock
        self.name = name
        self.index = index
        self.cap = cap
        self.block = block
        self.line = line
        evicted = None if spill is None else partial(spill.write, self)
        self.cache = PrefixCache(block, order, evicted)
        self.preemption = preemption
        self.growing: deque[Growth] = deque()
        self.used = 0.0
        self.allocations: dict[Allocation, None] = {}
        self._holders: Counter[Customer] = Counter()
        self._places: list[Customer] = []
        self._admission_numbers = admissions
        self.reserve_held = reserve_held
        self._line_of: Waited = clock
        self.candidates: Callable[[], list[Allocation]] = self._innermost_holds
        self._used_average = TimeAverage()
        self._cached_average = TimeAverage()
        self._queue_average = TimeAverage()
        self._holders_average = TimeAverage()
        self._wait = 0.0
        self._waits = 0
        self.admissions = 0
        self.preemptions = 0
        self.spills = 0
        self.rejected = 0
        self.stuck = 0

    # ------------------------------------------------------------ the state

    @property
    def free(self) -> float:
        """The units not allocated; cached ones are free."""
        return self.cap - self.used

    @property
    def queued(self) -> float:
        """The holds in the waiting line."""
        return float(len(self.line))

    @property
    def holders(self) -> float:
        """The customers that hold or lease something here."""
        return float(len(self._holders))

    def in_order(self) -> list[Customer]:
        """The customers that hold or lease something here, of a pool that preempts.

        Each stands where it was first admitted; of several allocations, whichever ends, the
        place of the oldest goes.
        """
        return list(dict.fromkeys(self._places))

    def _innermost_holds(self) -> list[Allocation]:
        """Of each customer here, in their order, the innermost hold on the pool; no leases."""
        found = (innermost(customer, self) for customer in self.in_order())
        return [allocation for allocation in found if allocation is not None]

    def round_up(self, units: float) -> float:
        """The units of the whole blocks that `units` take."""
        if self.block is None or units == inf:
            return units
        return ceil(units / self.block) * self.block

    def can_ever_fit(self, units: float) -> bool:
        """Whether a request of `units` fits the empty pool; here without a tolerance."""
        return not self.round_up(units) > self.cap

    # ------------------------------------------------- waiting and admission

    def served_by(self, engine: Waited) -> None:
        """Leave the line to an engine, which admits from it in its iterations."""
        self._line_of = engine

    def join(self, hold: Hold, *, resumed: bool = False) -> None:
        """Let a hold into the line: at its head when it is resumed after a preemption."""
        hold.joined = self.clock._now
        if resumed:
            self.line.resume(hold)
        else:
            self.line.join(hold)
        self._line_of.waiting += 1
        self._note_queue()

    def leave(self, hold: Hold) -> None:
        """Take a hold out of the line."""
        self.line.remove(hold)
        self._line_of.waiting -= 1
        self._note_queue()

    def pass_over(self) -> None:
        """Let grow who can, then admit from the line while its head fits.

        A line that an engine serves is left to it.
        """
        while self.growing and self.growing[0].retry():
            pass
        if self._line_of is not self.clock:
            return
        while len(self.line) and self.admit_head():
            pass

    def admit_head(self) -> bool:
        """Admit the next hold of the line, which is not empty, if it fits; whether it did."""
        hold = self.line.head()
        asked = self._fitting(hold)
        if asked is None:
            return False
        self.leave(hold)
        now = self.clock._now
        self._wait += now - hold.joined
        self._waits += 1
        self._admit(hold, asked)
        self.clock.ready(hold)
        return True

    def _fitting(self, hold: Hold) -> list[tuple[float, float]] | None:
        """What the hold asks of each of its pools, or None when one has no room for it."""
        customer = hold.customer
        asked = []
        for pool, demand in zip(hold.pools, hold.statement.demands, strict=True):
            units, room = demand.asked(customer)
            if not pool._has_room(room):
                return None
            asked.append((units, room))
        return asked

    def short(self, hold: Hold) -> list[Pool]:
        """The pools of a hold that have no room for it."""
        demands = zip(hold.pools, hold.statement.demands, strict=True)
        return [
            pool for pool, demand in demands if not pool._has_room(demand.asked(hold.customer)[1])
        ]

    def _has_room(self, room: float) -> bool:
        needed = self.used + self.round_up(room)
        if self.reserve_held:
            needed += self._reserved_by_others(None)
        return needed <= self.cap + TOLERANCE

    def _reserved_by_others(self, allocation: Allocation | None) -> float:
        """What holders have reserved and not allocated, one holder left out."""
        return total(
            max(0.0, other.reserved - other.units)
            for other in self.allocations
            if other is not allocation
        )

    def _admit(self, hold: Hold, asked: list[tuple[float, float]]) -> None:
        customer, statement = hold.customer, hold.statement
        bound = inf
        if statement.cache is not None and statement.reuse is not None:
            bound = statement.reuse(customer)
        cached = 0.0
        for pool, (units, room) in zip(hold.pools, asked, strict=True):
            consumed = 0.0
            if statement.cache is not None:
                consumed = pool.cache.consume(customer.serial, bound)
            cached = max(cached, consumed)
            pool._allocate(hold, pool.round_up(units), pool.round_up(room), consumed)
        customer.attrs[ir.CACHED] = cached
        customer.holds += (hold,)
        customer.admission = self._admission_numbers.take()

    def _allocate(self, hold: Hold, units: float, reserved: float, position: float) -> None:
        self.cache.shrink_to(self.cap - self.used - units)
        self.used += units
        allocation = Allocation(self, hold, units, reserved, position)
        hold.allocations.append(allocation)
        self.allocations[allocation] = None
        self._add_holder(hold.customer)
        self.admissions += 1
        self._note_units()

    # ------------------------------------------------------ growth, release

    @property
    def counts_growth(self) -> bool:
        """Whether it is all the same who grows in which order, and what for.

        Evicted units tell nobody, they go by age, and no holder has room set aside.
        """
        return not self.reserve_held and self.cache.plain

    def fits_growth(self, allocation: Allocation, units: float) -> bool:
        """Whether `units` more can be allocated to this holder now."""
        needed = self.used + units
        if self.reserve_held:
            if allocation.units + units <= allocation.reserved + TOLERANCE:
                return True
            needed += self._reserved_by_others(allocation)
        return needed <= self.cap + TOLERANCE

    def enlarge(self, allocation: Allocation, units: float) -> None:
        """Allocate `units` more, that fit, to a holder."""
        allocation.units += units
        self.enlarge_holds(units)

    def enlarge_holds(self, units: float) -> None:
        """Allocate `units` more, that fit, to holders who count them themselves."""
        self.cache.shrink_to(self.cap - self.used - units)
        self.used += units
        self._note_units()

    def release(self, allocation: Allocation, computed: float) -> None:
        """Take an allocation back; what its hold caches of `computed` units stays cached."""
        allocation.open = False
        del self.allocations[allocation]
        self._remove_holder(allocation.customer)
        self.used -= allocation.units
        if not self.allocations:
            self.used = 0.0
        if allocation.cache is not None:
            keep = round_down(min(allocation.cache(allocation.customer), computed), self.block)
            if keep > 0.0:
                self.cache.keep(allocation.customer.prefix_owner, keep, self.clock._now)
        self._note_units()

    def hand_over(self, allocation: Allocation, customer: Customer) -> None:
        """Make an allocation another customer's."""
        self._remove_holder(allocation.customer)
        self._add_holder(customer)
        allocation.pass_to(customer)
        self._note_units()

    def _add_holder(self, customer: Customer) -> None:
        self._holders[customer] += 1
        if self.preemption is not None:
            self._places.append(customer)

    def _remove_holder(self, customer: Customer) -> None:
        if self.preemption is not None:
            self._places.remove(customer)
        self._holders[customer] -= 1
        if not self._holders[customer]:
            del self._holders[customer]

    def drop(self, serial: int) -> None:
        """Discard a session's own cached prefix."""
        self.cache.drop(serial)
        self._note_units()

    def take_spill(self, entry: Entry, units: float) -> None:
        """Add units of an entry that another pool evicted to what its owner has here.

        What was over the cap before is evicted first; what is written now may be over
        it until the next spill, admission or growth here.
        """
        self.cache.shrink_to(self.cap - self.used)
        self.cache.take(entry, units, self.clock._now)
        self._note_units()

    # ------------------------------------------------------------ statistics

    def _note_units(self) -> None:
        now = self.clock._now
        self._used_average.change(now, self.used)
        self._cached_average.change(now, self.cache.units)
        self._holders_average.change(now, len(self._holders))

    def _note_queue(self) -> None:
        self._queue_average.change(self.clock._now, len(self.line))

    def _averages(self) -> tuple[TimeAverage, ...]:
        return (
            self._used_average,
            self._cached_average,
            self._queue_average,
            self._holders_average,
        )

    def restart_statistics(self, now: float) -> None:
        """Measure averages and waits from now on: the warm-up is over."""
        for average in self._averages():
            average.restart(now)
        self._wait, self._waits = 0.0, 0

    def record(self, now: float, over_cap: OverCap | None) -> PoolRecord:
        """The statistics up to now."""
        used, cached, queue, holders = (average.mean(now) for average in self._averages())
        growing = {growth.customer for growth in self.growing}
        return PoolRecord(
            name=self.name,
            index=self.index,
            mean_used=used,
            mean_cached=cached,
            mean_queue=queue,
            mean_holders=holders,
            mean_wait=self._wait / self._waits if self._waits else nan,
            admissions=self.admissions,
            evicted_entries=self.cache.evicted_entries,
            evicted_units=self.cache.evicted_units,
            preemptions=self.preemptions,
            spills=self.spills,
            rejected=self.rejected,
            stuck=self.stuck,
            over_cap=over_cap,
            growing_at_end=len(self.growing),
            growing_stalled=bool(growing) and set(self._holders) <= growing,
        )
