"""`at admission`: bindings are written into the header and set where the body reads them."""

from __future__ import annotations

import pytest
from linking import as_json, link, refusal, server

ONE = {"Num": 1.0}
X = {"Attr": 9}


def _blocks(statements: str, declarations: str = "") -> list[list[object]]:
    blocks: list[list[object]] = as_json(link(server(statements, declarations)))["blocks"]
    return blocks


def test_a_binding_the_body_does_not_read_leaves_no_trace() -> None:
    written = _blocks("hold p (cost(p, x + 1)) at admission (x = used(p)) { } cache (cost(p, x))")
    assert written == _blocks("hold p (cost(p, used(p) + 1)) { } cache (cost(p, used(p)))")


def test_a_binding_the_body_reads_is_set_at_its_top() -> None:
    blocks = _blocks("hold p (cost(p, x)) at admission (x = 1) { observe a = x; }")
    assert blocks[3] == [{"Set": [9, ONE]}, {"Observe": [0, X]}]


def test_a_later_binding_sees_the_earlier_ones() -> None:
    blocks = _blocks("hold p (cost(p, y)) at admission (x = 1, y = x + 1) { observe a = y; }")
    assert blocks[3][0] == {"Set": [9, {"Binary": ["Add", ONE, ONE]}]}


def test_a_nested_header_reads_the_outer_binding() -> None:
    blocks = _blocks(
        "hold p (cost(p, 1)) at admission (x = 1) {"
        " hold q[0] (cost(q, y)) at admission (y = x) { } }"
    )
    assert blocks[3][0] == {"Set": [9, ONE]}


def test_a_nested_hold_that_binds_the_name_anew_reads_its_own() -> None:
    blocks = _blocks(
        "hold p (cost(p, 1)) at admission (x = 1) {"
        " hold p (cost(p, 1)) at admission (x = 2) { observe a = x; } }"
    )
    assert len(blocks[3]) == 1
    assert blocks[4] == [{"Set": [9, {"Num": 2.0}]}, {"Observe": [0, X]}]


def test_a_definition_in_the_header_or_the_body_sees_the_binding() -> None:
    assert _blocks("hold p (cost(p, f())) at admission (x = 1) { }", "def f() { x }") == _blocks(
        "hold p (cost(p, 1)) { }"
    )
    blocks = _blocks(
        "hold p (cost(p, 1)) at admission (x = 1) { f(); }", "def f() { observe a = x; }"
    )
    assert blocks[3][0] == {"Set": [9, ONE]}


@pytest.mark.parametrize(
    ("hold", "says"),
    [
        ("(x = 1, x = 2) { }", "bound twice"),
        ("(x = y, y = 1) { }", "which is bound after it"),
        ("(x = x + 1) { }", "reads itself"),
        ("(x = ~exp(1)) { }", "draws a sample"),
        ("(x = used(p)) { observe a = x; }", "`x` reads `used(…)`"),
        ("(x = now, y = x) { observe a = y; }", "`y` reads `now`"),
        ("(x = cached) { observe a = x; }", "`x` reads `cached`"),
        ("(x = 1) { observe a = x; } observe b = x;", "outside the body of the hold"),
        ("(x = 1) { observe x = 1; }", "is a hold's binding"),
        ("(x = 1) { set x = 1; }", "is a hold's binding"),
        ("(s = 1) { }", "`s` is a stage"),
        ("(now = 1) { }", "the language supplies"),
        ("(serial = 1) { }", "is a built-in attribute"),
        ("(admit = 1) { }", "is a retired word"),
    ],
)
def test_wrong_bindings(hold: str, says: str) -> None:
    assert says in refusal(server(f"hold p (cost(p, 1)) at admission {hold}")).message


def test_an_index_is_no_part_of_the_header() -> None:
    wrong = server("hold q[x] (cost(q, 1)) at admission (x = 1) { }")
    assert "outside the body" in refusal(wrong).message
