"""The tables of the grammar, computed by PLY and written down as text.

Nothing here runs when a program is read: `scripts/build-tables` writes what `table_text`
gives into the module `tables`, and `automaton` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import ply.yacc

from serq_simpy.frontend.grammar import BINDING, PRODUCTIONS
from serq_simpy.frontend.lexer import END
from serq_simpy.frontend.notation import is_result


class Conflict(Exception):
    """The grammar can be read in two ways."""


def table_text() -> str:
    """The source of the module `tables`."""
    lines = [
        '"""The tables of the grammar. Written by scripts/build-tables; do not edit."""',
        "",
        'TABLES = """\\',
        *_lines(),
        '"""',
    ]
    return "\n".join(lines) + "\n"


def _lines() -> Iterator[str]:
    """The kinds of tokens, the results, then each state's actions and gotos.

    A row lists pairs, the number of a symbol and what to do: shift and go to the state
    that follows, or, if negative, reduce by that production.
    """
    kinds = [*dict.fromkeys(_kinds()), END]
    results = list(dict.fromkeys(p.result for p in PRODUCTIONS))
    table = _table(kinds)
    yield json.dumps(kinds)
    yield json.dumps(results)
    numbers = {_name(symbol): i for i, symbol in enumerate([*kinds, *results])}
    for state in range(len(table.lr_action)):
        yield _row(table.lr_action[state], numbers)
        yield _row(table.lr_goto.get(state, {}), numbers)


def _row(actions: dict[str, int | None], numbers: dict[str, int]) -> str:
    pairs = sorted((numbers[s], a) for s, a in actions.items() if a is not None)
    return " ".join(f"{symbol} {action}" for symbol, action in pairs)


def _kinds() -> Iterator[str]:
    for production in PRODUCTIONS:
        yield from (s for s in production.symbols if not is_result(s))


def _name(symbol: str) -> str:
    """The symbol under a name that PLY takes, of letters and digits."""
    return END if symbol == END else f"S{symbol.encode().hex()}"


def _symbol(name: str) -> str:
    return END if name == END else bytes.fromhex(name[1:]).decode()


def _table(kinds: list[str]) -> ply.yacc.LRGeneratedTable:
    """PLY's table. Raises `Conflict` where the grammar has two readings."""
    grammar = ply.yacc.Grammar([_name(k) for k in kinds if k != END])
    for level, (grouping, symbols) in enumerate(BINDING, start=1):
        for symbol in symbols:
            grammar.set_precedence(_name(symbol), grouping, level)
    for production in PRODUCTIONS:
        binds = ["%prec", _name(production.binds)] if production.binds else []
        grammar.add_production(_name(production.result), [*map(_name, production.symbols), *binds])
    grammar.set_start(_name(PRODUCTIONS[0].result))
    grammar.build_lritems()
    grammar.compute_first()
    grammar.compute_follow()
    table = ply.yacc.LRGeneratedTable(grammar)
    if conflicts := [
        *map(_shift_or_reduce, table.sr_conflicts),
        *map(_two_ways, table.rr_conflicts),
    ]:
        raise Conflict("\n".join(conflicts))
    return table


def _shift_or_reduce(conflict: tuple[int, str, str]) -> str:
    state, token, choice = conflict
    return f"state {state}: `{_symbol(token)}` may be shifted or reduce; PLY chose {choice}"


def _two_ways(conflict: tuple[int, ply.yacc.Production, ply.yacc.Production]) -> str:
    state, *both = conflict
    one, other = (" ".join(map(_symbol, (p.name, *p.prod))) for p in both)
    return f"state {state}: reduce by {one} or by {other}"
