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


@dataclass(slots=True)
class Entry:
    """Cached units that one session released, or what is left of them.

    `owner` is the session's serial, None of a dead entry: what an admission left of the
    prefix it consumed. `customer` and `kept`, its attributes at the release, are there
    for eviction keys, and None without them.
    """

    owner: int | None
    units: float
    released: float
    number: int
    customer: Customer | None = None
    kept: list[float] | None = None

    @property
    def attrs(self) -> list[float]:
        """The session's attributes: as they are while it lives, then as they were here."""
        assert self.customer is not None and self.kept is not None
        return self.customer.attrs if self.customer.is_alive else self.kept

    @property
    def serial(self) -> int | None:
        """The session's, whose own prefixes may be read; None when it has ended and has none."""
        assert self.customer is not None
        return self.customer.serial if self.customer.is_alive else None


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

    A session has one entry of its own at most. `units` is what all entries have. Without
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
        self._own: dict[int, Entry] = {}
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
        entry = None if serial is None else self._own.get(serial)
        return entry.units if entry is not None else 0.0

    def consume(self, serial: int, bound: float) -> float:
        """Take a session's own prefix out, at most `bound` of it; how much that was.

        What the bound leaves stays, dead, in its place in the order of release.
        """
        entry = self._own.pop(serial, None)
        if entry is None:
            return 0.0
        consumed = min(entry.units, round_down(bound, self._block))
        entry.owner = None
        self._cut(entry, consumed)
        return consumed

    def keep(self, customer: Customer, units: float, now: float) -> None:
        """Let `units` > 0 stay as the session's own entry, in place of an older one."""
        serial = customer.serial
        self.drop(serial)
        entry = Entry(serial, units, now, next(self._numbers))
        if self._order is not None or self._evicted is not None:
            entry.customer, entry.kept = customer, list(customer.attrs)
        self._own[serial] = self._entries[entry.number] = entry
        self.units += units

    def drop(self, serial: int) -> None:
        """Discard a session's own prefix."""
        entry = self._own.pop(serial, None)
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
            if entry.owner is not None:
                del self._own[entry.owner]
        if self._evicted is not None:
            self._evicted(entry, units)

    def _cut(self, entry: Entry, units: float) -> None:
        entry.units -= units
        self.units -= units
        if entry.units <= TOLERANCE:
            del self._entries[entry.number]
        if not self._entries:
            self.units = 0.0
