"""Legs: `fork` and `join`, small enough to follow by hand; the reference gives the same numbers."""

from __future__ import annotations

import pytest

import serq_simpy
from serq_simpy import Report
from serq_simpy.errors import RunError

RESOURCES = "stage d : delay; stage f : fifo; pool p { cap 10; } pool q { cap 4; }"
ENGINE = """
device gpu { kv cap 200; }
engine e on gpu { reqs cap 6; tokens cap 16; schedule { advance running; admit waiting; }
  execute (0.5 + 0.1 * batch.tokens); }
pool kv on gpu { preempt lifo; } pool reqs on e { } stage d : delay; pool q { cap 4; }
"""


def run(
    server: str,
    *,
    resources: str = RESOURCES,
    more: str = "",
    workload: str = "arrive batch(1);",
    arrivals: int | None = None,
) -> Report:
    source = f"fn main() {{ {resources} {more} workload {{ {workload} }} server {{ {server} }} }}"
    return serq_simpy.run(serq_simpy.compile(source=source, horizon=20, arrivals=arrivals))


def error(server: str, *, more: str = "", workload: str = "arrive batch(1);") -> str:
    with pytest.raises(RunError) as raised:
        run(server, more=more, workload=workload)
    return str(raised.value)


def samples(report: Report, name: str) -> list[float]:
    return list(report.observes[name].samples)


# ------------------------------------------------------------------ fork and join


def test_a_leg_stands_behind_the_ready_and_the_session_goes_on() -> None:
    report = run(
        "fork { observe x = 2; } fork { observe x = 3; } observe x = 1;"
        "run d (cost(d, 0)); observe x = 4; join; observe x = 5;"
    )
    assert samples(report, "x") == [1, 2, 3, 4, 5]


def test_a_join_waits_for_the_last_leg_and_passes_without_one() -> None:
    report = run(
        "join; observe t = now; fork { run d (cost(d, 3)); } fork { run d (cost(d, 2)); }"
        "run d (cost(d, 1)); join; observe t = now; join; observe t = now;"
    )
    assert samples(report, "t") == [0, 3, 3]


def test_attributes_are_copied() -> None:
    report = run(
        "set x = 1; fork { run d (cost(d, 1)); observe leg = x; set x = 9; }"
        "set x = 2; join; observe session = x;"
    )
    assert samples(report, "leg") == [1]
    assert samples(report, "session") == [2]


def test_a_leg_draws_from_a_stream_of_its_own() -> None:
    """Legs are numbered over all turns of their session."""
    report = run(
        "fork { observe a = ~uniform(0, 1); } fork { observe b = ~uniform(0, 1); }"
        "observe c = ~uniform(0, 1); join;",
        workload="arrive batch(2); session { turn; turn; }",
    )
    assert samples(report, "a") == pytest.approx(
        [0.5348466644357994, 0.7403354587002204, 0.7265919086842185, 0.8328304287483955]
    )
    assert samples(report, "b") == pytest.approx(
        [0.5313539289084942, 0.8343270334681799, 0.8688479799440831, 0.7027095712408136]
    )
    assert samples(report, "c") == pytest.approx(
        [0.1621242647527662, 0.2447743700986078, 0.9236479408644537, 0.159927849690494]
    )


def test_samples_of_a_leg_carry_its_session_and_the_turn_of_its_fork() -> None:
    report = run(
        "fork { run d (cost(d, 2)); observe t = now; } branch (turn_no == 2) { join; }",
        workload="arrive batch(1); session { turn; turn; }",
    )
    assert list(report.observes["t"].turns) == [1, 2]
    assert list(report.observes["t"].sessions) == [0, 0]


def test_a_session_may_not_end_before_its_legs() -> None:
    message = error("run d (cost(d, 1)); fork { run d (cost(d, 2)); } branch (serial) { join; }")
    assert "session 0 ends at t = 1 while a leg it forked runs" in message
    assert "`join;`" in message
    message = error("fork { run d (cost(d, 2)); } branch (serial == 0) { end; } join;")
    assert "session 0 ends at t = 0 while a leg it forked runs" in message


def test_a_leg_that_lets_no_time_pass() -> None:
    message = error("fork { while (1) { run d (cost(d, 0 * serial)); } } join;")
    assert "session 0 became ready 1001 times" in message


def test_holds_too_deep_for_one_function() -> None:
    depth = 12
    holds = "hold v (cost(v, 1)) { " * depth + "run d (cost(d, 1)); observe u = used(v);"
    report = run(
        "fork { " + holds + "}" * depth + " } join; observe t = now;",
        more="pool v { cap 20; preempt lifo; }",
    )
    assert samples(report, "u") == [depth]
    assert samples(report, "t") == [1]


# ----------------------------------------------------------------- holds, leases


def test_holds_are_the_legs_own() -> None:
    """A leg is a holder beside its session, and cannot release what the session leases."""
    report = run(
        "hold p (cost(p, 1)) { } lease p (inf)"
        "fork { release p; observe u = used(p); hold p (cost(p, 2)) { observe h = holders(p); } }"
        "join; release p; observe u = used(p);"
    )
    assert samples(report, "u") == [1, 0]
    assert samples(report, "h") == [2]


