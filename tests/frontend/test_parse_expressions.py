"""Expressions: how operators group, and the place of every part."""

import json
from pathlib import Path

import pytest

from serq_simpy.errors import ProgramSyntaxError, Source
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.automaton import DEEPEST
from serq_simpy.frontend.parse import parse_expression

EXPRESSIONS = json.loads((Path(__file__).parent / "data/expressions.json").read_text("utf-8"))


def read(text):
    return parse_expression(Source("", text))


def shown(e):
    """An expression with the operator before its operands."""
    match e:
        case s.Number():
            return f"{e.value:g}"
        case s.Reference():
            index = "" if e.index is None else f"[{shown(e.index)}]"
            return e.name + index + "".join(f".{field}" for field in e.fields)
        case s.Call():
            return f"({' '.join([e.name, *map(shown, e.args)])})"
        case s.Draw():
            return f"({' '.join(['~' + e.law, *map(shown, e.args)])})"
        case s.Unary():
            return f"({e.op} {shown(e.operand)})"
        case s.Binary():
            return f"({e.op} {shown(e.left)} {shown(e.right)})"
        case s.Choice():
            return f"(? {shown(e.test)} {shown(e.yes)} {shown(e.no)})"
        case s.Aggregate():
            return f"({e.kind} {e.index} in {shown(e.count)} {shown(e.body)})"


@pytest.mark.parametrize(("text", "grouped"), EXPRESSIONS["grouped"].items())
def test_operators_group_as_in_the_reference(text, grouped):
    assert shown(read(text)) == grouped


@pytest.mark.parametrize("text", EXPRESSIONS["refused"])
def test_comparisons_do_not_chain(text):
    with pytest.raises(ProgramSyntaxError, match="comparisons do not chain"):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()", "(f)"),
        ("cost(p, q[1], n)", "(cost p q[1] n)"),
        ("~h2(a, 2)", "(~h2 a 2)"),
        ("P[i + 1].kv", "P[(+ i 1)].kv"),
        ("a.b.c", "a.b.c"),
        ("running.count", "running.count"),
        ("max(a, b)", "(max a b)"),
        ("max + max", "(+ max max)"),
        ("max j in 3 (j)", "(max j in 3 j)"),
        ("-sum j in n (j) ^ 2", "(- (^ (sum j in n j) 2))"),
        ("min k in (n - 1) (max j in 2 (q[j]))", "(min k in (- n 1) (max j in 2 q[j]))"),
        ("sum from in 3 (from)", "(sum from in 3 from)"),
        ("run + set[pool].queue / hold(end)", "(+ run (/ set[pool].queue (hold end)))"),
        ("on ? by : from", "(? on by from)"),
        ("tool - 1", "(- tool 1)"),
        ("inf", "inf"),
    ],
)
def test_the_other_forms(text, expected):
    assert shown(read(text)) == expected


@pytest.mark.parametrize(
    "text", ["", "1 2", "f(1,)", "+1", "(1", "a[1", "a[1][2]", "a.", "~exp", "1 ? 2", "a = b", "x;"]
)
def test_what_is_no_expression(text):
    with pytest.raises(ProgramSyntaxError):
        read(text)


def test_spans_are_those_of_the_text():
    text = "(a + b) * -kv[ j ].x ? f( 1 ) : ~exp(2)"
    choice = read(text)
    parts = [choice.test, choice.test.left, choice.test.right, choice.yes, choice.no]
    assert [text[p.span.start : p.span.end] for p in parts] == [
        "(a + b) * -kv[ j ].x",
        "a + b",
        "-kv[ j ].x",
        "f( 1 )",
        "~exp(2)",
    ]


CHAINS = {
    "left": lambda n: "+".join("1" * (n + 1)),
    "right": lambda n: "^".join("1" * (n + 1)),
    "signs": lambda n: "-" * n + "1",
    "arms": lambda n: "1?2:" * n + "3",
    "tests": lambda n: "1?" * n + "2" + ":3" * n,
}


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_chains_may_be_long_and_have_an_end(chain):
    read(chain(DEEPEST))
    for n in (DEEPEST + 1, 60_000):
        with pytest.raises(ProgramSyntaxError, match=f"nested more than {DEEPEST} deep"):
            read(chain(n))
