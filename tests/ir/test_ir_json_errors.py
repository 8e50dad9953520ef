"""Texts that are no IR: one message each, and never a traceback."""

from __future__ import annotations

import json

import pytest
from ir_building import document, num, program, served

from serq_simpy.errors import LinkError
from serq_simpy.ir.json import from_json
from serq_simpy.ir.read import read_program


def refusal(text: str) -> str:
    with pytest.raises(LinkError) as caught:
        from_json(text)
    assert len(caught.value.diagnostics) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "IR: not JSON at line 1 column 1: Expecting value"),
        ("{", "IR: not JSON at line 1 column 2: Expecting property name"),
        ('{\n "version" 13}', "IR: not JSON at line 2 column 12: Expecting ':' delimiter"),
        ('{"version": 13} x', "IR: not JSON at line 1 column 17: Extra data"),
        ("\x00\x01\xff", "IR: not JSON at line 1 column 1"),
        ("fn main() { }", "IR: not JSON at line 1 column 1"),
        ("[]", "IR: expected an object, found a list"),
        ("null", "IR: expected an object, found null"),
        ('"x"', 'IR: expected an object, found "x"'),
        ("{}", "IR: missing field `version`"),
        ('{"version": 12}', "IR version 12 (this interpreter reads 13)"),
        ('{"version": "13"}', 'IR: version: expected a whole number, found "13"'),
        ('{"version": 13.0}', "IR: version: expected a whole number, found 13.0"),
        ('{"version": true}', "IR: version: expected a whole number, found true"),
        ('{"version": 13, "version": 13}', "IR: field `version` is given twice"),
        ('{"version": 13}', "IR: missing field `init`"),
        ('{"version": NaN}', "IR: `NaN` is no JSON number"),
        ('{"version": ' + "9" * 5000 + "}", "IR: version: expected a whole number"),
        ('{"version": "\\ud800"}', "IR: a string with half of a surrogate pair"),
        ("[" * 1_000_000, "IR: the JSON nests too deeply"),
        ('{"a":' * 300_000, "IR: the JSON nests too deeply"),
    ],
    ids=range(21),
)
def test_no_ir(text, message):
    assert refusal(text).startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed: expected a whole number from 0 to 18446744073709551615, found -1"),
        ({"seed": 1 << 64}, "seed: expected a whole number from 0"),
        ({"seed": 1.0}, "seed: expected a whole number, found 1.0"),
        ({"horizon": "inf"}, 'horizon: expected a number, found "inf"'),
        ({"horizon": True}, "horizon: expected a number, found true"),
        ({"trace": 3}, "trace: expected a string, found 3"),
        ({"trace_ordered": None}, "trace_ordered: expected true or false, found null"),
        ({"hidden": 4}, "hidden: expected a list, found 4"),
        ({"hidden": [4.0]}, "hidden[0]: expected a whole number, found 4.0"),
        ({"attrs": [1]}, "attrs[0]: expected a string, found 1"),
        ({"arrival": "Batch"}, "arrival.Batch: expected a whole number, found null"),
        ({"arrival": {"Foo": 1}}, "arrival: unknown variant `Foo`, expected `Poisson`, `Renewal`"),
        ({"arrival": {}}, "arrival: expected one of `Poisson`"),
        ({"share": "Fair"}, "share: unknown variant `Fair`, expected `MaxMin` or `Bottleneck`"),
        ({"session": 1}, "session: this block is number 2 in every program, found 1"),
        ({"slot_new": 4}, "slot_new: this attribute is number 3 in every program, found 4"),
        ({"stages": [{"name": "s", "kind": {"Fifo": -1}}]}, "stages[0].kind.Fifo: expected a"),
        ({"stages": [{"name": "s"}]}, "stages[0]: missing field `kind`"),
        ({"sides": [["Mine"]]}, "sides[0][0]: unknown variant `Mine`"),
    ],
    ids=range(19),
)
def test_wrong_fields(change, message):
    assert refusal(json.dumps(document(**change))).startswith(f"IR: {message}")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"Foo": 1}, "unknown variant `Foo`, expected `Cost`, `Num`"),
        ({}, "expected one of `Cost`, `Num`"),
        (3, "expected one of `Cost`, `Num`"),
        ("Num", 'Num: expected a number, "inf" or "-inf", found null'),
        (num("nan"), 'Num: expected a number, "inf" or "-inf", found "nan"'),
        (num(None), 'Num: expected a number, "inf" or "-inf", found null'),
        ({"Ctx": "Foo"}, "Ctx: unknown variant `Foo`, expected `Now`"),
        ({"Call": ["Min"]}, "Call: expected a list of 2, found one of 1"),
        ({"Call": ["Foo", []]}, "Call[0]: unknown variant `Foo`"),
        ({"Unary": ["Foo", num(1.0)]}, "Unary[0]: unknown variant `Foo`, expected `Neg` or `Not`"),
        ({"Num": 1.0, "Attr": 1}, "expected one of `Cost`"),
        ({"Cost": [{"Joint": [{"Joint": []}]}, num(1.0)]}, "Cost[0].Joint[0]: unknown variant"),
    ],
    ids=range(12),
)
def test_wrong_expressions(expression, message):
    text = refusal(json.dumps(served({"Observe": [0, expression]})))
    where = "IR: blocks[2][1].Observe[1]"
    assert text.startswith((f"{where}: {message}", f"{where}.{message}"))


def test_the_way_to_a_deep_place_is_cut():
    wrong = {"Foo": 1}
    for _ in range(20):
        wrong = {"Unary": ["Neg", wrong]}
    text = refusal(json.dumps(served({"Observe": [0, wrong]})))
    assert "…: unknown variant `Foo`" in text
    assert len(text) < 400


