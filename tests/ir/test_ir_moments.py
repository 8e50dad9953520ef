"""The table of moments: what may be read where, against the reference implementation."""

from __future__ import annotations

import json

import pytest
from ir_building import ref, text_of

from serq_simpy.ir.checks import check
from serq_simpy.ir.moments import CONTEXT_AT, Moment, places_of
from serq_simpy.ir.read import read_program
from serq_simpy.ir.vocabulary import CONTEXT_WORDS

# By moment: the number that stands in an expression of that moment in the program
# `every_place`, and what the reference implementation lets stand there instead.
READABLE = {
    "STATEMENT": (
        127.0,
        "Now attr hiddenattr cached draw Used Free CachedIn Holders Queue Busy Work "
        "EstLambda Price BudgetLeft",
    ),
    "HEADER": (
        101.0,
        "Now attr cached Used Free CachedIn Holders Queue Busy Work EstLambda Price BudgetLeft",
    ),
    "QUEUE_KEY": (
        102.0,
        "Now Waited attr cached Used Free CachedIn Holders Queue Busy Work EstLambda "
        "Price BudgetLeft",
    ),
    "EVICTION": (
        103.0,
        "Now Size Age Last attr cached draw Used Free CachedIn Holders Queue Busy Work "
        "EstLambda Price BudgetLeft",
    ),
    "PREEMPT_KEY": (
        104.0,
        "Now Decoding Admission Position attr cached Used Free CachedIn Holders Queue "
        "Busy Work EstLambda Price",
    ),
    "CAPACITY": (
        105.0,
        "Now N draw Used Free CachedIn Holders Queue Busy Work EstLambda Price BudgetLeft",
    ),
    "BUDGET": (
        117.0,
        "Now Ndec Nres Kvb Kvp draw reg Used Free CachedIn Holders Queue Busy Work EstLambda Price",
    ),
    "ONLY": (
        108.0,
        "Ndec Nres Kvb Kvp Decoding Admission Remaining attr cached reg Used Free "
        "CachedIn Holders Queue Busy EstLambda Price BudgetLeft",
    ),
    "SERVE_KEY": (
        109.0,
        "Now Ndec Nres Kvb Kvp Decoding Admission Remaining attr cached reg Used Free "
        "CachedIn Holders Queue Busy Work EstLambda Price BudgetLeft",
    ),
    "SCHEDULE": (
        112.0,
        "Ntok Ndec Npre Nres Kvb Kvp Admitted Preempted reg Used Free CachedIn Holders "
        "Queue Busy EstLambda Price",
    ),
    "EXECUTE": (
        113.0,
        "Now Ntok Ndec Npre Nres Kvb Kvp Attn draw reg Used Free CachedIn Holders Queue "
        "Busy Work EstLambda Price BudgetLeft",
    ),
    "GAUGE": (
        114.0,
        "reg Used Free Holders Queue Busy EstLambda Price",
    ),
    "ITERATION": (
        115.0,
        "Now Ntok Ndec Npre Nres Kvb Kvp Attn Demand Served Arrived reg Used Free Holders "
        "Queue Busy",
    ),
    "END": (
        153.0,
        "Now reg Agg",
    ),
    "GIVEN": (
        116.0,
        "attr hiddenattr cached",
    ),
    "ARRIVAL": (
        106.0,
        "draw",
    ),
}


def readables(stages, pools):
    """Expressions that each read one thing."""
    delay, engine = ref(stages.index("d")), ref(stages.index("e"))
    pool, one = {"Pool": ref(pools.index("t"))}, {"Expr": {"Num": 1.0}}
    found = {variable: {"Ctx": variable} for variable in CONTEXT_WORDS if variable != "Queued"}
    found |= {"attr": {"Attr": 1}, "hiddenattr": {"Attr": 4}, "cached": {"Attr": 0}}
    found |= {"draw": {"Sample": ["Exp", [{"Num": 1.0}]]}, "reg": {"Reg": 0}}
    for function in ("Used", "Free", "CachedIn", "Holders"):
        found[function] = {"Call": [function, [pool]]}
    for function in ("Queue", "Busy", "Work", "EstLambda"):
        found[function] = {"Call": [function, [{"Stage": delay}]]}
    found["Price"] = {"Call": ["Price", [{"Stage": delay}, one, one]]}
    found["BudgetLeft"] = {"Call": ["BudgetLeft", [{"Stage": engine}]]}
    found["Agg"] = {"Agg": ["Total", 0]}
    return found


