"""Programs that would never end, or never let time pass, are stopped with a message."""

from __future__ import annotations

import pytest

import serq_simpy
from serq_simpy.errors import RunError


def error(source: str, horizon: float = 100.0) -> str:
    program = serq_simpy.compile(source=source, horizon=horizon)
    with pytest.raises(RunError) as raised:
        serq_simpy.run(program)
    return str(raised.value)


def test_a_session_that_becomes_ready_for_ever() -> None:
    message = error(
        "fn main() { stage s : delay; workload { arrive batch(2); }"
        "server { loop { run s (cost(s, 0 * serial)); } } }"
    )
    assert "the instant t = 0 does not settle: session 0 became ready 1001 times" in message


def test_a_job_too_short_for_the_clock() -> None:
    """At 1e17 a unit of time is nothing: the clock stands still."""
    message = error(
        "fn main() { stage s : delay; workload { arrive batch(1); }"
        "server { run s (cost(s, 100000000000000000)); loop { run s (cost(s, 1)); } } }",
        horizon=1e18,
    )
    assert "does not settle" in message


def test_closed_sessions_that_take_no_time() -> None:
    message = error("fn main() { workload { arrive closed(3); } server { set x = 1; } }")
    assert "a million sessions" in message
    assert "the workload does not let time pass" in message


def test_a_pool_that_spills_to_itself() -> None:
    message = error(
        "fn main() { pool p { cap 2; spill p via s (1) when (1); } stage s : fifo;"
        "workload { arrive renewal(1); } server { hold p (cost(p, 2)) { } cache (cost(p, 2)) } }"
    )
    assert "pool `p` spills to itself" in message


def test_a_body_that_preempts_itself_for_ever_is_stuck() -> None:
    """Its growth can never fit: it runs again and again, and the report says so."""
    report = serq_simpy.run(
        serq_simpy.compile(
            source="fn main() { pool p { cap 4; preempt lifo; } stage s : delay;"
            "workload { arrive batch(1); } server { hold p (cost(p, 2)) {"
            "run s (cost(s, 1)); grow p (cost(p, 9)); } } }",
            horizon=10,
        )
    )
    assert report.pool("p").stuck == 1
    assert report.pool("p").preemptions == 10


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("run s (cost(s, serial - 1));", "the amount is -1"),
        ("run s (cost(s, serial / serial));", "the amount is NaN"),
        ("hold p (cost(p, serial - 2)) { }", "the amount is -2"),
        ("hold p (cost(p, 1)) reserve (cost(p, serial - 1)) { }", "the amount is -1"),
        ("hold p (cost(p, 1)) { grow p (cost(p, serial - 1)); }", "the amount is -1"),
        ("hold p (cost(p, 1)) { load p (cost(p, serial - 1)); }", "the amount is -1"),
        ("branch (serial + 2) { }", "the guard is 2, not 0 or 1"),
        ("branch (serial / serial) { }", "the guard is NaN, not 0 or 1"),
        ("run t[serial + 2] (cost(t, 1));", "index `serial + 2` is 2"),
        ("run t[serial - 1] (cost(t, 1));", "index `serial - 1` is -1"),
        ("run t[serial / serial] (cost(t, 1));", "index `serial / serial` is NaN"),
        ("choose k in serial / serial by (0);", "the number of candidates is NaN"),
        ("hold p (cost(p, 2)) { load p (cost(p, 3 + serial)); }", "`load p (3)`: the hold has 2"),
        ("hold p (cost(p, 2)) { release p; grow p (cost(p, 1)); }", "grow outside a hold of pool"),
    ],
)
def test_a_rule_broken_while_running(statement: str, message: str) -> None:
    """The message has the line, the session and the time."""
    text = error(
        "fn main() { pool p { cap 9; } stage s : delay; stage t[2] : delay;\n"
        "workload { arrive batch(1); } server {\n"
        "run s (cost(s, 1.5));\n"
        f"{statement}\n"
        "} }"
    )
    first = text.splitlines()[0]
    assert message in first
    assert first.startswith("4:")
    assert "session 0, at time 1.5" in text
