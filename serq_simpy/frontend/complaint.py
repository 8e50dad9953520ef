"""What is said about a token that does not fit: what was expected, and the likely mend."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from serq_simpy.errors import Diagnostic, Source, Span
from serq_simpy.frontend.automaton import expected, states_before
from serq_simpy.frontend.grammar import OPERATORS, PRODUCTIONS
from serq_simpy.frontend.lexer import END, PAIRS, Token
from serq_simpy.frontend.mends import MENDS
from serq_simpy.frontend.notation import is_result
from serq_simpy.frontend.words import KEYWORDS, RETIRED

PLACES: Final = {
    "<top>": "a declaration",
    "<item>": "a declaration",
    "<statement>": "a statement",
    "<schedule-statement>": "a schedule's statement",
    "<workload-item>": "a part of the workload",
    "<queue-item>": "a part of a queue",
    "<engine-item>": "a part of an engine",
    "<pool-option>": "a pool's option",
    "<kind>": "a kind of stage (`fifo`, `ps` or `delay`)",
    "<setting>": "a setting",
    "<instance-item>": "`let` or `run`",
    "<expr>": "an expression",
    "<count>": "a number, a constant's name or `( expr )`",
}
"""What a result is called where one is expected, the wider before the narrower."""

_ANY_NAME: Final = ("<top>", "<item>", "<statement>")
_TOKENS: Final = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": 'a text, `"…"`',
    END: "the end of the text",
}
_COMPARISONS: Final = frozenset(("<", "<=", ">", ">=", "==", "!="))
_MOST_LISTED: Final = 7


def complaint(source: Source, tokens: Sequence[Token]) -> Diagnostic:
    """What to say about the last of these tokens, the first one that does not fit."""
    read = tokens[: _misread(tokens) + 1]
    wrong = read[-1]
    looked_for = expected(states_before(read[:-1]))
    places = _places(looked_for)
    message, mend = _mend(source, read, places, looked_for)
    if message is None:
        message = f"expected {_listed(places, looked_for)}, found {_shown(source, wrong)}"
    if len(read) < len(tokens) and tokens[-1].kind == "}":
        mend = mend or "a definition holds either one expression, without `;`, or statements"
    span = Span(source, wrong.start, max(wrong.end, wrong.start + 1))
    return Diagnostic(message, span, mend)


def _misread(tokens: Sequence[Token]) -> int:
    """The number of the token that is wrong: the last, or one read as a name before it.

    `foo = 1;` among statements goes wrong at `=`, and the wrong word is `foo`;
    `if (x) {` goes wrong at `{`, and the wrong word is `if`.
    """
    last = len(tokens) - 1
    begin = beginning(tokens, last)
    if last > 1 and _is_no_name(tokens, last - 1, unknown=True):
        return last - 1
    slip = tokens[last].kind == "{" or tokens[begin].value in RETIRED
    if 0 < begin < last and slip and _is_no_name(tokens, begin, unknown=False):
        return begin
    return last


def _is_no_name(tokens: Sequence[Token], place: int, *, unknown: bool) -> bool:
    """Whether a word that was read as a name is a slip there, or `unknown` counts as one."""
    word = tokens[place]
    if word.kind != "NAME" and word.kind not in KEYWORDS:
        return False
    looked_for = expected(states_before(tokens[:place]))
    if "NUMBER" in looked_for or (word.kind != "NAME" and word.kind in looked_for):
        return False
    places = _places(looked_for)
    slip = any(word.value in MENDS.get(p, ()) for p in places)
    return slip or (unknown and any(p in _ANY_NAME for p in places))


def beginning(tokens: Sequence[Token], last: int) -> int:
    """The number of the token that begins the statement or declaration of the last one."""
    closed = 0
    for i in range(last - 1, 0, -1):
        kind = tokens[i].kind
        if closed == 0 and kind in (";", "{", "}"):
            return i + 1
        closed += (kind in PAIRS.values()) - (kind in PAIRS)
        if closed < 0:
            return last
    return min(1, last)


def _places(looked_for: set[str]) -> list[str]:
    """The results that may begin here, without those that are part of another one."""
    places: list[str] = []
    covered: set[str] = set()
    for place in PLACES:
        begin = _beginnings()[place]
        if begin <= looked_for and not begin <= covered:
            places.append(place)
            covered |= begin
    return places


@cache
def _beginnings() -> dict[str, set[str]]:
    """The tokens that each result begins with; none of those asked for can be empty."""
    leading = {(p.result, p.symbols[0]) for p in PRODUCTIONS if p.symbols}
    begin: dict[str, set[str]] = {result: set() for result, _ in leading}
    while True:
        size = sum(map(len, begin.values()))
        for result, symbol in leading:
            begin[result] |= begin[symbol] if is_result(symbol) else {symbol}
        if sum(map(len, begin.values())) == size:
            return begin


# ------------------------------------------------------------------ what was expected


def _listed(places: list[str], looked_for: set[str]) -> str:
    """What was expected, as `an expression`, `` `,` or `)` ``."""
    rest = sorted(_besides(places, looked_for), key=lambda kind: (kind.isalpha(), kind))
    names = [PLACES[p] for p in places] + [_TOKENS.get(k, f"`{k}`") for k in rest]
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], "…"]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _besides(places: list[str], looked_for: set[str]) -> set[str]:
    """What may stand besides the places and besides what could always go on."""
    rest = looked_for.difference(*(_beginnings()[p] for p in places))
    if _after_expression(rest):
        rest = rest.difference(OPERATORS, "?.[(")
    return rest.difference(".[") or rest


def _after_expression(looked_for: set[str]) -> bool:
    return {"+", "*", "?"} <= looked_for


def _shown(source: Source, token: Token) -> str:
    if token.kind == END:
        return _TOKENS[END]
    text = source.text[token.start : token.end]
    return f"`{text if len(text) <= 40 else text[:40] + '…'}`".replace("\n", " ")


# ------------------------------------------------------------------ the likely mend


def _mend(
    source: Source, tokens: Sequence[Token], places: list[str], looked_for: set[str]
) -> tuple[str | None, str | None]:
    """A message of its own, if the slip is known, and the mend, if one is likely."""
    wrong = tokens[-1]
    text = source.text[wrong.start : wrong.end]
    for place in [*places, "operator"] if _after_expression(looked_for) else places:
        if text in MENDS.get(place, {}):
            return MENDS[place][text]
    if wrong.kind in _COMPARISONS and _after_expression(looked_for):
        return "comparisons do not chain", "write `a < b && b < c`, or put parentheses"
    if wrong.kind == "(" and _is_args_call(tokens):
        return (
            "`args.…` is the whole value of a `let` in `fn main()`",
            'write `let NAME = args.number("name", default);`',
        )
    return None, _plain_mend(source, tokens, places, looked_for)


def _is_args_call(tokens: Sequence[Token]) -> bool:
    before = [(t.kind, t.value) for t in tokens[-4:-1]]
    return before[:2] == [("NAME", "args"), (".", ".")]


def _plain_mend(
    source: Source, tokens: Sequence[Token], places: list[str], looked_for: set[str]
) -> str | None:
    wrong, before = tokens[-1], tokens[-2]
    rest = _besides(places, looked_for)
    if wrong.kind == END:
        return _unclosed(source, tokens)
    if wrong.kind == "=" and rest == {"{"}:
        return "an expression is defined as `def name(…) { expression }`"
    if not places and rest == {"}"}:
        if before.kind == ";":
            return "a request's `cache (e);` is its last item"
        return "a definition that is an expression has no `;`" if wrong.kind == ";" else None
    if rest == {"="}:
        return f"a value is given with `{before.value} = expr;`"
    if rest == {";"} and source.position(before.end)[0] < source.position(wrong.start)[0]:
        return f"end line {source.position(before.end)[0]} with `;`"
    return _alike(wrong, places, rest)


def _unclosed(source: Source, tokens: Sequence[Token]) -> str | None:
    """Which bracket the text leaves open."""
    opened: list[Token] = []
    for token in tokens:
        if token.kind in PAIRS:
            opened.append(token)
        elif token.kind in PAIRS.values() and opened:
            opened.pop()
    if not opened:
        return None
    line, column = source.position(opened[-1].start)
    return f"the `{opened[-1].kind}` at {line}:{column} is not closed"


def _alike(wrong: Token, places: list[str], rest: set[str]) -> str | None:
    """The word looked for that the wrong one is a misspelling of."""
    if not isinstance(wrong.value, str) or not wrong.value[:1].isalpha():
        return None
    from difflib import get_close_matches

    words = rest.union(*(_beginnings().get(p, ()) for p in places))
    alike = get_close_matches(wrong.value, sorted(w for w in words if w in KEYWORDS), 1, 0.7)
    return f"did you mean `{alike[0]}`?" if alike else None
