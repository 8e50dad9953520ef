"""Who is served in an iteration, who grows, who is preempted, and when.

Small programs with a budget of 8 and iterations of 1, whose numbers can be followed by
hand. They agree with the reference. `batches` are the tokens of each iteration, seen by a
gauge, which has a step where the number changes.
"""

from __future__ import annotations

import pytest
from running import engine_program, run, seen

from serq_simpy import Report

GAUGES = "gauge batches = scheduled; gauge iterations = number;"
SLOTS = "pool slots on llm { }"


def items(
    schedule: str = "advance running; admit waiting while (running.preempted == 0);",
    *,
    tokens: str = "8",
    more: str = "slots cap inf;",
) -> str:
    """An engine's items, with registers for the tokens and the number of the iteration."""
    return (
        f"{more} state scheduled = 0; state number = 0; tokens cap {tokens}; schedule {{ {schedule}"
        "set scheduled = batch.tokens; set number = number + 1; } execute (1);"
    )


def steps(report: Report, name: str = "batches") -> list[tuple[float, float]]:
    gauge = report.gauge(name)
    return list(zip(gauge.times, gauge.values, strict=True))


PREFILL_8_DECODE_2 = (
    "run llm prefill (cost(llm, 8)); observe first = now;"
    "run llm decode (cost(llm, 2)); observe done = now;"
)


# --------------------------------------------------------------- the order


def test_a_session_that_holds_keeps_its_place() -> None:
    """Admitted first, its decode comes before the prefill of the second: 1 + 7, then 1 + 1."""
    report = run(
        engine_program(
            items(),
            f"hold kv (cost(kv, 1)) {{ {PREFILL_8_DECODE_2} }}",
            device="kv cap inf;",
            pools=f"pool kv on gpu {{ }} {SLOTS}",
            more=GAUGES,
        ),
        horizon=10,
    )
    assert seen(report, "first") == [1, 3]
    assert seen(report, "done") == [3, 5]
    assert steps(report) == [(0, 8), (2, 2), (3, 1)]
    assert steps(report, "iterations") == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def test_half_a_token_counts() -> None:
    """1.5 tokens an iteration for three decodes of 2: 1, 0.5, 0 and so on."""
    report = run(
        engine_program(
            items("advance running;", tokens="1.5", more=""),
            "run llm decode (cost(llm, 2)); observe done = now;",
            workload="arrive batch(3);",
            more=GAUGES,
        )
    )
    assert seen(report, "done") == [2, 3, 5]
    assert steps(report) == [(0, 1.5), (3, 1), (4, 0.5)]


def test_an_iteration_sees_every_event_up_to_it() -> None:
    """Two naps end at 1, one event after the other: one iteration of both."""
    report = run(
        engine_program(
            items("advance running;", more=""),
            "run nap (cost(nap, 1)); run llm prefill (cost(llm, 4)); observe done = now;",
            pools="stage nap : delay;",
            more=GAUGES,
        )
    )
    assert seen(report, "done") == [2, 2]
    assert steps(report) == [(0, 0), (1, 8)]


def test_an_arrival_and_an_end_at_one_instant() -> None:
    """From 3 on an arrival's prefill of 4 and the decode of the one before, in one."""
    report = run(
        """fn main() {
          device gpu { }
          engine llm on gpu {
            state scheduled = 0; tokens cap 8;
            schedule { advance running; set scheduled = batch.tokens; }
            execute (1.5);
          }
          workload { arrive renewal(1.5); }
          server {
            run llm prefill (cost(llm, 4)); observe first = now;
            run llm decode (cost(llm, 1)); observe done = now;
          }
          gauge batches = scheduled;
        }""",
        horizon=12,
    )
    assert seen(report, "first") == [3, 4.5, 6, 7.5, 9, 10.5, 12]
    assert seen(report, "done") == [4.5, 6, 7.5, 9, 10.5, 12]
    assert steps(report) == [(0, 0), (1.5, 4), (3, 5)]


# -------------------------------------------------------------- preemption


def preempting(rule: str) -> str:
    """Two sessions that hold 2 of 6 units and grow to 6: prefill 2, decode 4."""
    return engine_program(
        items(),
        "hold slots (cost(slots, 1)), kv (cost(kv, 2)) {"
        "  observe at = now; observe resumed = computed;"
        "  run llm prefill (cost(llm, 2)) growing kv;"
        "  run llm decode (cost(llm, 4)) growing kv;"
        "  observe done = now; } cache (cost(slots, kv, 6))",
        device="kv cap 6;",
        pools=f"{SLOTS} pool kv on gpu {{ preempt {rule}; }}",
        more=GAUGES,
    )


