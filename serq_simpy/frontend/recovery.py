"""Going on after a wrong token, to find the other independent mistakes of a text.

The statement, option or declaration that holds the wrong token is left out, and the rest
is read again. A mistake that stands where something was left out is a consequence and is
not told: then what is around it is left out too. Where the brackets of a text do not
match, what belongs together cannot be known, and the first mistake is the only one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source
from serq_simpy.frontend import automaton
from serq_simpy.frontend.complaint import beginning, complaint
from serq_simpy.frontend.lexer import END, PAIRS, Token
from serq_simpy.frontend.words import KEYWORDS

_MOST_TRIED: Final = 20


def mistakes(source: Source, tokens: list[Token], wrong: int) -> Iterator[Diagnostic]:
    """What is wrong with a text whose token number `wrong` is the first that does not fit.

    `tokens` are the whole text's, or only those up to the wrong one.
    """
    left_out = -1
    for _ in range(_MOST_TRIED):
        follows = _follows(tokens, wrong, left_out)
        if not follows:
            yield complaint(source, tokens[: wrong + 1])
        cut = _around(tokens, wrong, outside=follows)
        if cut is None:
            return
        tokens = tokens[: cut.start] + tokens[cut.stop :]
        left_out = cut.start
        try:
            automaton.run(source, tokens)
        except automaton.WrongToken as error:
            wrong = tokens.index(error.token)
        except ProgramSyntaxError as error:
            yield from error.diagnostics
            return
        else:
            return


def _follows(tokens: Sequence[Token], wrong: int, left_out: int) -> bool:
    """Whether a token is wrong because what stood before it was left out.

    That is so where something was left out, and in a statement that begins there with a
    word which begins none: an `else` whose `branch` is gone.
    """
    if wrong == left_out or left_out < 0:
        return wrong == left_out
    kind = tokens[left_out].kind
    if kind not in KEYWORDS or beginning(tokens, wrong) != left_out:
        return False
    return kind not in automaton.expected(automaton.states_before(tokens[:left_out]))


def _around(tokens: Sequence[Token], place: int, *, outside: bool) -> range | None:
    """The smallest part that holds a token, or that holds the block the token is in."""
    if not _brackets_match(tokens):
        return None
    while True:
        block = _block_of(tokens, place)
        part = None if outside else _part(tokens, block, place)
        if part:
            return part
        if block == 0:
            return None
        place, outside = block, False


def _brackets_match(tokens: Sequence[Token]) -> bool:
    opened: list[str] = []
    for token in tokens:
        if token.kind in PAIRS:
            opened.append(PAIRS[token.kind])
        elif token.kind in PAIRS.values() and (not opened or opened.pop() != token.kind):
            return False
    return not opened and tokens[-1].kind == END


def _block_of(tokens: Sequence[Token], place: int) -> int:
    """The `{` of the innermost block a token is in; outside all of them, the first token."""
    opened: list[int] = []
    for i, token in enumerate(tokens[:place]):
        if token.kind in PAIRS:
            opened.append(i)
        elif token.kind in PAIRS.values():
            opened.pop()
    return next((i for i in reversed(opened) if tokens[i].kind == "{"), 0)


def _part(tokens: Sequence[Token], block: int, place: int) -> range | None:
    """What a block holds around a token, from after a `;` or `}` to the next of them."""
    start, depth = block + 1, 0
    for i in range(block + 1, len(tokens)):
        kind = tokens[i].kind
        depth += (kind in PAIRS) - (kind in PAIRS.values())
        if depth < 0 or kind == END:
            return range(start, i) or None
        if depth == 0 and kind in (";", "}"):
            if place <= i:
                return range(start, i + 1)
            start = i + 1
    return None
