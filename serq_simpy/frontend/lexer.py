"""From text to tokens.

A token's kind is the word or the sign itself, `NAME`, `NUMBER` or `STRING`, `FOLD`
for the word of an aggregate (`max j in …`), or `END`. White space is any of Unicode's,
letters are those of any alphabet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

import ply.lex

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span, shown
from serq_simpy.frontend.words import AGGREGATES, KEYWORDS

END: Final = "$end"

DEEPEST: Final = 256
"""How many brackets may be open at once."""

PAIRS: Final = {"(": ")", "[": "]", "{": "}"}


_Rule = Callable[[Any], Any]


class Token(NamedTuple):
    """A token from offset `start` up to `end`; a number's value is its double."""

    kind: str
    value: Any
    start: int
    end: int


_SPACE = r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_COMMENT = r"//[^\n]*+|(?>/\*(?s:.*?)\*/)"
_WORD = r"[^\W\d]\w*"
_SKIPPED = rf"(?:{_SPACE}|{_COMMENT})++"


def _reads(pattern: str) -> Callable[[_Rule], _Rule]:
    """Give a rule of the lexer its pattern, where PLY looks before it looks at docstrings."""

    def give(rule: _Rule) -> _Rule:
        rule.regex = pattern  # type: ignore[attr-defined]
        return rule

    return give


tokens = ("FOLD", "WORD", "NUMBER", "STRING", "SIGN")


@_reads(_SKIPPED)
def t_skipped(_: Any) -> None:
    """Nothing: comments and white space only stand between tokens."""


@_reads(rf"(?:{'|'.join(AGGREGATES)})(?={_SKIPPED}{_WORD}{_SKIPPED}in\b)")
def t_FOLD(token: Any) -> Any:
    return token


@_reads(_WORD)
def t_WORD(token: Any) -> Any:
    if not token.value[0].isidentifier():
        t_error(token)
    token.type = token.value if token.value in KEYWORDS else "NAME"
    return token


@_reads(r"\.?[0-9][0-9_.]*(?:[eE][+-]?[0-9]+)?")
def t_NUMBER(token: Any) -> Any:
    text = token.value
    if text.count(".") > 1:
        _refuse(token, f"bad number `{text}`", len(text), "a number has at most one `.`")
    token.value = float(text.replace("_", ""))
    return token


@_reads(r'"[^"]*"')
def t_STRING(token: Any) -> Any:
    token.value = token.value[1:-1]
    return token


@_reads(r"[<>=!]=|&&|\|\||/(?!\*)|[-+*^()\[\]{},;:?~.=<>!]")
def t_SIGN(token: Any) -> Any:
    token.type = token.value
    return token


def t_error(token: Any) -> NoReturn:
    rest = token.value
    if rest.startswith("/*"):
        _refuse(token, "unterminated block comment", 2, "close it with `*/`")
    if rest.startswith('"'):
        _refuse(token, "unterminated string", 1, 'close it with `"`')
    _refuse(token, f"unexpected character `{shown(rest[0])}`", 1, _MENDS.get(rest[0]))


_MENDS: Final = {
    "#": "a comment is written `// …`",
    "%": "there is no remainder; write `x - y * floor(x / y)`",
    "&": "and is written `&&`",
    "|": "or is written `||`",
    "'": 'a text is written between `"`',
    "\ufeff": "the file begins with a byte-order mark; save it without",
}


def _refuse(token: Any, message: str, width: int, mend: str | None = None) -> NoReturn:
    span = Span(token.lexer.source, token.lexpos, token.lexpos + width)
    raise ProgramSyntaxError(Diagnostic(message, span, mend))


# Without a table name PLY neither looks for a written table nor writes one.
_LEXER = ply.lex.lex(module=sys.modules[__name__], optimize=True, lextab=False, reflags=0)


def read_tokens(source: Source) -> Iterator[Token]:
    """The tokens of a text, one after the other, the last of kind `END`.

    Raises `ProgramSyntaxError` at a character that begins no token and at the first
    bracket that is opened inside `DEEPEST` others.
    """
    lexer = _LEXER.clone()
    lexer.source = source
    lexer.input(source.text)
    depth = 0
    while (token := lexer.token()) is not None:
        kind, start = token.type, token.lexpos
        if kind in PAIRS:
            depth += 1
            if depth > DEEPEST:
                _refuse(token, f"more than {DEEPEST} brackets are open here", 1)
        elif kind in PAIRS.values():
            depth -= 1
        yield Token(kind, token.value, start, lexer.lexpos)
    yield Token(END, "", len(source.text), len(source.text))
