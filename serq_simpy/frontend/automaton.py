"""Runs the tables of the grammar over tokens and makes the syntax tree.

PLY computes the tables; they are run here, since here every symbol has its place, a
word that the grammar does not look for is a name, and what could have stood in the
place of a wrong token can be asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span
from serq_simpy.frontend.grammar import PRODUCTIONS
from serq_simpy.frontend.lexer import Token
from serq_simpy.frontend.notation import Production
from serq_simpy.frontend.tables import TABLES
from serq_simpy.frontend.words import KEYWORDS

DEEPEST: Final = 5000
"""How deep expressions may be nested; a chain of n operators is nested n deep."""

_MOST_PENDING: Final = 8 * DEEPEST


class _Rows(dict[int, dict[str, int]]):
    """What is to be done in each state, by a symbol; a row is read when it is asked for."""

    def __init__(self, lines: list[str], symbols: list[str]) -> None:
        super().__init__()
        self._lines, self._symbols = lines, symbols

    def __missing__(self, state: int) -> dict[str, int]:
        numbers = list(map(int, self._lines[state].split()))
        symbols = map(self._symbols.__getitem__, numbers[0::2])
        row = self[state] = dict(zip(symbols, numbers[1::2], strict=True))
        return row


class Tables(NamedTuple):
    """The kinds of tokens, and what to do by the kind of the next one and by a result.

    An action above 0 shifts and goes to that state, one below 0 reduces by that
    production, numbered from 1, and 0 accepts.
    """

    kinds: list[str]
    actions: _Rows
    gotos: _Rows


class WrongToken(Exception):
    """No text of the grammar goes on with this token."""

    def __init__(self, token: Token) -> None:
        super().__init__(token)
        self.token = token


@cache
def tables() -> Tables:
    """The tables, as they were built ahead of time."""
    kinds, results, *rows = TABLES.splitlines()
    tokens = json.loads(kinds)
    symbols = tokens + json.loads(results)
    return Tables(tokens, _Rows(rows[0::2], symbols), _Rows(rows[1::2], symbols))


def action(state: int, kind: str) -> int | None:
    """What to do with a token in a state; a word that is not looked for is a name."""
    row = tables().actions[state]
    move = row.get(kind)
    return row.get("NAME") if move is None and kind in KEYWORDS else move


def _exact_action(state: int, kind: str) -> int | None:
    return tables().actions[state].get(kind)


class _Maker(NamedTuple):
    """A production made ready: how many symbols it takes off, and what they become."""

    production: Production
    size: int
    nests: bool

    def value(self, source: Source, values: Sequence[Any], start: int, end: int) -> Any:
        production = self.production
        if production.make is None:
            return _listed(values)
        parts = (
            (() if pick.is_list else None)
            if pick.place is None
            else tuple(values[pick.place])
            if pick.is_list
            else values[pick.place]
            for pick in production.picks
        )
        return production.make(Span(source, start, end), *parts)


def _listed(values: Sequence[Any]) -> list[Any]:
    """The list begun by its first member, or gone on with its last."""
    if len(values) == 1:
        return [values[0]]
    values[0].append(values[-1])
    return values[0]  # type: ignore[no-any-return]


_MAKERS: Final = [
    _Maker(p, len(p.symbols), p.result in ("<expr>", "<led>") and len(p.symbols) > 1)
    for p in PRODUCTIONS
]


def run(source: Source, tokens: Iterable[Token]) -> Any:
    """What the tokens of a text make.

    Raises `WrongToken` at the first token that no text of the grammar has there, and
    `ProgramSyntaxError` where an expression is nested deeper than `DEEPEST`.
    """
    states, values, starts, ends, depths = [0], [None], [0], [0], [0]
    gotos = tables().gotos
    stream = iter(tokens)
    token = next(stream)
    while True:
        move = action(states[-1], token.kind)
        if move is None:
            raise WrongToken(token)
        if move > 0:
            if len(states) > _MOST_PENDING:
                raise _too_deep(source, token.start)
            states.append(move)
            values.append(token.value)
            starts.append(token.start)
            ends.append(token.end)
            depths.append(0)
            token = next(stream)
            continue
        if move == 0:
            return values[-1]
        maker = _MAKERS[-move - 1]
        size = maker.size
        first = len(states) - size
        start = starts[first] if size else token.start
        end = ends[-1]
        depth = max(depths[first:], default=0) + maker.nests
        if depth > DEEPEST:
            raise _too_deep(source, start)
        value = maker.value(source, values[first:], start, end)
        del states[first:], values[first:], starts[first:], ends[first:], depths[first:]
        states.append(gotos[states[-1]][maker.production.result])
        values.append(value)
        starts.append(start)
        ends.append(end)
        depths.append(depth)


def _too_deep(source: Source, start: int) -> ProgramSyntaxError:
    return ProgramSyntaxError(
        Diagnostic(
            f"the expression here is nested more than {DEEPEST} deep",
            Span(source, start, start + 1),
            "give a part of it a name with `let` or `def`",
        )
    )


# ---------------------------------------------------------------- what may stand


def states_before(tokens: Sequence[Token]) -> list[int]:
    """The states in which the text stands after these tokens, none of which is wrong."""
    states = [0]
    for token in tokens:
        _shift(states, token.kind, action)
    return states


def expected(states: Sequence[int]) -> set[str]:
    """The kinds of tokens that are looked for next."""
    return {kind for kind in tables().kinds if _shift(list(states), kind, _exact_action)}


def _shift(states: list[int], kind: str, act: Callable[[int, str], int | None]) -> bool:
    """Move over a token, with the reductions before it, if it may stand there."""
    gotos = tables().gotos
    while True:
        move = act(states[-1], kind)
        if move is None:
            return False
        if move >= 0:
            states.append(move)
            return True
        maker = _MAKERS[-move - 1]
        del states[len(states) - maker.size :]
        states.append(gotos[states[-1]][maker.production.result])
