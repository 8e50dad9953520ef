"""What a person reads when a program, its input or its run is wrong.

One family of exceptions, `SerqError`, each a tuple of diagnostics. A diagnostic
says what is wrong in the language's words and, where there is a text, at which
place of which file; it is printed with the line and a caret under it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from unicodedata import category


@dataclass(frozen=True, eq=False)
class Source:
    """A text that was read: a program's or a library's.

    `name` is what messages call it: the path as the user wrote it, or `""` for a
    program given as text.
    """

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column, both from 1, of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its end."""
        starts = self._line_starts
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source, from offset `start` up to but not including `end`.

    `used_at` is the place of the use that brought this text in, for text that
    stands in a definition: a chain from the body outwards.
    """

    source: Source
    start: int
    end: int
    used_at: Use | None = None

    @property
    def line(self) -> int:
        """The line on which the span starts, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column at which the span starts, from 1."""
        return self.source.position(self.start)[1]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return replace(self, end=max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Use:
    """That a text was brought in by a use of the definition `name` at `span`."""

    name: str
    span: Span


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong.

    `message` is one line; `help` the likely mend, one line. `span` is the place,
    None where no text stands behind the program (an IR given as JSON).
    """

    message: str
    span: Span | None = None
    help: str | None = None
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterable[str]:
        if self.span is None:
            yield shown(self.message)
        else:
            yield shown(f"{place(self.span)}: {self.message}")
            yield from excerpt(self.span)
            use = self.span.used_at
            while use is not None:
                yield shown(f"note: in `{use.name}`, used at {place(use.span)}")
                use = use.span.used_at
        for note in self.notes:
            yield shown(f"note: {note}")
        if self.help is not None:
            yield shown(f"help: {self.help}")


def place(span: Span) -> str:
    """`file:line:column`, or `line:column` of a program given as text."""
    prefix = f"{span.source.name}:" if span.source.name else ""
    return f"{prefix}{span.line}:{span.column}"


def shown(text: str) -> str:
    """A text as a terminal shows it: on one line, what is invisible in it written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or category(c) == "Zs" else repr(c)[1:-1] for c in text)


_WIDEST = 120


def excerpt(span: Span) -> Iterable[str]:
    """The line the span starts on, and carets under the part of it that is meant.

    Of a line too long to show, the part around the span is shown.
    """
    line, column = span.source.position(span.start)
    text = span.source.line(line)
    first = column - 1
    width = max(1, min(span.end - span.start, len(text) - first))
    if len(text) > _WIDEST:
        cut = max(0, first - _WIDEST // 3)
        text, first = text[cut : cut + _WIDEST], first - cut
        width = min(width, _WIDEST - first)
    number = str(line)
    yield f"{number} | {_character_by_character(text)}".rstrip()
    yield f"{' ' * len(number)} | {' ' * first}{'^' * width}"


def _character_by_character(text: str) -> str:
    """A line of a program, of which what is invisible takes one place, as under the carets."""
    if text.isprintable():
        return text
    visible = text.replace("\t", " ")
    return "".join(
        c if c.isprintable() or category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}"
        for c in visible
    )


class SerqError(ValueError):
    """The program, its input or its run is wrong; `diagnostics` says how.

    Its text is every diagnostic, one after the other, separated by empty lines.
    """

    def __init__(self, diagnostics: Diagnostic | str | Iterable[Diagnostic]) -> None:
        if isinstance(diagnostics, str):
            diagnostics = Diagnostic(diagnostics)
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n\n".join(map(str, self.diagnostics)))

    def __reduce__(self) -> tuple[type[SerqError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class ProgramSyntaxError(SerqError):
    """The text is not of the language's grammar."""


class LinkError(SerqError):
    """The text reads, and what it says breaks a rule of the language."""


class RunError(SerqError):
    """The program broke a rule while it ran."""


class TraceError(SerqError):
    """A trace file cannot be read, or is not a trace."""


class UsageError(SerqError):
    """A setting or an argument is wrong: not the program's fault."""