def test_leases_pass_to_the_session_at_the_end_of_the_leg() -> None:
    report = run(
        "fork { hold p (cost(p, 2)) { run d (cost(d, 3)); } lease p (inf) }"
        "hold p (cost(p, 1)) { run d (cost(d, 1)); observe h = holders(p); join;"
        " observe h = holders(p); }"
        "observe u = used(p); release p; observe u = used(p);"
    )
    assert samples(report, "h") == [2, 1]
    assert samples(report, "u") == [2, 0]
    assert report.pool("p").mean_holders == pytest.approx(0.3)  # (1 + 2 + 2) of them, 1 each / 20


def test_leases_passed_stand_behind_the_sessions_own() -> None:
    report = run(
        "fork { hold p (cost(p, 2)) { run d (cost(d, 1)); } lease p (inf) run d (cost(d, 3)); }"
        "run d (cost(d, 2)); hold p (cost(p, 1)) { } lease p (inf) join;"
        "release p; observe u = used(p); release p; observe u = used(p);"
    )
    assert samples(report, "u") == [2, 0]


def test_a_lease_passed_expires_when_it_would_have() -> None:
    report = run(
        "fork { hold p (cost(p, 2)) { run d (cost(d, 1)); } lease p (5) } join;"
        "run d (cost(d, 4.5)); observe u = used(p); run d (cost(d, 1)); observe u = used(p);"
    )
    assert samples(report, "u") == [2, 0]


def test_the_cached_prefix_is_the_sessions() -> None:
    """What a lease left caches is read from the leg's copy, in the session's name."""
    report = run(
        "set x = 3; fork { set x = 2; hold p (cost(p, 4)) { } cache (cost(p, x)) lease p (inf) }"
        "set x = 4; join; release p; observe c = cachedin(p);"
    )
    assert samples(report, "c") == [2]


def test_eviction_keys_read_the_session() -> None:
    """The session's 5 is above the other's 3, and the leg's 0 would not be: other goes first."""
    report = run(
        "branch (serial == 0) { set x = 1;"
        " fork { set x = 0; hold v (cost(v, 4)) { } cache (cost(v, 4)) } join; set x = 5;"
        " run d (cost(d, 2)); observe mine = cachedin(v); }"
        "else { set x = 3; hold v (cost(v, 4)) { } cache (cost(v, 4)) run d (cost(d, 1));"
        " hold v (cost(v, 4)) { } observe other = cachedin(v); }",
        more="pool v { cap 10; evict by (x); }",
        workload="arrive batch(2);",
    )
    assert samples(report, "mine") == [4]
    assert samples(report, "other") == [0]


def test_a_preempted_leg_and_a_preempted_join() -> None:
    rival = (
        "else { run d (cost(d, 1)); hold v (cost(v, 1)) {"
        " grow v (cost(v, 2)); run d (cost(d, 1)); } }"
    )
    pool = "pool v { cap 3; preempt by (serial); }"
    leg = run(
        "branch (serial == 0) { fork { hold v (cost(v, 2)) { run d (cost(d, 3)); } } join;"
        " observe j = now; }" + rival,
        more=pool,
        workload="arrive batch(2);",
    )
    assert samples(leg, "j") == [5]
    join = run(
        "branch (serial == 0) { fork { run d (cost(d, 3)); }"
        " hold v (cost(v, 2)) { observe s = now; join; observe j = now; } }" + rival,
        more=pool,
        workload="arrive batch(2);",
    )
    assert samples(join, "s") == [0, 2]
    assert samples(join, "j") == [3]


# ---------------------------------------------------------------------- refused


def test_a_refused_leg_ends_its_session_and_the_others_run_on() -> None:
    """The session's job leaves its stage; the legs left give back what they lease."""
    report = run(
        "set x = 5; fork { hold p (cost(p, 2)) { run d (cost(d, 3)); } lease p (inf)"
        " observe leg = used(p); }"
        "fork { run d (cost(d, 1)); hold q (cost(q, x)) { } } run f (cost(f, 8)); observe no = now;"
        "join;"
    )
    assert samples(report, "leg") == [2]
    assert samples(report, "no") == []
    assert report.ended == 1
    assert report.mean_live == pytest.approx(1 / 20)
    assert report.pool("p").mean_used == pytest.approx(6 / 20)
    assert report.pool("q").rejected == 1
    assert report.stage("f").utilization == pytest.approx(1 / 20)


def test_every_refused_leg_is_counted() -> None:
    report = run("set x = 5;" + "fork { hold q (cost(q, x)) { } }" * 3 + "join;")
    assert report.pool("q").rejected == 3
    assert report.ended == 1


def test_a_refused_session_leaves_its_legs() -> None:
    report = run(
        "set x = 11; fork { run d (cost(d, 2)); observe l = now; } hold p (cost(p, x)) { } join;"
    )
    assert samples(report, "l") == [2]
    assert report.mean_live == 0