def test_every_byte_of_a_program_matters_or_is_refused_in_one_line():
    text = json.dumps(served({"Observe": [0, num(1.0)]}))
    for cut in range(0, len(text) - 1, 7):
        assert "\n" not in refusal(text[:cut])


def test_out_of_range_is_told_alone():
    made = served({"Set": [99, {"Attr": 98}]}, {"Observe": [9, num(1.0)]}, {"Join": None})
    with pytest.raises(LinkError) as caught:
        from_json(json.dumps(made))
    messages = [found.message for found in caught.value.diagnostics]
    assert messages == [
        "session, block 2, statement 2: attribute slot 99 out of range",
        "session, block 2, statement 3: observation 9 out of range",
    ]


def call(name, *args):
    return {"Call": [name, list(args)]}


POOL = {"Pool": {"base": 0, "count": 1, "index": None}}


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (call("Min", {"Expr": num(1.0)}), "`min` takes 2 argument(s), got 1"),
        (call("Used", {"Expr": num(1.0)}), "`used` expects a pool here"),
        (call("Queue", POOL), "`queue` expects a stage here"),
        (call("Abs", POOL), "`abs` expects a number here"),
        ({"Sample": ["Exp", []]}, "`~exp` takes 1 argument(s), got 0"),
        ({"Reg": 0}, "register 0 out of range"),
        ({"Agg": ["Total", 4]}, "observation 4 out of range"),
        (call("Used", {"Pool": {"base": 7, "count": 1, "index": None}}), "pool reference 7..8 out"),
        (call("Used", {"Pool": {"base": 0, "count": 0, "index": None}}), "pool reference 0..0 out"),
        (call("Used", {"Pool": {"base": 0, "count": 1, "index": num(1.0)}}), "pool `p[1]` is out"),
        (call("Used", {"Pool": {"base": 0, "count": 1, "index": num(0.5)}}), "pool `p[0.5]` is"),
        ({"Cost": [{"Stage": {"base": 3, "count": 1}}, num(1.0)]}, "stage reference 3..4 out of"),
    ],
    ids=range(12),
)
def test_numbers_that_name_nothing(expression, message):
    text = refusal(json.dumps(served({"Observe": [0, expression]})))
    assert text.startswith(f"session, block 2, statement 2: {message}")


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([[], []], "block 2 out of range"),
        ([[], [], ["Turn", {"Loop": 9}]], "block 9 out of range"),
        ([[], [], ["Turn", {"Loop": 2}]], "block 2 is reached twice"),
        ([[], [], ["Turn", {"Branch": [num(1.0), 3, 3]}], []], "block 3 is reached twice"),
        ([[], [], ["Turn"], []], "block 3 is the body of no statement"),
        ([[], [], ["Turn"], [{"Loop": 3}]], "block 3 is the body of no statement"),
    ],
    ids=range(6),
)
def test_blocks_form_trees(blocks, message):
    assert refusal(json.dumps(document(blocks=blocks))).startswith(message)


@pytest.mark.parametrize("text", ['{"version', '{"vers\x01ion"'])
def test_what_is_wrong_in_a_string_is_a_whole_sentence(text):
    assert not refusal(text).endswith((" at", " starting"))


def test_blocks_too_deep_in_one_another():
    blocks = [[], [], ["Turn", {"Fork": 3}], *[[{"Fork": i + 4}] for i in range(600)], []]
    assert "blocks more than 500 deep" in refusal(json.dumps(document(blocks=blocks)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attr_types": ["Value"]}, "every attribute must have a size, value, or resource cost"),
        ({"sides": [[], [], []]}, "every IR statement must declare its workload/server side"),
        ({"hidden": [99]}, "attribute slot 99 out of range"),
        ({"hidden": [0]}, "hidden `cached`: the scheduler sets it"),
        ({"hidden": [4, 4]}, "hidden `out` twice"),
        ({"arrival": {"Closed": 0}}, "workload: 0 sessions: a closed population or a batch is"),
        ({"arrival": {"Batch": 1000001}}, "workload: 1000001 sessions: a closed population or a"),
        ({"arrival": {"Poisson": 0}}, "`arrive poisson(…)`: the rate is 0; a rate must be"),
        ({"arrival": {"Renewal": num("inf")}}, "`arrive renewal(inf)`: an interarrival time must"),
        ({"arrival": {"Sessions": [{"attrs": [[99, 1]]}]}}, "attribute slot 99 out of range"),
        ({"arrival": {"Sessions": [{"attrs": [[9, 1]]}]}}, "explicit sessions may supply request"),
        ({"horizon": -1}, "run: need 0 <= warmup < horizon"),
        ({"warmup": 10}, "run: need 0 <= warmup < horizon"),
        ({"arrivals": 3}, "run: arrivals applies only to poisson or renewal workloads"),
        ({"arrivals": 0, "arrival": {"Poisson": 1}}, "run: arrivals must be positive"),
        ({"stages": [{"name": "s", "kind": {"Fifo": 0}}]}, "stage `s`: fifo servers must be a"),
        ({"share": "MaxMin"}, "`share` without a run over several stages"),
    ],
    ids=range(17),
)
def test_programs_that_cannot_be(change, message):
    assert refusal(json.dumps(document(**change))).startswith(message)


def test_a_pool_admitted_by_what_admits_nothing():
    made = document()
    made["pools"][0]["admit_via"] = 0
    message = refusal(json.dumps(made))
    assert message.startswith("pool `p`: `admit_via` names `d`, but `d` is a delay stage")


def test_reading_alone_checks_no_meaning():
    assert program(document(hidden=[99])).hidden == (99,)
    with pytest.raises(LinkError):
        read_program("{}")
