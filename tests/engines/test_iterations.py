"""The order of an iteration, by programs small enough to follow by hand."""

from __future__ import annotations

import pytest

import serq_simpy
from serq_simpy import Report
from serq_simpy.errors import RunError

PROGRAM = """
fn main() {{
  device gpu {{ kv cap {cap}; }}
  engine llm on gpu {{
    slots cap {slots};
    {items}
    tokens cap {budget};
    schedule {{ {schedule} }}
    execute ({execute});
  }}
  pool slots on llm {{ }}
  pool kv on gpu {{ preempt {preempt}; }}
  workload {{ arrive {arrive}; }}
  server {{ {server} observe done = now; }}
  gauge in_batch = busy(llm);
}}
"""
PLAIN = "advance running; admit waiting while (running.preempted == 0);"
HELD = """
hold slots (cost(slots, 1)), kv (cost(kv, 2)) {{
  observe at = now;  observe resumed = computed;
  run llm prefill (cost(llm, {prefill})) growing kv;
  run llm decode (cost(llm, {decode})) growing kv;
}} cache (cost(slots, kv, 6))
"""


def run(server: str, **options: object) -> Report:
    settings: dict[str, object] = {
        "cap": 100,
        "slots": "inf",
        "items": "",
        "budget": 8,
        "schedule": PLAIN,
        "execute": "1",
        "preempt": "lifo",
        "arrive": "batch(2)",
    } | options
    return serq_simpy.run(
        serq_simpy.compile(source=PROGRAM.format(server=server, **settings), horizon=50)
    )


def samples(report: Report, name: str) -> list[float]:
    return list(report.observes[name].samples)


def runs(prefill: float, decode: float) -> str:
    return f"run llm prefill (cost(llm, {prefill})); run llm decode (cost(llm, {decode}));"


def test_a_decode_waits_behind_a_prefill_that_joined_before() -> None:
    assert samples(run(runs(8, 2)), "done") == [4, 4]


def test_in_holds_the_order_is_that_of_admission() -> None:
    assert samples(run(HELD.format(prefill=8, decode=2)), "done") == [3, 5]


def test_a_fractional_budget() -> None:
    report = run("run llm decode (cost(llm, 2));", budget=1.5, arrive="batch(3)")
    assert samples(report, "done") == [2, 3, 5]


def test_a_victim_is_admitted_again_when_there_is_room() -> None:
    """Iterations of 4, 2, 1, 1, 1 tokens; the second session restarts at 5."""
    report = run(HELD.format(prefill=2, decode=4), cap=6)
    assert samples(report, "at") == [0, 0, 5]
    assert samples(report, "resumed") == [0, 0, 3]
    assert samples(report, "done") == [5, 10]
    assert report.pools[1].preemptions == 1


def test_a_step_that_only_preempts_lasts_too() -> None:
    """At 2 the first session is its own victim and nobody is served until 3."""
    report = run(HELD.format(prefill=2, decode=4), cap=6, preempt="by (admission)")
    gauge = report.gauges["in_batch"]
    assert dict(zip(gauge.times, gauge.values, strict=True))[2.0] == 0.0


def test_a_stalled_growth_waits_for_room() -> None:
    server = f"branch (serial == 0) {{ {HELD.format(prefill=2, decode=2)} }} else {{ \
        hold kv (cost(kv, 4)) {{ run rest (cost(rest, 4.5)); }} }}"
    source = PROGRAM.replace("workload", "stage rest : delay; workload")
    text = source.format(
        cap=6, slots="inf", items="", budget=8, schedule=PLAIN, execute="1", preempt="none",
        arrive="batch(2)", server=server,
    )  # fmt: skip
    report = serq_simpy.run(serq_simpy.compile(source=text, horizon=50))
    assert samples(report, "done") == [4.5, 6.5], "the decode of 2 begins at 4.5"


def test_admission_alone_idles() -> None:
    report = run(runs(9, 1), schedule="admit waiting;")
    assert report.stages[0].idle_with_work
    assert samples(report, "done") == []


def test_a_register_is_undone_when_nothing_happened() -> None:
    schedule = "advance running; admit waiting; set it = it + 1;"
    server = "run llm prefill (cost(llm, 4));"
    report = run(server, items="state it = 0;", schedule=schedule, execute="1 + it")
    assert samples(report, "done") == [2, 2], "one iteration, of 1 + 1"


@pytest.mark.parametrize("execute", ["0", "-1", "0 / 0 * batch.tokens"])
def test_tokens_take_time(execute: str) -> None:
    with pytest.raises(RunError, match=r"engine `llm`: its `execute` is .* for an iteration of 8"):
        run(runs(8, 1), execute=execute)


@pytest.mark.parametrize(
    ("schedule", "where"),
    [
        ("advance running; admit waiting while (running.count + 2);", "admit waiting while"),
        ("advance running; branch (running.count + 2) { admit waiting; }", "branch"),
    ],
)
def test_a_guard_is_a_test(schedule: str, where: str) -> None:
    with pytest.raises(RunError, match=rf"`{where}.*` in its `schedule` read \d, not 0 or 1"):
        run(runs(8, 1), schedule=schedule)


def test_the_client() -> None:
    """Prefills end at 1 and 2 and decodes are reached at once; tokens follow at 3 and 4."""
    report = run(runs(8, 2))
    assert list(report.client["ttft"].samples) == [1, 2]
    assert list(report.client["tpot"].samples) == [(4 - 1) / 2, (4 - 2) / 2]
    assert list(report.client["response"].samples) == [4, 4]
