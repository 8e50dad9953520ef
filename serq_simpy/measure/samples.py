"""Samples as they are recorded: rows of time, session, turn and value."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

COLUMNS = ("time", "session", "turn", "value")


class Samples:
    """A growing table with the four `COLUMNS`, 32 bytes a row.

    `record((time, session, turn, value))` appends a row. It is the method of the
    array underneath itself: a run calls it for every sample.
    """

    __slots__ = ("_rows", "name", "record")

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows = array("d")
        self.record: Callable[[Iterable[float]], None] = self._rows.extend

    def __len__(self) -> int:
        return len(self._rows) // 4

    @property
    def rows(self) -> NDArray[np.float64]:
        """The rows so far, an array of shape (samples, 4); a copy."""
        return np.array(self._rows, dtype=np.float64).reshape(-1, 4)
