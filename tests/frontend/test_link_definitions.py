"""Definitions: what a use is replaced by, and the rules for bodies and arguments."""

from __future__ import annotations

import pytest
from linking import as_json, at, link, refusal, refusals, server

from serq_simpy.ir import model as ir


def _body(statements: str, declarations: str = "", **given: object) -> list[object]:
    """The session's statements between its `Turn` and its `End`."""
    linked = link(server(statements, declarations), **given)  # type: ignore[arg-type]
    block: list[object] = as_json(linked)["blocks"][2]
    return block[1:-1]


def _same(left: tuple[str, str], right: str) -> None:
    assert _body(left[1], left[0]) == _body(right)


@pytest.mark.parametrize(
    ("definition", "use", "meaning"),
    [
        ("def f(x) { -x^2 }", "observe v = f(3+1);", "observe v = -((3+1)^2);"),
        (
            "def f(x) { x ? 1 : 2 }",
            "observe v = f(1 ? 2 : 3) ^ 2;",
            "observe v = ((1 ? 2 : 3) ? 1 : 2) ^ 2;",
        ),
        ("def f(z) { used(z) }", "observe v = f(p)+f(q[1]);", "observe v = used(p)+used(q[1]);"),
        ("def f(z) { used(z[1]) }", "observe v = f(q);", "observe v = used(q[1]);"),
        ("def f(z, g) { used(g[z]) }", "observe v = f(serial, q);", "observe v = used(q[serial]);"),
        ("def f(p) { used(p) }", "observe v = f(q[0]);", "observe v = used(q[0]);"),
        ("def f(serial) { serial }", "observe v = f(3);", "observe v = 3;"),
        ("def f(x) { run x (cost(x, 1)); }", "f(s);", "run s (cost(s, 1));"),
        ("def f(r) { tool on r (3); }", "f(s);", "tool on s (3);"),
        ("def f(x) { Cost c = { x : 1 }; }", "f(q);", "Cost c = { q : 1 };"),
        ("def f(x) { hold x (cost(x, 1)) { } }", "f(q[1]);", "hold q[1] (cost(q, 1)) { }"),
        ("def g(x) { x*2 } def f(x) { g(x)+1 }", "observe v = f(3);", "observe v = 3*2+1;"),
        ("def f(x) { sum j in 2 (x) }", "observe v = f(~exp(1));", "observe v = ~exp(1)+~exp(1);"),
        ("def f(n) { sum j in n (j) }", "observe v = f(3);", "observe v = (0 + 1) + 2;"),
        ("def f(x,) { x }", "observe v = f(1);", "observe v = 1;"),
        ("def f() { }", "f();", ""),
        ("def f(m) { m.p }", "Cost c = { p : 1 }; observe v = f(c);",
         "Cost c = { p : 1 }; observe v = c.p;"),
    ],
)  # fmt: skip
def test_a_use_is_its_body(definition: str, use: str, meaning: str) -> None:
    _same((definition, use), meaning)


def test_an_index_of_the_body_does_not_capture_the_argument() -> None:
    _same(
        ("def f(x) { sum j in 2 (x * j) }", "observe v = sum j in 2 (f(j));"),
        "observe v = (0*0 + 0*1) + (1*0 + 1*1);",
    )


def test_constants_may_be_computed_with_definitions() -> None:
    program = link(
        server("", "def f(x) { x + 1 } let n = f(2); pool w[f(1)] { cap f(n); }")
    ).program
    assert [pool.cap for pool in program.pools[3:]] == [4.0, 4.0]


