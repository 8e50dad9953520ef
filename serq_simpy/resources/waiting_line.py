"""The waiting line of a pool: who is tried next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from serq_simpy.resources.cache import Key, total_order

if TYPE_CHECKING:
    from serq_simpy.resources.hold import Hold

Keys = Callable[["Hold"], tuple[float, ...]]


class WaitingLine:
    """Resumed holds first, the last preempted foremost; then newcomers as they came."""

    def __init__(self) -> None:
        self._resumed: deque[Hold] = deque()
        self._newcomers: deque[Hold] = deque()

    def __len__(self) -> int:
        return len(self._resumed) + len(self._newcomers)

    def join(self, hold: Hold) -> None:
        self._newcomers.append(hold)

    def resume(self, hold: Hold) -> None:
        """Join at the head."""
        self._resumed.appendleft(hold)

    def head(self) -> Hold:
        """The hold that is tried next; the line must not be empty."""
        return self._resumed[0] if self._resumed else self._next_newcomer()

    def remove(self, hold: Hold) -> None:
        """Take a hold out, wherever it stands."""
        if self._resumed and hold in self._resumed:
            self._resumed.remove(hold)
        else:
            self._remove_newcomer(hold)

    def _next_newcomer(self) -> Hold:
        return self._newcomers[0]

    def _remove_newcomer(self, hold: Hold) -> None:
        if self._newcomers[0] is hold:
            self._newcomers.popleft()
        else:
            self._newcomers.remove(hold)


class KeyedLine(WaitingLine):
    """`queue by`: newcomers by their keys, read anew at every selection, ties as they came."""

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keys = keys

    def _next_newcomer(self) -> Hold:
        keys = self._keys
        if len(self._newcomers) == 1:
            return self._newcomers[0]
        return min(self._newcomers, key=lambda hold: total_order(keys(hold)))


class SettledLine(WaitingLine):
    """`queue by` of keys that read attributes alone, which do not change in the line.

    Keys are read once, at joining; a hold taken out stays in the heap and is passed over.
    """

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keys = keys
        self._heap: list[tuple[Key, int, Hold]] = []
        self._numbers = count()
        self._standing: dict[Hold, int] = {}

    def __len__(self) -> int:
        return len(self._resumed) + len(self._standing)

    def join(self, hold: Hold) -> None:
        number = next(self._numbers)
        self._standing[hold] = number
        heappush(self._heap, (total_order(self._keys(hold)), number, hold))

    def _next_newcomer(self) -> Hold:
        heap, standing = self._heap, self._standing
        while standing.get(heap[0][2]) != heap[0][1]:
            heappop(heap)
        return heap[0][2]

    def _remove_newcomer(self, hold: Hold) -> None:
        del self._standing[hold]
