"""Constants, inputs, array sizes: order, values from outside, what is no constant."""

from __future__ import annotations

import json
import math

import pytest
from linking import as_json, at, link, refusal, refusals, server

from serq_simpy.frontend.inputs import InputValue

ARGS = 'use "std/args";'


def _cap(declarations: str, **given: object) -> float:
    text = f"{ARGS} fn main() {{ {declarations} pool z {{ cap answer; }} }}"
    return link(text, **given).program.pools[-1].cap  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        ("-2 ^ 2 + 2 ^ 3 ^ 2", 508.0),
        ("pow(2, 3) + min(1, 2) - max(1, 2)", 7.0),
        ("1 ? 2 : 0/0", 2.0),
        ("1 ? 2 : serial", 2.0),
        ("1 || nope", 1.0),
        ("-inf", -math.inf),
        ("1 / 0", math.inf),
        ("sum j in 4 (j) + max j in 2 (j + 2)", 9.0),
        ("ceil(1.2) + floor(-0.5) + abs(-3) + sqrt(4) + ln(1) + exp(0)", 7.0),
    ],
)
def test_the_value_of_a_constant(expr: str, value: float) -> None:
    assert _cap(f"let answer = {expr};") == value


@pytest.mark.parametrize(
    ("expr", "says"),
    [
        ("0/0", "`let answer` is NaN"),
        ("later", "`later` is not a constant"),
        ("serial", "`serial` is not a constant"),
        ("now", "`now` is not a constant"),
        ("~exp(1)", "a constant cannot sample"),
        ("blocksize(z)", "`blocksize` is not a constant"),
        ("used(z)", "`used` with 1 argument(s) is not a constant function"),
        ("max(1)", "`max` with 1 argument(s) is not a constant function"),
        ("1 && used(z)", "is not a constant function"),
    ],
)
def test_what_is_no_constant(expr: str, says: str) -> None:
    text = f"fn main() {{ let answer = {expr}; let later = 1; pool z {{ cap answer; block 2; }} }}"
    assert says in refusal(text).message


def test_a_second_let_counts_for_all_that_is_linked_after_the_declarations() -> None:
    linked = link(
        "fn main() { let n = 1; let m = n; pool a[n] { cap n; block m; } let n = 2; pool b[n] { } }"
    )
    a, *b = linked.program.pools
    assert (a.cap, a.block, len(b)) == (2.0, 1.0, 2)
    (warning,) = linked.warnings
    assert warning.message == "this `let n` replaces the one at 1:17"


def test_inputs_have_defaults_and_values_from_outside() -> None:
    declarations = 'let a = args.number("x", 2); let answer = args.number("y", a + 1);'
    assert _cap(declarations) == 3.0
    assert _cap(declarations, sets={"x": 5.0}) == 6.0
    assert _cap(declarations, sets={"x": "3 + 1", "y": "a * 2"}) == 8.0
    linked = link(f"{ARGS} fn main() {{ {declarations} }}", sets={"y": "inf"})
    assert linked.inputs == (InputValue("x", 2.0, 2.0), InputValue("y", 3.0, math.inf))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("nan", "`nan` is not a constant"),
        (math.nan, "the value is NaN"),
        ("0/0", "the value is NaN"),
        ("serial", "`serial` is not a constant"),
        ("~exp(1)", "a constant cannot sample"),
        ("", "invalid expression"),
        ("1;2", "invalid expression"),
        ("later", "`later` is not a constant"),
    ],
)
def test_wrong_values_from_outside(given: float | str, says: str) -> None:
    text = f'{ARGS} fn main() {{ let a = args.number("x", 2); let later = 1; }}'
    diagnostic = refusal(text, sets={"x": given})
    assert says in diagnostic.message
    assert diagnostic.span is not None


def test_an_unknown_input_is_told_with_the_nearest() -> None:
    text = f'{ARGS} fn main() {{ let a = args.number("arrival_rate", 2); }}'
    diagnostic = refusal(text, sets={"arival_rate": 1})
    assert diagnostic.message == "unknown program argument `arival_rate`"
    assert diagnostic.help == "did you mean `arrival_rate`?"


