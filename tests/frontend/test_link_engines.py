"""Engines and devices, and the IR that the reference implementation links them to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from linking import as_json, link, refusal

from serq_simpy.ir import model as ir

DATA = Path(__file__).parent / "data" / "linked_engines.jsonl"
PROGRAMS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", PROGRAMS, ids=[case["name"] for case in PROGRAMS])
def test_the_ir_is_the_reference_s(case: dict[str, Any]) -> None:
    assert as_json(link(case["source"])) == case["ir"]


def engine(items: str, schedule: str = "advance running;", server: str = "", more: str = "") -> str:
    """A program around an engine `e` on a device `gpu` with a memory `kv`."""
    return (
        "fn main() { device gpu { kv cap 64; took (t) = 0.5 * t; }\n"
        f"engine e on gpu {{ {items} schedule {{ {schedule} }} execute (took(batch.tokens)); }}\n"
        f"pool kv on gpu {{ block 4; preempt lifo; }} {more}\n"
        f"workload {{ arrive batch(1); }} server {{ {server} }} }}"
    )


def step(text: str) -> ir.Step:
    (stage,) = link(text).program.stages
    assert isinstance(stage.kind, ir.Step)
    return stage.kind


PLAIN = "advance running; admit waiting while (running.preempted == 0);"


def test_an_engine_is_a_stage_with_its_device_s_pool_as_its_memory() -> None:
    made = step(engine("tokens cap 8;", PLAIN))
    assert made == ir.Step(
        budget=ir.Num(8.0),
        cost=ir.Binary("Mul", ir.Num(0.5), ir.Ctx("Ntok")),
        chunk=ir.Num(0.0),
        granule=None,
        serve=(),
        memory=0,
        iteration=None,
    )


@pytest.mark.parametrize(
    ("schedule", "serve", "statements"),
    [
        (PLAIN, 0, None),
        ("advance running by (remaining); admit waiting while (!running.preempted);", 1, None),
        ("advance running decode first; admit waiting while (0 == running.preempted);", 1, None),
        ("advance running; admit waiting;", 0, 2),
        ("advance running; admit waiting while (running.preempted < 1);", 0, 2),
        ("admit waiting while (running.preempted == 0); advance running;", 0, 2),
        (
            "advance running only (decoding) by (remaining, -admission);"
            " admit waiting only (decoding) while (running.preempted == 0);",
            2,
            2,
        ),
        (
            "advance running only (decoding) by (remaining);"
            " admit waiting while (running.preempted == 0);",
            0,
            2,
        ),
        ("exclusive prefill; admit waiting while (running.preempted == 0);", None, None),
    ],
)
def test_a_schedule_is_an_order_or_a_body(
    schedule: str, serve: int | None, statements: int | None
) -> None:
    made = step(engine("tokens cap 8;", schedule))
    assert (None if made.serve is None else len(made.serve)) == serve
    assert (None if made.iteration is None else len(made.iteration)) == statements


@pytest.mark.parametrize(
    ("cap", "chunk"),
    [
        ("inf", ir.Num(0.0)),
        ("2 + 2", ir.Num(4.0)),
        ("max(3, 4)", ir.Num(4.0)),
        ("2 > 1 ? inf : 3", ir.Num(0.0)),
        ("running.count > 1 ? 4 : inf", "Cond"),
        ("max(2, running.count)", "Max"),
        ("max(running.count, 2)", "Max"),
    ],
)
def test_each_at_most_is_a_constant_a_choice_or_has_a_floor(cap: str, chunk: ir.Num | str) -> None:
    made = step(engine("tokens cap 8;", f"advance running each at most ({cap});")).chunk
    if chunk == "Cond":
        assert isinstance(made, ir.Cond)
        assert (made.yes, made.no) == (ir.Num(4.0), ir.Num(0.0))
    elif chunk == "Max":
        assert isinstance(made, ir.Call)
        assert made.function == "Max"
    else:
        assert made == chunk


def test_a_let_of_the_schedule_may_read_the_ones_before_it_and_hide_an_attribute() -> None:
    lets = "let n = running.count + waiting.count; let c = n > 1 ? 4 : inf;"
    text = engine(
        "reqs cap 4; tokens cap 8;",
        f"{lets} advance running each at most (c);",
        "set n = 1; set c = n;",
        "pool reqs on e { }",
    )
    queued = ir.Call("Queued", (ir.PoolRef(1, 1, None),))
    total = ir.Binary("Add", ir.Ctx("Nres"), queued)
    test = ir.Binary("Gt", total, ir.Num(1.0))
    assert step(text).chunk == ir.Cond(test, ir.Num(4.0), ir.Num(0.0))


def test_waiting_count_is_every_queue_the_engine_admits_in_text_order() -> None:
    text = engine(
        "a[2] cap 4; b cap 1; tokens cap waiting.count;",
        more="pool b on e { } pool plain { } pool a on e { }",
    )
    budget = step(text).budget
    queues: list[ir.PoolRef] = []
    while isinstance(budget, ir.Binary):
        assert isinstance(budget.right, ir.Call)
        queues.insert(0, budget.right.args[0])  # type: ignore[arg-type]
        budget = budget.left
    assert isinstance(budget, ir.Call)
    first = budget.args[0]
    assert [first, *queues] == [
        ir.PoolRef(1, 1, None),
        ir.PoolRef(3, 2, ir.Num(0.0)),
        ir.PoolRef(3, 2, ir.Num(1.0)),
    ]


def test_families_are_joined_member_for_member() -> None:
    program = link(
        "fn main() { stage s : delay; device gpu[2] { kv cap 8; }"
        " engine e[2] on gpu { reqs cap 3; tokens cap 4; schedule { advance running; } execute (1);"
        " } pool kv on e.gpu { } pool reqs on e { } workload { arrive none; } server { } }"
    ).program
    assert [(p.name, p.index, p.cap, p.admit_via) for p in program.pools] == [
        ("kv", 0, 8.0, 1),
        ("kv", 1, 8.0, 2),
        ("reqs", 0, 3.0, 1),
        ("reqs", 1, 3.0, 2),
    ]
    engines = [stage for stage in program.stages if isinstance(stage.kind, ir.Step)]
    assert [(e.index, e.kind.memory) for e in engines] == [(0, 0), (1, 1)]  # type: ignore[union-attr]


def test_a_pool_on_a_device_is_admitted_as_soon_as_it_fits() -> None:
    on_device, on_engine = (
        link(
            "fn main() { device gpu { kv cap 8; } engine e on gpu { tokens cap 4;"
            f" schedule {{ advance running; }} execute (1); }} pool kv on {owner} {{ }}"
            " workload { arrive none; } server { } }"
        ).program.pools[0]
        for owner in ("gpu", "e.gpu")
    )
    assert (on_device.admit_via, on_engine.admit_via) == (None, 0)


def test_a_granule_written_twice_is_warned_of() -> None:
    linked = link(engine("tokens cap 8; granule 2; granule 4;"))
    assert step(engine("tokens cap 8; granule 2; granule 4;")).granule == ir.Num(4.0)
    (warning,) = linked.warnings
    assert "this `granule` replaces" in warning.message


def test_time_resources_read_one_another_and_definitions() -> None:
    text = (
        "fn main() { device gpu { a (x) = b(x) + c(); b (y) = twice(y); c () = 1; }"
        " def twice(z) { z * 2 }"
        " engine e on gpu { tokens cap 4; schedule { advance running; }"
        " execute (a(batch.tokens)); } workload { arrive none; } server { } }"
    )
    twice = ir.Binary("Mul", ir.Ctx("Ntok"), ir.Num(2.0))
    assert step(text).cost == ir.Binary("Add", twice, ir.Num(1.0))


def test_registers_are_numbered_through_the_engines() -> None:
    text = (
        "fn main() { device a { } device b { }"
        " engine e on a { state x = 1; tokens cap 4 + x; state y = 2;"
        "   schedule { advance running; set y = x; set x = 0; } execute (1); }"
        " engine f on b { state z = 3; tokens cap 4;"
        "   schedule { advance running; set z = z + 1; } execute (1); }"
        " workload { arrive none; } server { } gauge g = y + z; }"
    )
    program = link(text).program
    assert program.registers == (
        ir.Register("x", 0, 1.0),
        ir.Register("y", 0, 2.0),
        ir.Register("z", 1, 3.0),
    )
    assert program.gauges[0].expr == ir.Binary("Add", ir.Reg(1), ir.Reg(2))


def test_a_register_that_nothing_sets_is_warned_of_or_refused() -> None:
    (warning,) = link(engine("tokens cap 4 + x; state x = 1;")).warnings
    assert warning.message == "state `x`: nothing sets it: it keeps its first value"
    found = refusal(engine("tokens cap 4 + x; state x = 1;", PLAIN))
    assert "register `x` is set by nothing" in found.message