# ------------------------------------------------------------- waiting for ever


def test_hold_and_wait() -> None:
    message = error("hold p (cost(p, 8)) { fork { hold p (cost(p, 5)) { } } join; }")
    assert "session 0 waits at a `join`; a leg of session 0 waits at `p`" in message


def test_hold_and_wait_through_another_session() -> None:
    message = error(
        "branch (serial == 0) { hold p (cost(p, 8)) { run d (cost(d, 1));"
        " fork { hold q (cost(q, 4)) { } } join; } }"
        "else { hold q (cost(q, 2)) { hold p (cost(p, 3)) { } } }",
        workload="arrive batch(2);",
    )
    expected = (
        "session 0 waits at a `join`; session 1 waits at `p`; a leg of session 0 waits at `q`"
    )
    assert expected in message


def test_hold_and_wait_names_the_member_of_a_family() -> None:
    message = error(
        "hold v[1] (cost(v, 1)) { fork { hold v[1] (cost(v, 2)) { } } join; }",
        more="pool v[2] { cap 2; }",
    )
    assert "a leg of session 0 waits at `v[1]`" in message


@pytest.mark.parametrize(
    "server",
    [
        # a lease there expires later on
        "hold p (cost(p, 1)) { } lease p (100)"
        "hold p (cost(p, 6)) { fork { hold p (cost(p, 5)) { } } join; }",
        # a holder runs
        "branch (serial == 0) { hold p (cost(p, 3)) { fork { hold p (cost(p, 8)) { } } join; } }"
        "else { hold p (cost(p, 1)) { run d (cost(d, 50)); } }",
        # a leg runs
        "hold p (cost(p, 8)) { fork { hold p (cost(p, 5)) { } } fork { run d (cost(d, 50)); }"
        "join; }",
        # one of the pools without room has a holder that runs
        "branch (serial == 0) { hold p (cost(p, 8)) {"
        " fork { hold q (cost(q, 1)), p (cost(p, 5)) { } } join; } }"
        "else { hold q (cost(q, 4)) { run d (cost(d, 50)); } }",
        # nobody is at a join
        "hold p (cost(p, 6)) { fork { hold q (cost(q, 4)) { hold p (cost(p, 6)) { } } }"
        "run d (cost(d, 1)); hold q (cost(q, 1)) { } } join;",
        # the leg waits to grow
        "hold p (cost(p, 6)) { fork { hold p (cost(p, 2)) { grow p (cost(p, 8)); } } join; }",
        # nobody holds anything
        "fork { hold p (cost(p, 20 + used(q))) { } } join;",
    ],
)
def test_who_waits_without_a_cycle(server: str) -> None:
    assert run(server, workload="arrive batch(2);").ended == 0


# ----------------------------------------------------------------------- tokens


def test_tokens_of_a_leg_count_for_the_turn_it_was_forked_in() -> None:
    """The leg's tokens after the first turn's answer are nobody's."""
    report = run(
        "fork { run e decode (cost(e, 20)); } run e decode (cost(e, 2));"
        "branch (turn_no == 2) { run d (cost(d, 4)); join; }",
        resources=ENGINE,
        workload="arrive batch(1); session { turn; tool (1.3); turn; }",
    )
    assert list(report.client["ttft"].samples) == pytest.approx([0.7, 1.3])
    assert list(report.client["tpot"].samples) == pytest.approx([1.4 / 6, 0.6142857142857141])


def test_gaps_of_a_leg_are_its_own() -> None:
    """Three tokens of the leg are 0.6 apart; the session's one has none before it."""
    report = run(
        "fork { run e decode (cost(e, 3)); } join; run e prefill (cost(e, 2));", resources=ENGINE
    )
    assert report.stage("e").mean_itl == pytest.approx(0.6)
    assert list(report.client["tpot"].samples) == pytest.approx([(2.5 - 0.6) / 3])


def test_a_prefill_follows_a_prefill_once_there_was_a_decode() -> None:
    """Gaps 0.7, 0.7 in the decode, then 1.1 and 1.3."""
    report = run(
        "run e decode (cost(e, 3)); run e prefill (cost(e, 3)); run e prefill (cost(e, 4));",
        resources=ENGINE,
        workload="arrive batch(2);",
    )
    assert report.stage("e").mean_itl == pytest.approx((0.7 + 0.7 + 1.1 + 1.3) / 4)


def test_a_leg_of_an_ended_session_gives_the_client_nothing() -> None:
    report = run(
        "set x = 5; fork { run d (cost(d, 4)); run e decode (cost(e, 6)); observe l = now; }"
        "fork { run d (cost(d, 2)); hold q (cost(q, x)) { } } run d (cost(d, 20)); join;",
        resources=ENGINE,
    )
    assert samples(report, "l") == pytest.approx([4 + 6 * 0.6])
    assert list(report.client["ttft"].samples) == []
