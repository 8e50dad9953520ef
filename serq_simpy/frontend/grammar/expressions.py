"""Expressions, from the choice `? :` down to numbers and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.notation import Make, Rule, given, plain
from serq_simpy.frontend.words import STATEMENT_WORDS

_SIGN: Final = "sign"
NO_CACHE: Final = "no cache"

BINDING: Final = (
    ("nonassoc", (NO_CACHE,)),
    ("nonassoc", ("cache",)),
    ("right", ("?", ":")),
    ("left", ("||",)),
    ("left", ("&&",)),
    ("nonassoc", ("<", "<=", ">", ">=", "==", "!=")),
    ("left", ("+", "-")),
    ("left", ("*", "/")),
    ("right", (_SIGN,)),
    ("right", ("^",)),
)
"""How tightly signs bind, loosest first, and how they group."""

OPERATORS: Final = ("||", "&&", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "^")


def _binary(op: str) -> Make:
    return lambda span, left, right: s.Binary(op, left, right, span)


def _unary(op: str) -> Make:
    return lambda span, operand: s.Unary(op, operand, span)


def _member(span: Span, name: str, index: s.Expr | None) -> s.Reference:
    return s.Reference(name, index, (), span)


def _part(span: Span, whole: s.Reference, fields: tuple[str, ...]) -> s.Reference:
    return s.Reference(whole.name, whole.index, fields, span)


def _operations(result: str) -> Iterator[Rule]:
    """`result` as the left operand of every operator."""
    for op in OPERATORS:
        yield Rule(result, f"<{result}> {op} <expr>", _binary(op))
    yield Rule(result, f"<{result}> ? <expr> : <expr>", plain(s.Choice))


def _led_by_a_word() -> Iterator[Rule]:
    """An expression whose first name is a word that a statement could begin with.

    It is read where a definition's body may be either. `tool - 1` stays a statement's
    beginning, since `tool -1;` is one.
    """
    yield from _operations("led")
    for word in STATEMENT_WORDS:
        if word not in ("tool", "transfer"):
            yield Rule("led", word, lambda span, word=word: s.Reference(word, None, (), span))


EXPRESSIONS: Final = (
    *_operations("expr"),
    Rule("expr", "- <expr>", _unary("-"), binds=_SIGN),
    Rule("expr", "! <expr>", _unary("!"), binds=_SIGN),
    Rule("expr", "( <expr> )", given),
    Rule("expr", "NUMBER", lambda span, value: s.Number(value, span)),
    Rule("expr", "<reference>", given),
    Rule("expr", "NAME <args>", lambda span, name, args: s.Call(name, args, span)),
    Rule("expr", "~ NAME <args>", lambda span, law, args: s.Draw(law, args, span)),
    Rule("expr", "FOLD NAME in <count> ( <expr> )", plain(s.Aggregate)),
    Rule("count", "NUMBER", lambda span, value: s.Number(value, span)),
    Rule("count", "NAME", lambda span, name: s.Reference(name, None, (), span)),
    Rule("count", "( <expr> )", given),
    Rule("args", "( )", lambda _: ()),
    Rule("args", "( <expr>,+ )", given),
    Rule("index", "'[' <expr> ']'", given),
    Rule("member", "NAME [ <index> ]", _member),
    Rule("field", ". NAME", given),
    Rule("reference", "<member>", given),
    Rule("reference", "<member> <field>+", _part),
    *_led_by_a_word(),
)
