"""Engines that are given nonsense: an error that says where and when, or a note; never a hang.

What the reference answers, it answers the same; where it stops with a crash or never
stops, the test says so.
"""

from __future__ import annotations

import pytest
from running import engine_program, idle, run, seen

from serq_simpy.errors import LinkError, RunError

PLAIN = "schedule { advance running; admit waiting while (running.preempted == 0); }"
RUNNING = "schedule { advance running; }"
PREFILL = "run llm prefill (cost(llm, 4)); observe done = now;"


def run_error(text: str) -> str:
    with pytest.raises(RunError) as raised:
        run(text)
    return str(raised.value)


# ------------------------------------------------------------------ memory


def test_a_hold_that_can_never_fit_is_rejected() -> None:
    """The units read attributes only: known too large when the session joins the line."""
    report = run(
        engine_program(
            f"slots cap 2; tokens cap 8; {PLAIN} execute (1);",
            "hold slots (cost(slots, 1)), kv (cost(kv, need)) {"
            "  run llm prefill (cost(llm, 2)); observe who = serial; }",
            device="kv cap 4;",
            pools="pool slots on llm { } pool kv on gpu { }",
            workload="arrive batch(3); turn { Size need = serial == 1 ? 5 : 2; }",
        )
    )
    assert seen(report, "who") == [0, 2]
    assert report.pool("kv").rejected == 1
    assert report.pool("slots").admissions == 2
    assert not idle(report)


def test_a_hold_that_may_fit_another_time_is_named_at_the_end() -> None:
    """The units read the state, so that they may change: the head waits, and is named."""
    report = run(
        engine_program(
            f"slots cap 2; tokens cap 8; {PLAIN} execute (1);",
            "hold slots (cost(slots, 1)), kv (cost(kv, need + used(kv))) {"
            "  run llm prefill (cost(llm, 2)); observe who = serial; }",
            device="kv cap 4;",
            pools="pool slots on llm { } pool kv on llm.gpu { }",
            workload="arrive batch(2); turn { Size need = 3 + 2 * serial; }",
        )
    )
    assert seen(report, "who") == [0]
    over = report.pool("kv").over_cap
    assert over is not None and (over.queue, over.need) == ("slots", 5)
    assert "over: pool kv: the head of the queue of slots asks 5" in str(report)
    assert idle(report)


def stuck_program(tokens: float, prefill: float, execute: str) -> str:
    """A session whose 4 units never suffice: it preempts itself each time it grows."""
    return engine_program(
        f"slots cap 2; tokens cap {tokens}; {PLAIN} execute ({execute});",
        "hold slots (cost(slots, 1)), kv (cost(kv, 2)) { observe at = now;"
        f"  run llm prefill (cost(llm, {prefill})) growing kv;"
        "  run llm decode (cost(llm, 4)) growing kv; observe done = now; }",
        device="kv cap 4;",
        pools="pool slots on llm { } pool kv on gpu { preempt lifo; }",
        workload="arrive batch(1);",
    )


def test_a_body_that_preempts_itself_for_ever_is_stuck() -> None:
    """Prefill 2, then two decodes fit; the third does not: one step in four only preempts."""
    report = run(stuck_program(8, 2, "1"), horizon=20)
    assert seen(report, "at") == [0, 4, 8, 12, 16, 20]
    assert seen(report, "done") == []
    assert (report.pool("kv").preemptions, report.pool("kv").stuck) == (5, 1)
    assert "stuck: pool kv: 1 session" in str(report)
    assert report.stage("llm").iterations == 21


def test_a_step_that_only_preempts_and_takes_no_time_lets_others_happen() -> None:
    """Two steps of two tokens, 2 each, and one of no time that preempts."""
    report = run(stuck_program(2, 9, "batch.tokens"), horizon=20)
    assert seen(report, "at") == [0, 4, 8, 12, 16, 20]
    assert report.stage("llm").iterations == 16
    assert report.stage("llm").prefill_only == 1


def test_preempting_itself_for_ever_without_time_passing_is_an_error() -> None:
    """The reference never stops here."""
    message = run_error(stuck_program(16, 9, "batch.tokens"))
    assert "the instant t = 0 does not settle: session 0 became ready 1001 times" in message
    assert "note: session 0, at time 0" in message


