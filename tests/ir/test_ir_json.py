"""The IR as JSON: what is written is what the reference implementation writes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from ir_building import FILES, document, num, program, served, text_of

from serq_simpy.errors import LinkError
from serq_simpy.ir import model as ir
from serq_simpy.ir.checks import check, check_settings, warnings
from serq_simpy.ir.depth import EXPRESSION_DEPTH
from serq_simpy.ir.json import from_json, to_json
from serq_simpy.ir.read import read_program


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_reads_and_writes_the_reference_text(file):
    text = file.read_text(encoding="utf-8")
    loaded = read_program(text)
    assert to_json(loaded) == text
    assert check(loaded) == []
    assert check_settings(loaded) == []


def test_the_collection_is_not_empty():
    assert len(FILES) > 70


def test_nothing_useless_is_found_in_a_plain_program():
    assert warnings(read_program(text_of("session-every_statement"))) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1e-5, "0.00001"),
        (-1.5e-5, "-0.000015"),
        (1e-6, "1e-6"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1.2345678901234568e17, "1.2345678901234568e+17"),
        (1e300, "1e+300"),
        (float("inf"), '"inf"'),
        (float("-inf"), '"-inf"'),
    ],
)
def test_numbers(value, text):
    blank = program(served({"Observe": [0, num(0.0)]}))
    observe = ir.Observe(0, ir.Num(value))
    changed = replace(blank, blocks=((), (), (ir.Turn(), observe, ir.End())))
    written = to_json(changed)
    assert f'"Num": {text}\n' in written
    assert read_program(written) == changed


def test_whole_numbers_read_as_reals():
    whole = program(document(horizon=7, arrival={"Poisson": 2}))
    assert whole.settings.horizon == 7.0
    assert whole.arrival == ir.Poisson(2.0)


def test_explicit_sessions():
    given = {"Sessions": [{"attrs": [[10, 5]], "turns": [[[3, 7]], [[4, 2.5]]]}, {"attrs": []}]}
    loaded = from_json(json.dumps(document(arrival=given)))
    first = ir.ExplicitSession(((10, 5.0),), (((3, 7.0),), ((4, 2.5),)))
    assert loaded.arrival == ir.Sessions((first, ir.ExplicitSession(())))
    assert read_program(to_json(loaded)) == loaded
    assert '"turns"' not in to_json(replace(loaded, arrival=ir.Sessions((ir.ExplicitSession(()),))))


def test_names_of_any_alphabet_and_a_byte_order_mark():
    made = document(observes=['日本é\t"\\\u007f'])
    text = json.dumps(made)
    assert from_json("\ufeff" + text).observes == ('日本é\t"\\\u007f',)
    assert '"日本é\\t\\"\\\\\u007f"' in to_json(from_json(text))


def test_unknown_fields_are_passed_over_and_absent_ones_have_defaults():
    made = document(comment={"any": [1, {}]})
    del made["trace"]
    made["pools"][0]["colour"] = "blue"
    for field in ("queue", "spill", "admit_via"):
        del made["pools"][0][field]
    loaded = from_json(json.dumps(made))
    assert loaded.trace is None
    assert loaded.pools[0].queue is None
    assert loaded == from_json(json.dumps(document()))


def nested(levels: int, form: str) -> str:
    """An expression of `levels` levels."""
    opening, closing = {
        "sum": ('{"Binary":["Add",', ',{"Num":1.0}]}'),
        "call": ('{"Call":["Min",[{"Expr":', '},{"Expr":{"Num":1.0}}]]}'),
        "choice": ('{"Cond":[{"Num":1.0},', ',{"Num":1.0}]}'),
        "sign": ('{"Unary":["Neg",', "]}"),
    }[form]
    return opening * (levels - 1) + '{"Num":2.0}' + closing * (levels - 1)


@pytest.mark.parametrize("form", ["sum", "call", "choice", "sign"])
def test_an_expression_as_deep_as_may_be(form):
    hole = served({"Observe": [0, "HOLE"]}, {"Set": [9, num(1.0)]})
    text = json.dumps(hole).replace('"HOLE"', nested(EXPRESSION_DEPTH, form))
    deepest = from_json(text)
    assert check(deepest) == []
    too_deep = json.dumps(hole).replace('"HOLE"', nested(EXPRESSION_DEPTH + 1, form))
    with pytest.raises(LinkError, match=f"more than {EXPRESSION_DEPTH} levels deep"):
        from_json(too_deep)


def test_a_deep_expression_is_written():
    hole = json.dumps(served({"Observe": [0, "HOLE"]}))
    text = hole.replace('"HOLE"', nested(1500, "sign"))
    assert read_program(to_json(read_program(text))).blocks[2][0] == ir.Turn()
