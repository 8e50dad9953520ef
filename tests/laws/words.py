"""What the makers of random programs share: lines of text, pools and stages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor


class Lines:
    """Program text, a statement a line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def add(self, line: str) -> None:
        self._lines.append("  " * self._depth + line)

    @contextmanager
    def block(self, head: str, end: str = "") -> Iterator[None]:
        self.add(head + " {")
        self._depth += 1
        yield
        self._depth -= 1
        self.add("}" + end)

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"


@dataclass(frozen=True)
class Stage:
    """A stage, or a family of `size` > 1."""

    name: str
    size: int
    kind: str

    @property
    def declared(self) -> str:
        return self.name if self.size == 1 else f"{self.name}[{self.size}]"


@dataclass(frozen=True)
class Pool:
    """A pool, or a family of `size` > 1."""

    name: str
    size: int
    cap: float
    block: float | None
    preempts: bool

    @property
    def declared(self) -> str:
        return self.name if self.size == 1 else f"{self.name}[{self.size}]"

    @property
    def room(self) -> float:
        """The units that whole blocks have within the cap."""
        return self.cap if self.block is None else floor(self.cap / self.block) * self.block