def test_a_growing_run_after_release_is_an_error() -> None:
    """The reference crashes."""
    message = run_error(
        engine_program(
            f"tokens cap 8; {RUNNING} execute (1);",
            "hold kv (cost(kv, 1)) {\n"
            "    run llm prefill (cost(llm, 2)) growing kv;\n"
            "    release kv;\n"
            "    run llm decode (cost(llm, 1)) growing kv;\n  }",
            device="kv cap 9;",
            pools="pool kv on gpu { }",
        )
    )
    assert message.startswith("9:9: grow outside a hold of pool `kv`")
    assert "run llm decode (cost(llm, 1)) growing kv" in message
    assert "note: session 0, at time 1" in message
    assert "help: its units were given back by a `release` before" in message


# ------------------------------------------------------------------ budget


@pytest.mark.parametrize("budget", ["0", "-1", "zero"])
def test_a_budget_that_is_constant_and_not_positive_does_not_link(budget: str) -> None:
    text = f"let zero = 0;{engine_program(f'tokens cap {budget}; {RUNNING} execute (1);', PREFILL)}"
    with pytest.raises(LinkError, match=r"^3:.*`tokens cap` at or below 0"):
        run(text)


@pytest.mark.parametrize(
    "budget",
    ["0 / 0", "0 * running.count", "-running.count", "0 / (running.count - 2)"],
    ids=["nan", "0 as it is read", "negative as it is read", "nan as it is read"],
)
def test_a_budget_that_gives_no_token_leaves_the_engine_idle(budget: str) -> None:
    report = run(engine_program(f"tokens cap {budget}; {RUNNING} execute (1);", PREFILL))
    assert idle(report)
    assert report.stage("llm").iterations == 0
    assert report.stage("llm").mean_number == 2


def test_a_budget_that_recovers_is_read_again_at_every_event() -> None:
    """Below 0 while one runs alone; the second session comes at 3."""
    report = run(
        engine_program(
            f"tokens cap 8 * (running.count - 1); {RUNNING} execute (1);",
            f"run nap (cost(nap, 3 * serial)); {PREFILL}",
            pools="stage nap : delay;",
        )
    )
    assert seen(report, "done") == [4, 4]


# ----------------------------------------------------------------- execute


@pytest.mark.parametrize(
    ("execute", "read"),
    [("0 * batch.tokens", "0"), ("-1", "-1"), ("0 / (batch.tokens - 8)", "NaN"), ("-inf", "-inf")],
)
def test_an_iteration_with_tokens_lasts_a_positive_time(execute: str, read: str) -> None:
    text = engine_program(f"tokens cap 8; {RUNNING} execute ({execute});", PREFILL)
    message = run_error(text)
    assert message.startswith(f"3:10: engine `llm`: its `execute` is {read} for an iteration of 8")
    assert "an iteration that schedules tokens lasts a positive time" in message
    assert "note: at time 0" in message


def test_the_error_tells_the_time_of_the_iteration() -> None:
    items = f"tokens cap 2; {RUNNING} execute (now < 2 ? 1 : 0);"
    assert "note: at time 2" in run_error(engine_program(items, PREFILL))


@pytest.mark.parametrize("execute", ["inf", "1 / (batch.tokens - 8)"])
def test_an_iteration_may_last_for_ever(execute: str) -> None:
    """It is no idle engine: it is busy to the end."""
    report = run(
        engine_program(
            f"tokens cap 8; {RUNNING} execute ({execute});",
            PREFILL,
            more="gauge running_jobs = busy(llm);",
        )
    )
    assert report.stage("llm").iterations == 1
    assert report.stage("llm").prefill_only == 1
    assert report.gauge("running_jobs").mean == 2
    assert seen(report, "done") == []
    assert not idle(report)


# ------------------------------------------------------------ keys and tests


@pytest.mark.parametrize(
    ("key", "order"),
    [
        ("serial == 0 ? 0 / (running.count - running.count) : serial", [0, 1, 2]),
        ("serial == 0 ? abs(0 / (running.count - running.count)) : serial", [1, 2, 0]),
        ("serial == 2 ? -inf : serial", [2, 0, 1]),
    ],
    ids=["NaN of a negative sign", "NaN", "-inf"],
)
def test_keys_that_are_no_numbers_have_their_place(key: str, order: list[float]) -> None:
    """In the total order of doubles a NaN is last, one with the sign set is first."""
    report = run(
        engine_program(
            f"tokens cap 1; schedule {{ advance running by ({key}); }} execute (1);",
            "run llm decode (cost(llm, 1)); observe who = serial;",
            workload="arrive batch(3);",
        )
    )
    assert seen(report, "who") == order


