"""The prefix cache of a pool: what sessions left behind, until it is evicted."""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_simpy.resources.customer import Customer

TOLERANCE = 1e-9
"""Two sums of units closer than this are equal: sums of doubles are not exact."""

Key = tuple[int, ...]


def total_order(values: tuple[float, ...]) -> Key:
    """Whole numbers in the total order of doubles: -NaN, -inf, …, -0, +0, …, inf, NaN."""
    return tuple(_rank(value) for value in values)


def _rank(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF) - 1


def round_down(units: float, block: float | None) -> float:
    """The units that whole blocks have; 0 of a negative number and of NaN."""
    if not units > 0.0:
        return 0.0
    if block is None or units == float("inf"):
        return units
    return floor(units / block) * block


class Remainder:
    """Whose a dead entry is: nobody's, but all that is spilled of it is one entry again."""

    __slots__ = ()


Owner = int | Remainder
"""The serial of the session whose own prefix an entry is, or nobody."""


@dataclass(slots=True)
class Entry:
    """Cached units that one session released, or what is left of them.

    An entry is dead, with a `Remainder` for owner, when it is what an admission left of the
    prefix it consumed. `customer` and `kept`, its attributes at the release or when the
    entry died, are there for eviction keys, and None without them.
    """

    owner: Owner
    units: float
    released: float
    number: int
    customer: Customer | None = None
    kept: list[float] | None = None

    @property
    def session(self) -> Customer | None:
        """The session whose own prefix this is, while it lives."""
        assert self.customer is not None
        dead = isinstance(self.owner, Remainder)
        return None if dead or not self.customer.is_alive else self.customer

    @property
    def attrs(self) -> list[float]:
        """The session's attributes: as they are while it lives, then as they were here."""
        session = self.session
        kept = self.kept if session is None else session.attrs
        assert kept is not None
        return kept

    @property
    def serial(self) -> int | None:
        """The session's, whose own prefixes may be read; None of one that has ended."""
        session = self.session
        return None if session is None else session.serial


@dataclass(frozen=True, slots=True)
class EvictionOrder:
    """`evict by`: the entry with the least `keys` goes first.

    `stable` says that an eviction changes only the keys of the entry it cuts, so that
    they need not all be read again for the next one.
    """

    keys: Callable[[Entry], tuple[float, ...]]
    stable: bool


class PrefixCache:
    """The entries of one pool in the order of release.

    An owner has one entry at most. `units` is what all entries have. Without
    an `order` the oldest entry is evicted first. `evicted` is told of each step: the entry,
    already cut, and the units that went.
    """

    def __init__(
        self,
        block: float | None,
        order: EvictionOrder | None = None,
        evicted: Callable[[Entry, float], None] | None = None,
    ) -> None:
        self._block = block
        self._order = order
        self._evicted = evicted
        self._numbers = count()
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._owned: dict[Owner, Entry] = {}
        self.units = 0.0
        self.evicted_units = 0.0
        self.evicted_entries = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    @property
    def plain(self) -> bool:
        """Whether the oldest entries are evicted first, and nothing follows from it."""
        return self._order is None and self._evicted is None

    def own(self, serial: int | None) -> float:
        """The units of a session's own prefix; 0 without a session."""
        entry = None if serial is None else self._owned.get(serial)
        return entry.units if entry is not None else 0.0

    def consume(self, serial: int, bound: float) -> float:
        """Take a session's own prefix out, at most `bound` of it; how much that was.

        What the bound leaves stays, dead, in its place in the order of release.
        """
        entry = self._owned.pop(serial, None)
        if entry is None:
            return 0.0
        consumed = min(entry.units, round_down(bound, self._block))
        self._cut(entry, consumed)
        if entry.number in self._entries:
            entry.owner = Remainder()
            self._owned[entry.owner] = entry
            if entry.customer is not None:
                entry.kept = list(entry.customer.attrs)
        return consumed

    def keep(self, customer: Customer, units: float, now: float) -> None:
        """Let `units` > 0 stay as the session's own entry, in place of an older one."""
        self.drop(customer.serial)
        self._add(Entry(customer.serial, units, now, next(self._numbers)), customer, customer.attrs)

    def take(self, spilled: Entry, units: float, now: float) -> None:
        """Add units that another pool evicted to the entry of the same owner."""
        before = self._owned.get(spilled.owner)
        attrs = spilled.kept
        if before is not None:
            units += before.units
            attrs = before.kept
            self._cut(before, before.units)
        self._add(Entry(spilled.owner, units, now, next(self._numbers)), spilled.customer, attrs)

    def _add(self, entry: Entry, customer: Customer | None, attrs: list[float] | None) -> None:
        if attrs is not None and not self.plain:
            entry.customer, entry.kept = customer, list(attrs)
        self._owned[entry.owner] = self._entries[entry.number] = entry
        self.units += entry.units

    def drop(self, serial: int) -> None:
        """Discard a session's own prefix."""
        entry = self._owned.pop(serial, None)
        if entry is not None:
            self._cut(entry, entry.units)

    def shrink_to(self, limit: float) -> None:
        """Evict step by step until the cache has at most `limit` units."""
        if not self.units > limit + TOLERANCE:
            return
        victims = self._victims()
        while self.units > limit + TOLERANCE and self._entries:
            self._evict(next(victims))

    def _victims(self) -> Iterator[Entry]:
        if self._order is None:
            return self._oldest_first()
        return self._by_heap(self._order) if self._order.stable else self._by_scan(self._order)

    def _oldest_first(self) -> Iterator[Entry]:
        while self._entries:
            yield next(iter(self._entries.values()))

    def _by_scan(self, order: EvictionOrder) -> Iterator[Entry]:
        """Keys are read for every entry, in the order of release, before each step."""
        while self._entries:
            ranked = [(total_order(order.keys(entry)), entry.number) for entry in self]
            yield self._entries[min(ranked)[1]]

    def _by_heap(self, order: EvictionOrder) -> Iterator[Entry]:
        """Keys are read once; after a step, those of the entry it cut."""
        heap = [(total_order(order.keys(entry)), entry.number) for entry in self]
        heapify(heap)
        while heap:
            entry = self._entries[heappop(heap)[1]]
            yield entry
            if entry.number in self._entries:
                heappush(heap, (total_order(order.keys(entry)), entry.number))

    def _evict(self, entry: Entry) -> None:
        """Evict the entry's last block, or all of it without blocks."""
        units = entry.units if self._block is None else min(self._block, entry.units)
        self.evicted_units += units
        self._cut(entry, units)
        if entry.number not in self._entries:
            self.evicted_entries += 1
            del self._owned[entry.owner]
        if self._evicted is not None:
            self._evicted(entry, units)

    def _cut(self, entry: Entry, units: float) -> None:
        entry.units -= units
        self.units -= units
        if entry.units <= TOLERANCE:
            del self._entries[entry.number]
        if not self._entries:
            self.units = 0.0
