"""Python source, written line by line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count


class Writer:
    """Lines of Python at an indentation, and names that are used once."""

    def __init__(self, depth: int = 0) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._temporaries = count(1)

    def line(self, text: str) -> None:
        """Append a line at the present indentation."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write `head` and indent what is written inside; `pass` where that is nothing."""
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def temporary(self, value: str) -> str:
        """Assign a value to a new name; the name."""
        name = f"t{next(self._temporaries)}"
        self.line(f"{name} = {value}")
        return name

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"