GUARDS = [("2 * (running.count > 0)", "2"), ("0 / running.preempted", "NaN"), ("0.5", "0.5")]


@pytest.mark.parametrize(("guard", "read"), GUARDS[:2])
def test_a_branch_that_is_no_test(guard: str, read: str) -> None:
    schedule = f"branch ({guard}) {{ advance running; }} else {{ advance running; }}"
    items = f"tokens cap 8; schedule {{ {schedule} }} execute (1);"
    message = run_error(engine_program(items, PREFILL))
    assert message.startswith(
        f"3:10: engine `llm`: `branch` in its `schedule` read {read}, not 0 or 1"
    )
    assert "note: at time 0" in message


@pytest.mark.parametrize(("guard", "read"), [("2 * (waiting.count > 0)", "2"), GUARDS[1]])
def test_a_while_that_is_no_test(guard: str, read: str) -> None:
    text = engine_program(
        "slots cap 9; tokens cap 8;"
        f"schedule {{ advance running; admit waiting while ({guard}); }} execute (1);",
        f"hold slots (cost(slots, 1)) {{ {PREFILL} }}",
        pools="pool slots on llm { }",
    )
    message = run_error(text)
    assert f"engine `llm`: `admit waiting while (…)` in its `schedule` read {read}" in message
    assert "note: at time 0" in message


def test_a_constant_guard_that_is_no_test_does_not_link() -> None:
    schedule = "branch (0.5) { advance running; } else { advance running; }"
    with pytest.raises(LinkError, match=r"0\.5"):
        run(engine_program(f"tokens cap 8; schedule {{ {schedule} }} execute (1);", PREFILL))


def test_only_is_no_test_and_serves_whatever_is_not_zero() -> None:
    items = (
        "tokens cap 8; schedule { advance running only (0 / (running.count - 2)); } execute (1);"
    )
    assert seen(run(engine_program(items, PREFILL)), "done") == [1, 1]


# -------------------------------------------------------------------- idle


def test_an_engine_that_serves_nobody_is_named() -> None:
    items = "tokens cap 8; schedule { advance running only (running.count > 3); } execute (1);"
    report = run(engine_program(items, PREFILL))
    assert idle(report)
    assert '"idle_with_work":true' in report.json()


def test_a_guard_that_cannot_recover_leaves_the_line_waiting() -> None:
    """A register that skips admission after an admission: empty, the engine never looks again."""
    slots = "slots cap 9; tokens cap 8; state just = 0;"
    server = f"hold slots (cost(slots, 1)) {{ {PREFILL} }}"
    pools = "pool slots on llm { }"
    workload = "arrive renewal(5);"

    def admitting(guard: str) -> str:
        schedule = f"advance running; branch ({guard}) {{ admit waiting; }}"
        items = f"{slots} schedule {{ {schedule} set just = waiting.admitted > 0; }} execute (1);"
        return engine_program(items, server, pools=pools, workload=workload)

    stands = run(admitting("just == 0"), horizon=20)
    assert seen(stands, "done") == [6]
    assert idle(stands)
    recovers = run(admitting("just == 0 || running.count == 0"), horizon=20)
    assert seen(recovers, "done") == [6, 11, 16]
    assert not idle(recovers)


def test_a_newcomer_that_the_schedule_never_serves_again_is_work_left() -> None:
    """`admit waiting` serves a newcomer once."""
    report = run(
        engine_program(
            "slots cap 9; tokens cap 8; schedule { admit waiting; } execute (1);",
            "hold slots (cost(slots, 1)) { run llm prefill (cost(llm, 6)); observe done = now; }",
            pools="pool slots on llm { }",
        )
    )
    assert seen(report, "done") == [1]
    assert idle(report)


@pytest.mark.parametrize("work", ["-1", "0 / 0"])
def test_tokens_are_an_amount(work: str) -> None:
    """The session, its statement and the time are named."""
    text = engine_program(
        f"tokens cap 8; {RUNNING} execute (1);",
        "set less = serial * 0; run llm decode (cost(llm, " + f"{work} + less));",
    )
    message = run_error(text)
    assert message.startswith("6:")
    assert "the amount is" in message
    assert "note: session 0, at time 0" in message


def test_endless_work_is_served_for_ever() -> None:
    report = run(
        engine_program(
            f"tokens cap 8; {RUNNING} execute (1);",
            "run llm decode (cost(llm, serial == 0 ? inf : 3)); observe done = now;",
        )
    )
    assert seen(report, "done") == [3]
    assert report.stage("llm").iterations == 101
