"""Collecting what is wrong with a program, so that all of it is reported at once.

A pass that meets an error raises `Refused`; whoever goes over statements or
declarations catches it with `Problems.catching()`, and goes on with the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from serq_simpy.errors import Diagnostic, Span


class Refused(Exception):
    """One thing in the text breaks a rule of the language."""

    def __init__(self, span: Span, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(message, span, help)


class AlreadyTold(Exception):
    """Something wrong that was met before stands in the way: there is nothing new to tell."""


class TooLarge(Refused):
    """The program is too large to be written out: nothing after it is looked at."""


class Problems:
    """The errors and the warnings met so far, each once at its place."""

    def __init__(self) -> None:
        self._errors: dict[tuple[object, ...], Diagnostic] = {}
        self._warnings: dict[tuple[object, ...], Diagnostic] = {}

    def error(self, diagnostic: Diagnostic) -> None:
        self._errors.setdefault(_identity(diagnostic), diagnostic)

    def warn(self, span: Span, message: str, help: str | None = None) -> None:
        diagnostic = Diagnostic(message, span, help)
        self._warnings.setdefault(_identity(diagnostic), diagnostic)

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Record what the enclosed statements refuse, and go on after them.

        What is too large is recorded, and ends everything.
        """
        try:
            yield
        except AlreadyTold:
            pass
        except Refused as refused:
            self.error(refused.diagnostic)
            if isinstance(refused, TooLarge):
                raise

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """In the order of the program's text, what has no place first."""
        return tuple(sorted(self._errors.values(), key=_place_in_program))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """In the order of the program's text."""
        return tuple(sorted(self._warnings.values(), key=_place_in_program))


class Told:
    """Places where something is refused already: there is nothing new to tell of them."""

    def __init__(self) -> None:
        self._places: set[tuple[object, int, int]] = set()

    def note(self, span: Span) -> None:
        """Remember a place."""
        self._places.add((span.source, span.start, span.end))

    def __contains__(self, span: Span) -> bool:
        return (span.source, span.start, span.end) in self._places


def _identity(diagnostic: Diagnostic) -> tuple[object, ...]:
    span = diagnostic.span
    if span is None:
        return (diagnostic.message,)
    return (diagnostic.message, span.source, span.start, span.end)


def _place_in_program(diagnostic: Diagnostic) -> int:
    span = diagnostic.span
    while span is not None and span.used_at is not None:
        span = span.used_at.span
    return -1 if span is None else span.start


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is probably a slip of, or None."""
    close = get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str | None = None) -> str | None:
    """The help line for an unknown name."""
    close = nearest(name, known)
    return f"did you mean `{close}`?" if close is not None else otherwise
