"""The one door to the parser: a text in, its syntax tree out.

All that is wrong with a text is told at once, as a `ProgramSyntaxError` with a
diagnostic for each mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any, Final

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span
from serq_simpy.frontend import automaton
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.grammar.files import Function
from serq_simpy.frontend.lexer import Token, read_tokens

_READ_FURTHER: Final = 50_000
"""How many tokens are read after a wrong one, to look for more mistakes."""


def parse_program(source: Source) -> s.File:
    """A program: constants, definitions and imports, then `fn main() { … }`.

    Raises `ProgramSyntaxError`.
    """
    items = _read("PROGRAM", source)
    functions = [item for item in items if isinstance(item, Function)]
    wrong = list(_misplaced(items, functions)) if functions else [_no_main(source, items)]
    if wrong:
        raise ProgramSyntaxError(wrong)
    return s.File(tuple(items[:-1]), functions[0].items, Span(source, 0, len(source.text)))


def parse_library(source: Source) -> s.File:
    """A library: definitions and imports. Raises `ProgramSyntaxError`."""
    items = _read("PROGRAM", source)
    wrong = [_no_definition(item) for item in items if not isinstance(item, s.Definition | s.Use)]
    if wrong:
        raise ProgramSyntaxError(wrong)
    return s.File(tuple(items), None, Span(source, 0, len(source.text)))


def parse_expression(source: Source) -> s.Expr:
    """An expression by itself, as a value given from outside. Raises `ProgramSyntaxError`."""
    return _read("EXPRESSION", source)  # type: ignore[no-any-return]


def parse_instance(source: Source) -> s.Instance:
    """An instance: `let name = expr;` for a program's inputs and `run { word value; … }`.

    Raises `ProgramSyntaxError`, also for a binding or a setting that is there twice.
    """
    instance: s.Instance = _read("INSTANCE", source)
    names = [(f"`let {b.name}`", b.span) for b in instance.bindings]
    names += [(f"`{setting.word}`", setting.span) for setting in instance.settings]
    wrong = [
        Diagnostic(f"{name} is given twice in one instance", span, "give it once")
        for i, (name, span) in enumerate(names)
        if name in dict(names[:i])
    ]
    if wrong:
        raise ProgramSyntaxError(wrong)
    return instance


# ------------------------------------------------------------------ reading a text


def _read(kind: str, source: Source) -> Any:
    """What a text of a kind makes, or everything that is wrong with it."""
    try:
        return automaton.run(source, _tokens(kind, source))
    except automaton.WrongToken as error:
        wrong = error.token
    from serq_simpy.frontend.recovery import mistakes  # only a wrong text pays for it

    tokens: list[Token] = []
    lexical: tuple[Diagnostic, ...] = ()
    stream = _tokens(kind, source)
    try:
        tokens.extend(takewhile(lambda token: token != wrong, stream))
        place = len(tokens)
        tokens.append(wrong)
        tokens.extend(islice(stream, _READ_FURTHER))
    except ProgramSyntaxError as error:
        lexical = error.diagnostics
    raise ProgramSyntaxError((*mistakes(source, tokens, place), *lexical))


def _tokens(kind: str, source: Source) -> Iterator[Token]:
    """A token that says what kind of text this is, then the text's own."""
    yield Token(kind, "", 0, 0)
    yield from read_tokens(source)


# ------------------------------------------------------------ what stands where


def _misplaced(items: list[Any], functions: list[Function]) -> Iterator[Diagnostic]:
    """What is wrong with the outermost items of a text that has a function."""
    main = next((f for f in functions if f.name == "main"), None)
    past_main = False
    for item in items:
        if isinstance(item, Function):
            yield from _wrong_function(item, another=item is not main)
            past_main = True
        elif past_main:
            yield Diagnostic(
                "nothing stands after `fn main() { … }`",
                _beginning(item),
                "move it into `fn main()`; `use`, `def` and constants may also stand before it",
            )
        elif not isinstance(item, s.Let | s.Use | s.Definition):
            yield _outside_main(item)


def _wrong_function(function: Function, *, another: bool) -> Iterator[Diagnostic]:
    if function.name != "main":
        yield Diagnostic(
            f"`{function.name}` is no entry point: that is `fn main()`",
            function.name_span,
            f"what is to be used again is a definition, `def {function.name}(…) {{ … }}`",
        )
    elif another:
        yield Diagnostic("a program has exactly one `fn main()`", function.name_span)
    elif function.params:
        yield Diagnostic(
            "`fn main()` takes no parameters",
            function.params[0][1],
            'an input is `let NAME = args.number("name", default);`',
        )


def _outside_main(item: Any) -> Diagnostic:
    if isinstance(item, s.Input):
        return Diagnostic("`args.number` is read by a `let` inside `fn main()`", _beginning(item))
    return Diagnostic(
        "declarations stand inside `fn main() { … }`",
        _beginning(item),
        "only `use`, `def` and constants may stand before it",
    )


def _no_main(source: Source, items: list[Any]) -> Diagnostic:
    for item in items:
        if not isinstance(item, s.Let | s.Use | s.Definition):
            return _outside_main(item)
    end = len(source.text.rstrip())
    return Diagnostic(
        "there is no `fn main()`: definitions do not run by themselves",
        Span(source, end, end + 1),
        "a program's declarations stand in `fn main() { … }`",
    )


def _no_definition(item: Any) -> Diagnostic:
    span = _beginning(item)
    word = span.source.text[span.start : span.end]
    return Diagnostic(
        f"a library holds definitions: found `{word}` where `def` or `use` goes",
        span,
        "constants and declarations stand in the program that uses the library",
    )


def _beginning(item: Any) -> Span:
    """The first word of an item."""
    span: Span = item.span
    words = span.source.text[span.start : span.end].split(maxsplit=1)
    return Span(span.source, span.start, span.start + len(words[0]))
