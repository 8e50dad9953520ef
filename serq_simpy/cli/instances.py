"""Instance files: values of a program's inputs, and settings of its run.

let rate = 0.9;
run { horizon 10000; warmup 1000; seed 7; arrivals 500; trace "monday.csv"; }
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from serq_simpy.cli.reading import read_text
from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span
from serq_simpy.frontend import syntax
from serq_simpy.frontend.parse import parse_instance

WHOLE = ("seed", "arrivals")


class Instance:
    """An instance file that was read.

    Raises:
        UsageError: the file cannot be read.
        ProgramSyntaxError: it is not an instance.
    """

    def __init__(self, path: str) -> None:
        self._folder = Path(path).parent
        self._read = parse_instance(Source(path, read_text(path)))

    def inputs(self) -> Iterator[tuple[str, str]]:
        """The inputs' names and their values, as text."""
        for binding in self._read.bindings:
            yield binding.name, _text(binding.value.span)

    def settings(self) -> Iterator[tuple[str, float | int | str]]:
        """The settings of the run; a trace's path is relative to the file's folder."""
        for setting in self._read.settings:
            if isinstance(setting.value, str):
                yield setting.word, str(self._folder / setting.value)
            else:
                yield setting.word, _number(setting.word, setting.value)


def _text(span: Span) -> str:
    return span.source.text[span.start : span.end]


def _number(word: str, value: syntax.Expr) -> float | int:
    kind = "a whole number" if word in WHOLE else "a number"
    digits = _text(value.span).replace("_", "")
    if isinstance(value, syntax.Number) and (digits.isdecimal() or word not in WHOLE):
        return int(digits) if word in WHOLE else value.value
    raise ProgramSyntaxError(
        Diagnostic(f"`{word}` is {kind}", value.span, help=f"write it out: `{word} 100;`")
    )
