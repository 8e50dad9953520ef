"""The notation the grammar is written in, and the plain productions it stands for.

A rule is a pattern and what it makes. In a pattern

    word  ;  (     a word or a sign of the language; brackets are quoted: '[' ']'
    NAME           a token with a value, as NUMBER, STRING and FOLD are
    <x>            what the rules of `x` make
    <x>+  <x>,+    one or more of them, without and with commas between
    <x>*           none or more of them
    <x>?           one of them or none, decided when the next token is seen
    [ … ]          the same with and without what is inside

What a rule makes is called with the span of its text and the values of `NAME`,
`NUMBER`, `STRING` and `<x>` in the order written: a tuple for a list, None (an empty
tuple) for what was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from serq_simpy.errors import Span
from serq_simpy.node import node

Make = Callable[..., Any]

VALUED: Final = frozenset({"NAME", "NUMBER", "STRING", "FOLD"})


@node
class Rule:
    """`<result>` is made of `pattern`; `binds` names how tightly, where that decides."""

    result: str
    pattern: str
    make: Make
    binds: str | None = None


@node
class Pick:
    """A value a maker is given: of the symbol at `place`, None for one left out."""

    place: int | None
    is_list: bool = False


@node
class Production:
    """`result` is made of exactly these symbols.

    `<x>`, `<x>+`, `<x>,+` and `<x>?` are results, any other symbol is the kind of a
    token. Where `make` is None the production begins or continues a list.
    """

    result: str
    symbols: tuple[str, ...]
    make: Make | None
    picks: tuple[Pick, ...] = ()
    binds: str | None = None


# ------------------------------------------------------------- the usual makers


def plain(kind: Make) -> Make:
    """A node that takes its parts in the order written, and its span."""
    return lambda span, *parts: kind(*parts, span)


def named(kind: Make) -> Make:
    """A node whose first part is a `<word>`: it also takes the span of that name."""
    return lambda span, word, *parts: kind(word[0], *parts, span, word[1])


def given(_: Span, value: object) -> object:
    """The value inside, as it is."""
    return value


def pair(_: Span, *both: object) -> tuple[object, ...]:
    """The two values inside."""
    return both


def always(value: object) -> Make:
    """The same value whatever is inside."""
    return lambda *_: value


# ------------------------------------------------------------------ productions


@node
class _Part:
    symbol: str
    left_out: bool = False

    @property
    def is_list(self) -> bool:
        return is_result(self.symbol) and self.symbol.endswith("+")

    @property
    def has_value(self) -> bool:
        return self.symbol in VALUED or is_result(self.symbol)


def is_result(symbol: str) -> bool:
    """Whether a symbol is the result of productions, not the kind of a token."""
    return symbol[0] == "<" and symbol[1:2].isalpha()


def productions(rules: Iterable[Rule]) -> tuple[Production, ...]:
    """The productions the rules stand for: each rule's in order, then those of the lists."""
    plain = [_production(r, parts) for r in rules for parts in _versions(r.pattern.split())]
    named = dict.fromkeys(s for p in plain for s in p.symbols if is_result(s))
    return (*plain, *(p for symbol in named for p in _repeated(symbol)))


def _versions(pattern: list[str]) -> Iterator[list[_Part]]:
    """The pattern with each `[ … ]` and each `<x>*` written out, both ways."""
    if not pattern:
        yield []
    elif pattern[0] == "[":
        close = _closing(pattern)
        for after in _versions(pattern[close + 1 :]):
            inside = list(_versions(pattern[1:close]))
            for parts in inside:
                yield parts + after
            yield [_Part(part.symbol, left_out=True) for part in inside[0]] + after
    else:
        first = pattern[0]
        for after in _versions(pattern[1:]):
            if is_result(first) and first.endswith("*"):
                many = first[:-1] + "+"
                yield [_Part(many), *after]
                yield [_Part(many, left_out=True), *after]
            else:
                yield [_Part(first[1] if first[0] == "'" else first), *after]


def _closing(pattern: list[str]) -> int:
    depth = 0
    for place, symbol in enumerate(pattern):
        depth += (symbol == "[") - (symbol == "]")
        if depth == 0:
            return place
    raise ValueError(f"a `[` is not closed in {' '.join(pattern)}")


def _production(rule: Rule, parts: list[_Part]) -> Production:
    symbols: list[str] = []
    picks: list[Pick] = []
    for part in parts:
        if part.has_value:
            picks.append(Pick(None if part.left_out else len(symbols), part.is_list))
        if not part.left_out:
            symbols.append(part.symbol)
    return Production(f"<{rule.result}>", tuple(symbols), rule.make, tuple(picks), rule.binds)


def _repeated(symbol: str) -> Iterator[Production]:
    """The productions of a list and of what may be left out, none of another symbol."""
    if symbol.endswith("?"):
        yield Production(symbol, (symbol[:-1],), given, (Pick(0),))
        yield Production(symbol, (), always(None))
    elif symbol.endswith("+"):
        one = symbol.removesuffix("+").removesuffix(",")
        between = (",",) if symbol.endswith(",+") else ()
        yield Production(symbol, (one,), None)
        yield Production(symbol, (symbol, *between, one), None)