def test_the_last_admitted_is_preempted() -> None:
    """At 2 the first needs a fourth unit. The second stood at 3, and is admitted at 5."""
    report = run(preempting("lifo"), horizon=12)
    assert seen(report, "at") == [0, 0, 5]
    assert seen(report, "resumed") == [0, 0, 3]
    assert seen(report, "done") == [5, 10]
    assert steps(report) == [(0, 4), (1, 2), (2, 1), (5, 2), (6, 1)]
    assert steps(report, "iterations") == [(t, t + 1) for t in range(10)]
    assert report.pool("kv").preemptions == 1


def test_a_grower_that_is_its_own_victim_ends_the_statement() -> None:
    """Nobody is served at 2, for the second stands behind; the step lasts 1 all the same."""
    report = run(preempting("by (admission)"), horizon=12)
    assert seen(report, "at") == [0, 0, 3, 5, 7, 9, 11]
    assert seen(report, "resumed") == [0, 0, 3, 4, 3, 4, 3]
    assert steps(report)[:4] == [(0, 4), (1, 2), (2, 0), (3, 3)]
    assert (report.pool("kv").preemptions, report.pool("kv").stuck) == (6, 2)


def test_a_second_advance_goes_on_with_the_others() -> None:
    """The same rule; now the second is served at 2. Whoever had a token gets no other."""
    report = run(
        engine_program(
            items("advance running; advance running;", more=""),
            "hold kv (cost(kv, 2)) { observe at = now;"
            "  run llm prefill (cost(llm, 2)) growing kv; run llm decode (cost(llm, 3)) growing kv;"
            "  observe done = now; }",
            device="kv cap 6;",
            pools="pool kv on gpu { preempt by (admission); }",
            more=GAUGES + "gauge taken = used(kv);",
        ),
        horizon=8,
    )
    assert seen(report, "at") == [0, 0, 3, 4, 6, 8]
    assert steps(report) == [(0, 4), (1, 2), (2, 1), (3, 2), (4, 3), (5, 1), (6, 3), (7, 1), (8, 3)]
    assert [units for _, units in steps(report, "taken")] == [4, 6, 4, 2, 5, 3, 6, 3, 6]


def test_a_victim_already_served_gives_its_tokens_back() -> None:
    """Budget 3: at 2 two are served, the third takes the first one out: 1 + 1 + 1."""
    report = run(
        engine_program(
            items(tokens="3", more="slots cap inf;"),
            "hold kv (cost(kv, 2)) { observe at = now; run llm decode (cost(llm, 4)) growing kv;"
            "  observe who = serial; observe done = now; }",
            device="kv cap 10;",
            pools=f"{SLOTS} pool kv on gpu {{ preempt by (admission); }}",
            workload="arrive batch(4);",
            more=GAUGES + "gauge there = queue(llm);",
        ),
        horizon=12,
    )
    assert seen(report, "at") == [0, 0, 0, 0, 3, 4]
    assert seen(report, "who") == [2, 3, 0, 1]
    assert seen(report, "done") == [5, 7, 8, 9]
    assert steps(report) == [(0, 3), (3, 0), (4, 3), (7, 2), (8, 1)]
    assert steps(report, "there")[:3] == [(0, 4), (2, 3), (4, 4)]


def test_without_preemption_growths_wait_for_room() -> None:
    """At 4.5 two leave: the growths are granted before the hold that waits, and served."""
    report = run(
        engine_program(
            items("advance running;", more=""),
            "hold kv (cost(kv, 2)) { observe at = now;"
            "  branch (serial >= 2) { run nap (cost(nap, 4.5)); } else {"
            "    run llm decode (cost(llm, 3)) growing kv; observe done = now; } }",
            device="kv cap 6;",
            pools="stage nap : delay; pool kv on gpu { preempt none; }",
            workload="arrive batch(4);",
            more=GAUGES + "gauge taken = used(kv);",
        ),
        horizon=12,
    )
    assert seen(report, "at") == [0, 0, 0, 5.5]
    assert seen(report, "done") == [5.5, 5.5]
    assert steps(report) == [(0, 2)]
    assert steps(report, "iterations") == [(0, 1), (1, 2), (4.5, 3)]
    assert steps(report, "taken") == [(0, 6), (5.5, 2), (10, 0)]


