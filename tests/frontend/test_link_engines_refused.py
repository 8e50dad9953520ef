"""Wrong engines and devices: each is refused where it is wrong, in the language's words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from linking import at, refusal, refusals
from test_link_engines import engine

DATA = Path(__file__).parent / "data" / "refused_engines.jsonl"
PROGRAMS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "case", PROGRAMS, ids=[f"{i}-{case['reference'][:40]}" for i, case in enumerate(PROGRAMS)]
)
def test_a_wrong_program_is_refused_where_it_is_wrong(case: dict[str, Any]) -> None:
    found = refusals(case["source"])
    assert len(found) <= 3
    assert all("\n" not in diagnostic.message for diagnostic in found)
    assert all(diagnostic.span is not None for diagnostic in found)
    if case["line"] is not None:
        placed = {at(diagnostic)[0] for diagnostic in found}
        said = _lines(*[diagnostic.message for diagnostic in found])
        assert _lines(case["reference"]) & (placed | said)


def _lines(*messages: str) -> set[int]:
    """The lines that messages name."""
    return {int(line) for text in messages for line in re.findall(r"(\d+):\d+", text)}


@pytest.mark.parametrize(
    ("clause", "says", "help"),
    [
        ("tokens cap batch.tokens;", "read before the batch is formed", None),
        ("tokens cap batch.kv_decode;", "`batch.kv_decode` is read in", "`running.kv_decode` is"),
        ("tokens cap tokens;", "`tokens` is `batch.tokens`, and `tokens cap` is read", None),
        ("tokens cap residents;", "`residents` is `running.count` here", "write `running.count`"),
        ("tokens cap running.cuont;", "`running` has `count`", "did you mean `count`?"),
        ("tokens cap running.preempted;", "not in `tokens cap`", None),
        ("tokens cap took(3);", "`took` is a device's time resource", "is a `def`"),
        ("tokens cap 1 - 1;", "`tokens cap` at or below 0", None),
        ("tokens cap gpu;", "`gpu` is a device, which is no number", "an engine runs on it"),
        ("tokens cap e;", "`e` is an engine, which is no number", "read `queue(e)`"),
    ],
)
def test_a_clause_reads_what_exists_when_it_is_read(
    clause: str, says: str, help: str | None
) -> None:
    found = refusal(engine(clause))
    assert says in found.message
    assert help is None or (found.help is not None and help in found.help)


@pytest.mark.parametrize(
    ("schedule", "says"),
    [
        ("advance running by (batch.tokens);", "as the batch so far in a schedule's `branch`"),
        ("advance running only (waiting.admitted);", "not in `only`"),
        ("branch (batch.decoding) { advance running; } else { advance running; }", "formed batch"),
        ("advance running; set z = 1;", "not one of its registers"),
        ("let c = 1; let c = 2; advance running;", "stands in the schedule already"),
        ("let c = 1; advance running only (c);", "read only in `each at most`"),
        ("advance running each at most (3); admit waiting;", "one cap per run"),
        ("advance running each at most (inf - 1);", "`inf` inside an `each at most`'s arithmetic"),
        ("advance running each at most (max(0, running.count));", "a run could be given 0"),
        ("advance running each at most (now < inf ? 4 : 3);", "`inf` inside an `each at most`'s"),
        ("exclusive prefill; advance running;", "takes back decodes already chosen"),
    ],
)
def test_what_a_schedule_may_not_say(schedule: str, says: str) -> None:
    assert says in refusal(engine("tokens cap 8;", schedule)).message


@pytest.mark.parametrize(
    ("granule", "schedule", "says"),
    [
        ("0", "advance running;", "granule 0: a prefill takes a multiple of it"),
        ("4", "advance running each at most (3);", "granule 4 with `each at most (3)`"),
        (
            "4",
            "advance running each at most (max(3, running.count));",
            "granule 4 with `each at most (max(3, …))`",
        ),
        (
            "4",
            "exclusive prefill; admit waiting while (!running.preempted);",
            "`granule` with `exclusive prefill`",
        ),
    ],
)
def test_a_granule_leaves_every_prefill_a_chunk(granule: str, schedule: str, says: str) -> None:
    assert says in refusal(engine(f"tokens cap 8; granule {granule};", schedule)).message


def test_a_register_is_read_by_its_own_engine() -> None:
    text = (
        "fn main() { device a { } device b { }"
        " engine e on a { state x = 1; tokens cap 4; schedule { advance running; set x = 0; }"
        "   execute (1); }"
        " engine f on b { tokens cap %s; schedule { advance running by (%s); } execute (1 + %s); }"
        " workload { arrive none; } server { } claim c : every iteration of f (%s); }"
    )
    for reads in (("x", "1", "1", "1"), ("4", "x", "1", "1"), ("4", "1", "x", "1")):
        assert "engine `f` would read it apart" in refusal(text % reads).message
    assert "claim `c` would read it apart" in refusal(text % ("4", "1", "1", "x")).message


@pytest.mark.parametrize(
    ("resources", "says"),
    [
        ("f (x) = f(x);", "the time resource `f` of `d` reads itself"),
        ("f (x) = g(x); g (x) = f(x);", "reads itself"),
        ("f (x) = x; f (y) = y;", "`f` is a resource of `d` twice"),
        ("max (x) = x;", "`max` is a word of the language"),
        ("kv[2] cap 4;", "without a `[N]`"),
        ("f (x, x) = x;", "`x` is a parameter twice"),
    ],
)
def test_what_a_device_may_not_have(resources: str, says: str) -> None:
    text = f"fn main() {{ device d {{ {resources} }} }}"
    assert says in refusals(text)[0].message


def test_a_capacity_and_its_pool_need_each_other() -> None:
    assert "is no pool" in refusal("fn main() { device d { kv cap 4; } }").message
    wrong = refusal("fn main() { device d { kv cap 4; } pool kvs on d { } }")
    assert "`d` has no capacity `kvs`" in wrong.message
    assert wrong.help == "did you mean `kv`?"


def test_what_follows_from_a_refused_engine_is_not_told() -> None:
    text = (
        "fn main() { engine e on gpu { q cap 3; tokens cap 4; request (n) { prefill (n); }"
        " schedule { advance running; admit waiting taking q (1); } execute (1); }"
        " pool q on e { } workload { arrive none; }"
        " server { e (1); hold q (cost(q, 1)) { run e prefill (cost(e, 1)); } } }"
    )
    assert "no device `gpu`" in refusal(text).message
