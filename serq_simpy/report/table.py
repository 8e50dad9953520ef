"""Tables of plain text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan

Cell = str | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers; an `optional` one is shown only where it says something.

    It says nothing when all its cells are 0, NaN, False or None.
    """

    title: str
    cells: Sequence[Cell]
    optional: bool = False

    def shown(self) -> bool:
        """Whether the column stands in the table."""
        return not self.optional or any(map(_says_something, self.cells))


def table(title: str, names: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The lines of a table: a column of names under `title`, then the numbers.

    Names and words stand to the left of their column, numbers to the right.
    """
    parts = [_aligned([title, *names], left=True)]
    for column in columns:
        if column.shown():
            left = any(isinstance(cell, str) for cell in column.cells)
            parts.append(_aligned([column.title, *map(_text, column.cells)], left=left))
    return ["   ".join(cells).rstrip() for cells in zip(*parts, strict=True)]


def number(value: float) -> str:
    """A number for reading: five digits, all digits of whole numbers, `-` for NaN."""
    if isnan(value):
        return "-"
    if not isfinite(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) < 1e15 and (value == int(value) or abs(value) >= 99999.5):
        return f"{value:.0f}"
    return f"{value:.5g}"


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else number(cell)


def _says_something(cell: Cell) -> bool:
    return bool(cell) and cell == cell


def _aligned(cells: list[str], *, left: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in cells]
