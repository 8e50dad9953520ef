"""Python source, written line by line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

_WIDEST = 90


class Writer:
    """Lines of Python at an indentation, and names that are used once."""

    def __init__(self, depth: int = 0) -> None:
        self.lines: list[str] = []
        self.depth = depth
        self._temporaries = count(1)

    def line(self, text: str) -> None:
        """Append a line at the present indentation."""
        self.lines.append("    " * self.depth + text)

    def comment(self, text: str) -> None:
        """Append a comment. A name of an IR may hold anything: none of it is to be code."""
        shown = text if len(text) <= _WIDEST else text[:_WIDEST] + "…"
        self.line(
            "# " + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
        )

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
