"""Samples as they are recorded: rows of time, session, turn and value."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

COLUMNS = ("time", "session", "turn", "value")


class Samples:
    """A growing table with the four `COLUMNS`, 32 bytes a row.

    `record((time, session, turn, value))` appends a row. It is a method of the list
    underneath itself, since a run calls it for every sample; `compact`, called now and
    then, moves what the list has into arrays.
    """

    __slots__ = ("_chunks", "_recent", "name", "record")

    def __init__(self, name: str) -> None:
        self.name = name
        self._chunks: list[NDArray[np.float64]] = []
        self._recent: list[float] = []
        self.record: Callable[[Iterable[float]], None] = self._recent.extend

    def __len__(self) -> int:
        return sum(len(chunk) for chunk in self._chunks) + len(self._recent) // len(COLUMNS)

    def compact(self) -> None:
        """Keep the rows recorded so far in 32 bytes each."""
        if self._recent:
            numbers = array("d", self._recent)  # several times as fast as numpy from a list
            self._chunks.append(np.frombuffer(numbers).reshape(-1, len(COLUMNS)))
            self._recent.clear()

    def drop_before(self, time: float) -> None:
        """Forget the rows of before `time`; rows are in the order of time."""
        rows = self.rows
        first = int(np.searchsorted(rows[:, 0], time, side="left"))
        if first:
            self._chunks = [rows[first:].copy()]

    @property
    def rows(self) -> NDArray[np.float64]:
        """The rows so far, an array of shape (samples, 4)."""
        self.compact()
        if len(self._chunks) != 1:
            empty = np.empty((0, len(COLUMNS)))
            self._chunks = [np.concatenate(self._chunks) if self._chunks else empty]
        return self._chunks[0]
