"""The one door to the parser: a text in, its syntax tree out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span
from serq_simpy.frontend import automaton
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.grammar.files import Function
from serq_simpy.frontend.lexer import Token, read_tokens


def parse_program(source: Source) -> s.File:
    """A program: constants, definitions and imports, then `fn main() { … }`."""
    items = _read("PROGRAM", source)
    mains = [i for i in items if isinstance(i, Function)]
    preamble = tuple(i for i in items if not isinstance(i, Function))
    whole = Span(source, 0, len(source.text))
    if len(mains) != 1 or mains[0] is not items[-1]:
        raise ProgramSyntaxError(Diagnostic("a program has exactly one `fn main()`", whole))
    return s.File(preamble, mains[0].items, whole)


def parse_library(source: Source) -> s.File:
    """A library: definitions and imports."""
    return s.File(tuple(_read("PROGRAM", source)), None, Span(source, 0, len(source.text)))


def parse_expression(source: Source) -> s.Expr:
    """An expression by itself."""
    return _read("EXPRESSION", source)  # type: ignore[no-any-return]


def parse_instance(source: Source) -> s.Instance:
    """An instance: values for a program's inputs, and the settings of its run."""
    return _read("INSTANCE", source)  # type: ignore[no-any-return]


def _read(kind: str, source: Source) -> Any:
    try:
        return automaton.run(source, _tokens(kind, source))
    except automaton.WrongToken as wrong:
        token = wrong.token
        span = Span(source, token.start, token.end)
        raise ProgramSyntaxError(Diagnostic(f"unexpected `{token.value}`", span)) from None


def _tokens(kind: str, source: Source) -> Iterator[Token]:
    yield Token(kind, "", 0, 0)
    yield from read_tokens(source)
