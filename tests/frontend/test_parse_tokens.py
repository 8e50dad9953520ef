"""Tokens: what is a name, a number, a comment, and where a text is no text at all."""

import pytest

from serq_simpy.errors import ProgramSyntaxError, Source
from serq_simpy.frontend.lexer import DEEPEST, END, read_tokens


def tokens(text):
    return [(t.kind, t.value) for t in read_tokens(Source("", text))][:-1]


def wrong(text):
    with pytest.raises(ProgramSyntaxError) as error:
        list(read_tokens(Source("", text)))
    (diagnostic,) = error.value.diagnostics
    return f"{diagnostic.span.line}:{diagnostic.span.column}: {diagnostic.message}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.", 1.0),
        (".5", 0.5),
        ("007", 7.0),
        ("1_000", 1000.0),
        ("1__0", 10.0),
        ("1_", 1.0),
        ("1_.5", 1.5),
        ("1._5", 1.5),
        ("1e3", 1000.0),
        ("1.e3", 1000.0),
        (".5e1", 5.0),
        ("1E+3", 1000.0),
        ("1e-3", 0.001),
        ("1_000.5_0", 1000.5),
        ("1e400", float("inf")),
        ("1e-400", 0.0),
    ],
)
def test_numbers(text, value):
    assert tokens(text) == [("NUMBER", value)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1e", [("NUMBER", 1.0), ("NAME", "e")]),
        ("1e_5", [("NUMBER", 1.0), ("NAME", "e_5")]),
        ("1e5_0", [("NUMBER", 1e5), ("NAME", "_0")]),
        ("1e5.5", [("NUMBER", 1e5), ("NUMBER", 0.5)]),
        ("1.x", [("NUMBER", 1.0), ("NAME", "x")]),
        ("..2", [(".", "."), ("NUMBER", 0.2)]),
        ("x-y", [("NAME", "x"), ("-", "-"), ("NAME", "y")]),
        ("a<=-b", [("NAME", "a"), ("<=", "<="), ("-", "-"), ("NAME", "b")]),
        ("x!=!y", [("NAME", "x"), ("!=", "!="), ("!", "!"), ("NAME", "y")]),
        ("poolx pool", [("NAME", "poolx"), ("pool", "pool")]),
        ("Pool POOL", [("NAME", "Pool"), ("NAME", "POOL")]),
    ],
)
def test_where_tokens_end(text, parts):
    assert tokens(text) == parts


@pytest.mark.parametrize("name", ["é", "日本", "_", "_a1", "a²", "a٣", "ⅷ", "ẞ_x"])
def test_names_of_any_alphabet(name):
    assert tokens(name) == [("NAME", name)]


@pytest.mark.parametrize("space", "\t\n\r\f\v\x85\xa0\u1680\u2003\u2028\u202f\u3000")
def test_white_space_is_unicodes(space):
    assert tokens(f"a{space}b") == [("NAME", "a"), ("NAME", "b")]


def test_comments():
    assert tokens("a // b */ c\nd /* e \n // f */ g /**/ h // i") == [
        ("NAME", name) for name in "adgh"
    ]


def test_comments_do_not_nest():
    assert tokens("/* a /* b */ c") == [("NAME", "c")]


def test_texts_have_no_escapes_and_may_hold_lines():
    assert tokens('"a\\" "b\n//c"') == [("STRING", "a\\"), ("STRING", "b\n//c")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("max j in", "FOLD"),
        ("sum in in", "FOLD"),
        ("min /* a */ j // b\n in", "FOLD"),
        ("max(j)", "NAME"),
        ("max j inn", "NAME"),
        ("max // j in", "NAME"),
        ("max /* j in */ k", "NAME"),
        ("maxj in", "NAME"),
    ],
)
def test_an_aggregate_is_seen_by_its_index(text, kind):
    assert tokens(text)[0] == (kind, "maxj" if text == "maxj in" else text[:3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeffx", r"1:1: unexpected character `\ufeff`"),
        ("a\0", r"1:2: unexpected character `\x00`"),
        ("a\n %", "2:2: unexpected character `%`"),
        ("a & b", "1:3: unexpected character `&`"),
        ("a | b", "1:3: unexpected character `|`"),
        ("it's", "1:3: unexpected character `'`"),
        ("²", "1:1: unexpected character `²`"),
        ("٣", "1:1: unexpected character `٣`"),
        ("a\u0301", "1:2: unexpected character `\u0301`"),
        ("a\x1cb", r"1:2: unexpected character `\x1c`"),
        ("a\u200bb", r"1:2: unexpected character `\u200b`"),
        ("1..2", "1:1: bad number `1..2`"),
        (" 1.2.3", "1:2: bad number `1.2.3`"),
        ("5.5.", "1:1: bad number `5.5.`"),
        ('x\n "abc', "2:2: unterminated string"),
        ("x /* abc *", "1:3: unterminated block comment"),
        ("/* a */ /*/", "1:9: unterminated block comment"),
    ],
)
def test_what_is_no_token(text, message):
    assert wrong(text) == message


def test_brackets_are_open_so_deep_and_no_deeper():
    assert len(tokens("(" * DEEPEST + ")" * DEEPEST)) == 2 * DEEPEST
    assert (
        wrong("([{" * 1_000_000) == f"1:{DEEPEST + 1}: more than {DEEPEST} brackets are open here"
    )


def test_the_end_is_a_token():
    assert [*read_tokens(Source("", " x "))][-1] == (END, "", 3, 3)