@pytest.mark.parametrize("size", ["a", "b", "f()", "1 ? 2 : a"])
def test_an_array_size_is_the_text_s(size: str) -> None:
    text = (
        f'{ARGS} fn main() {{ let a = args.number("x", 2); let b = a + 0; def f() {{ a }}\n'
        f"pool z[{size}] {{ }} }}"
    )
    assert len(link(text).program.pools) == 2
    diagnostic = refusal(text, sets={"x": 2})
    assert at(diagnostic) == (2, 8)
    assert "changes an array size" in diagnostic.message


def test_an_aggregate_s_count_may_come_from_outside() -> None:
    text = f'{ARGS} fn main() {{ let a = args.number("x", 2); gauge g = sum j in a (1); }}'
    assert link(text, sets={"x": 1}).program.gauges != link(text).program.gauges


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("pool z[0] { }", "array size must be a positive integer, found 0"),
        ("pool z[1.5] { }", "found 1.5"),
        ("pool z[0/0] { }", "found NaN"),
        ("stage z[inf] : delay;", "array size must be a positive integer, found inf"),
        ("pool z[10001] { }", "array size 10001 is more than a family holds (10000)"),
        ("pool z[n] { }", "array size must be a positive integer or a `let` constant"),
        ("pool z { cap 0/0; }", "pool `z`: cap is NaN"),
        ("pool z { block 0; }", "block must be positive, found 0"),
        ("pool z { block 0/0; }", "block is NaN"),
        ("stage z : fifo(1.5);", "fifo servers must be a positive integer, found 1.5"),
        ("stage z : fifo(inf);", "fifo servers must be a positive integer, found inf"),
    ],
)
def test_wrong_sizes_and_counts(item: str, says: str) -> None:
    found = refusals(f"fn main() {{ {item} let n = 2; }}")
    assert says in found[0].message


def test_an_input_is_a_let_inside_main_after_the_import() -> None:
    wrong = 'fn main() { let a = args.number("x", 2); use "std/args"; }'
    assert 'needs `use "std/args";`' in refusal(wrong, sets={"x": 1}).message


def test_what_a_family_is_declared_with() -> None:
    program = link(server("", "pool one[1] { } pool w[2] { queue by (waited); }")).program
    assert [(p.name, p.index) for p in program.pools[3:]] == [("one", 0), ("w", 0), ("w", 1)]


def test_a_constant_does_not_read_itself() -> None:
    assert "`a` is not a constant" in refusal("fn main() { let a = a + 1; }").message


def test_an_error_in_a_constant_is_told_once() -> None:
    text = "fn main() { let a = 0/0; let b = a + 1; pool z[b] { cap a; } gauge g = a; }"
    assert refusal(text).message == "`let a` is NaN"


def test_constant_indices_and_gaps_are_their_numbers() -> None:
    folded = link(
        server(
            "run t[k - 1] (cost(t, 1 + 1)); observe v = used(q[1 ? 1 : serial]);",
            "let k = 2; stage t[2] : fifo;",
            "arrive renewal(k + 1);",
        )
    )
    written = link(
        server(
            "run t[1] (cost(t, 1 + 1)); observe v = used(q[1]);",
            "stage t[2] : fifo;",
            "arrive renewal(3);",
        )
    )
    assert folded.program == written.program


def test_an_index_that_reads_anything_else_stays_as_written() -> None:
    index = as_json(link(server("observe v = used(q[serial + 0]);")))["blocks"][2][1]
    assert '{"Binary": ["Add", {"Attr": 1}, {"Num": 0.0}]}' in json.dumps(index)


@pytest.mark.parametrize("index", ["2", "-1", "0.5", "0/0", "k", "inf"])
def test_a_constant_index_names_a_member(index: str) -> None:
    diagnostic = refusal(server(f"observe v = used(q[{index}]);", "let k = 2;"))
    assert "is out of range: `q` has 2 member(s)" in diagnostic.message
    assert diagnostic.help == "a member of an array of 2 is 0 to 1"