# ------------------------------------------------- what a newcomer may do


NESTED = "hold slots (cost(slots, 1)) { observe at = now;"
INSIDE = "hold side (cost(side, 1)) { observe inside = now; } }"


def test_a_newcomers_hold_on_a_plain_pool_waits_for_the_next_event() -> None:
    """There is room, but plain pools are looked at when an event has happened."""
    pools = f"{SLOTS} pool side {{ cap 9; }} stage nap : delay;"
    alone = run(
        engine_program(items(), NESTED + INSIDE, pools=pools, workload="arrive batch(1);"), 10
    )
    assert seen(alone, "at") == [0]
    assert seen(alone, "inside") == []
    nap = "branch (serial == 1) { run nap (cost(nap, 3)); end; }"
    woken = run(engine_program(items(), nap + NESTED + INSIDE, pools=pools), 10)
    assert seen(woken, "at") == [0]
    assert seen(woken, "inside") == [3]


def test_a_release_looks_at_the_plain_pools_at_once() -> None:
    """The second newcomer's hold ends in the same iteration, and lets the first one in."""
    report = run(
        engine_program(
            items(),
            "hold slots (cost(slots, 1)) { branch (serial == 0) {"
            "  hold side (cost(side, 1)) { observe inside = now;"
            "    run llm decode (cost(llm, 1)); observe done = now; } } }",
            pools=f"{SLOTS} pool side {{ cap 9; }}",
        ),
        horizon=10,
    )
    assert seen(report, "inside") == [0]
    assert seen(report, "done") == [1]


# -------------------------------------------------------- what is read when


def test_the_memory_of_the_batch_is_after_its_growth() -> None:
    """Blocks of 4. `running.…` at the start and after serving, `execute` what is held then."""
    report = run(
        engine_program(
            "state before = 0; state after = 0; tokens cap 8; schedule {"
            "  set before = running.kv_prefill + running.kv_decode; advance running;"
            "  set after = running.kv_prefill + running.kv_decode; }"
            "execute (batch.kv_prefill + batch.kv_decode);",
            "hold kv (cost(kv, 1)) {"
            "  run llm prefill (cost(llm, 6)) growing kv; observe first = now;"
            "  run llm decode (cost(llm, 4)) growing kv; observe done = now; }",
            device="kv cap 40;",
            pools="pool kv on gpu { block 4; }",
            workload="arrive batch(1);",
            more="gauge early = before; gauge late = after;",
        )
    )
    assert steps(report, "early") == [(0, 4), (8, 8), (36, 12)]
    assert steps(report, "late") == [(0, 8), (24, 12)]
    assert seen(report, "first") == [8]
    assert seen(report, "done") == [8 + 8 + 8 + 12 + 12]


def test_a_lease_is_no_memory_of_the_batch() -> None:
    """1 + 3 units in both turns, though the first turn's units are leased in the second."""
    report = run(
        engine_program(
            "tokens cap 8; schedule { advance running; }"
            "execute (1 + batch.kv_prefill + batch.kv_decode);",
            "hold kv (cost(kv, 3)) { run llm prefill (cost(llm, 2)); observe done = now;"
            "  observe units = used(kv); } lease kv (inf)",
            device="kv cap 40;",
            pools="pool kv on gpu { }",
            workload="arrive batch(1); session { turn; turn; }",
        )
    )
    assert seen(report, "units") == [3, 6]
    assert seen(report, "done") == [4, 8]


@pytest.mark.parametrize("waits", [True, False])
def test_an_engine_without_residents_is_not_idle_with_work(waits: bool) -> None:
    """A lease, or a hold in a line that no engine serves, is none of its work."""
    report = run(
        engine_program(
            "tokens cap 6; schedule { advance running; admit waiting; } execute (1);",
            "hold kv (cost(kv, 2)) { run nap (cost(nap, 5)); run llm prefill (cost(llm, 1)); }"
            "lease kv (inf) loop { run nap (cost(nap, 10)); }",
            device="kv cap 2;",
            pools="pool kv on gpu { } stage nap : delay;",
            workload=f"arrive batch({2 if waits else 1});",
        )
    )
    assert report.pool("kv").admissions == 1
    assert not report.stage("llm").idle_with_work