EVERY_PLACE = json.dumps(json.loads(text_of("engines-every_place")))


def refused(number, expression):
    text = EVERY_PLACE.replace(f'{{"Num": {number}}}', json.dumps(expression))
    assert text != EVERY_PLACE
    return [found.message for found in check(read_program(text))]


@pytest.mark.parametrize("moment", READABLE)
def test_what_may_be_read(moment):
    number, allowed = READABLE[moment]
    made = json.loads(EVERY_PLACE)
    names = [[part["name"] for part in made[kind]] for kind in ("stages", "pools")]
    found = {
        name for name, expression in readables(*names).items() if not refused(number, expression)
    }
    assert found == set(allowed.split())


def test_every_moment_is_tried():
    assert set(READABLE) == {moment.name for moment in Moment}


def test_every_variable_exists_somewhere():
    assert set(CONTEXT_AT) == set(CONTEXT_WORDS)
    assert all(CONTEXT_AT.values())


def test_the_message_says_where_it_exists():
    assert places_of("Decoding") == (
        "an engine's `advance running by (…)` keys or an `only`, read for each running session"
        " or a pool's preempt keys, read for each candidate victim"
    )
    number, _ = READABLE["STATEMENT"]
    (message,) = refused(number, {"Ctx": "Ntok"})
    assert message.endswith(
        "`tokens` is read in a session statement, a run or a hold's cache, read when the session "
        "gets there, but it exists only in an engine's `execute`, read after the iteration is "
        "formed or an engine's `schedule`, read as the iteration is formed or a claim over "
        "iterations, read when an iteration starts"
    )


@pytest.mark.parametrize(
    ("moment", "expression", "message"),
    [
        ("HEADER", {"Sample": ["Det", [{"Num": 1.0}]]}, "a hold's units may not draw; sample"),
        ("QUEUE_KEY", {"Attr": 4}, "pool `kv`: `out` is hidden from the scheduler, but is read in"),
        (
            "QUEUE_KEY",
            {"Reg": 0},
            "pool `kv`: `just` is engine `e`'s register, and pool `kv`'s keys",
        ),
        ("PREEMPT_KEY", {"Attr": 8}, "pool `kv`: a preempt key reads `computed`, the position at"),
        ("CAPACITY", {"Attr": 1}, "stage `l`: `serial` is a session attribute, and a ps stage's"),
        ("GAUGE", {"Ctx": "Now"}, "gauge `g`: a gauge may not read `now`: it changes between"),
        ("GIVEN", {"Ctx": "Now"}, "claim `a`: a claim's `given` may not read `now`"),
        ("SCHEDULE", {"Ctx": "Now"}, "engine `e`: `set just` may not read `now` or `work(…)`"),
        (
            "ITERATION",
            {"Call": ["Work", [{"Stage": ref(2)}]]},
            "claim `a`: a claim over iterations",
        ),
        ("END", {"Call": ["Queue", [{"Stage": ref(2)}]]}, "claim `c`: `queue(…)` reads the"),
        ("ARRIVAL", {"Ctx": "Now"}, "renewal arrival may use only constants and sampled"),
    ],
)
def test_messages(moment, expression, message):
    (found,) = refused(READABLE[moment][0], expression)
    assert message in found


def test_an_index_read_from_the_state():
    indexed = {"Call": ["Used", [{"Pool": ref(3, 2, {"Call": ["Used", [{"Pool": ref(2)}]]})}]]}
    (found,) = refused(READABLE["GAUGE"][0], indexed)
    assert found.startswith("gauge `g`: a gauge's pool index is a number in range (`kv[0]`")


def test_only_an_engine_has_a_budget():
    (found,) = refused(READABLE["STATEMENT"][0], {"Call": ["BudgetLeft", [{"Stage": ref(2)}]]})
    assert found.endswith(
        "`budget_left(d)`: `d` is a delay stage; only an engine has a token budget (`tokens cap`)"
    )