@pytest.mark.parametrize(
    ("definition", "use", "says"),
    [
        ("def f(x) { x }", "observe v = f();", "takes 1 argument(s), got 0"),
        ("def f(x) { x }", "f(1);", "is an expression, not statements"),
        ("def f() { set a = 1; }", "observe v = f();", "is statements, not an expression"),
        ("def f(x) { x + x }", "observe v = f(~exp(1));", "it would draw 2 times"),
        ("def g(x) { x + x } def f(x) { g(x) }", "observe v = f(~exp(1));", "would draw 2 times"),
        ("def f(x) { observe b = x; }", "f(now);", "reads `now`, which changes"),
        ("def f(x) { observe b = x; }", "f(1 + used(p));", "reads `used(…)`, which changes"),
        ("def f(x) { hold x (cost(x,1)) { } }", "f(q[used(p)]);", "reads `used(…)`"),
        ("def f(x) { observe z = x; set a = 1; }", "set a = 2; f(a);", "which `f` assigns"),
        ("def g() { set a = 1; } def f(x) { observe z = x; g(); }", "f(a);", "which `f` assigns"),
        ("def f(x) { choose a in 2 by (x); }", "f(a);", "which `f` assigns"),
        ("def f(x) { set x = 1; }", "f(3);", "is a parameter, and the body names with it"),
        ("def f(j) { sum j in 2 (j) }", "observe v = f(3);", "is a parameter, and the body"),
        ("def f(x, x) { x }", "", "is a parameter twice"),
        ("def f(x) { f(x) }", "", "`f` uses itself"),
        ("def f(x) { g(x); } def g(x) { }", "", "defined after it"),
        ("def f(x) { x } def f(x) { x }", "", "`f` is defined twice"),
        ("def f(max) { 1 }", "", "`max` is a word of the language"),
        ("def pow(x) { 1 }", "", "`pow` is a word of the language"),
        ("def f(x) { used(x) }", "observe v = f(1);", "expects a pool name"),
        ("def f(z) { used(z[1]) }", "observe v = f(1);", "which has no member"),
        ("def f(x) { hold x (cost(p,1)) { } }", "f(1);", "stands for an expression here"),
        ("def f(x) { x(1); }", "f(g);", "unknown statement `g`"),
    ],
)  # fmt: skip
def test_the_rules_of_definitions(definition: str, use: str, says: str) -> None:
    assert says in refusal(server(use, definition)).message


def test_a_recursion_through_a_parameter_is_no_way_around() -> None:
    assert "its uses come after that" in refusal(server("f(f);", "def f(x) { x(x); }")).message


def test_an_unused_body_may_name_anything() -> None:
    link(server("", "def f() { set a = nope + zz(1); nothing(3); }"))


def test_an_error_in_a_body_is_told_with_its_use() -> None:
    text = server("observe v = 1;\nobserve w = f(1);", "def f(x) {\n x + yy }")
    diagnostic = refusal(text)
    assert diagnostic.message == "unknown name `yy`"
    assert at(diagnostic) == (6, 6)
    assert "note: in `f`, used at 9:13" in str(diagnostic)


def test_a_definition_comes_before_its_uses() -> None:
    diagnostic = refusal("fn main() { gauge g = f(1); def f(x) { x } }")
    assert at(diagnostic) == (1, 23)
    assert diagnostic.message == "`f` is defined at 1:33, and its uses come after that"


def test_an_override_replaces_the_body() -> None:
    replaced = _body("observe v = f(4);", "def g(x) { x*2 } def f(x) { x }", defs={"f": "x + g(1)"})
    assert replaced == _body("observe v = 4 + 1*2;")


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("g", "2", "unknown `def` override `g`"),
        ("f", "nope", "unknown name `nope`"),
        ("f", "f(1)", "`f` uses itself"),
        ("h", "1", "an override replaces the body of an expression definition"),
    ],
)
def test_wrong_overrides(name: str, body: str, says: str) -> None:
    text = server("observe v = f(1);", "def f(x) { x } def h() { set a = 1; }")
    assert says in refusal(text, defs={name: body}).message


def test_an_override_that_is_no_expression_says_which_it_was() -> None:
    diagnostic = refusal(server("observe v = f(1);", "def f(x) { x }"), defs={"f": "1 +"})
    assert diagnostic.message.startswith("invalid expression: ")
    assert "`def` override `f`:1:4" in str(diagnostic)


def test_each_turn_has_blocks_of_its_own() -> None:
    turns = "arrive batch(1); session { turn; tool (1); turn; }"
    program = link(server("branch (1) { observe v = 1; }", workload=turns)).program
    assert len(program.blocks) == 3 + 2 * 2
    assert program.stages[-1] == ir.Stage("tool", None, ir.Ps(ir.Ctx("N")))


def test_independent_errors_are_all_told_in_text_order() -> None:
    text = server("observe a = no1;\nset b = no2(1);\nobserve c = b;\nrun no3 (cost(s, 1));")
    found = refusals(text)
    assert [at(d)[0] for d in found] == [7, 8, 10]
