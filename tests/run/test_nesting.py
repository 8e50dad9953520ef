"""Blocks and expressions that stand deep in one another."""

from __future__ import annotations

import pytest

import serq_simpy


def run(source: str, horizon: float = 1000.0, **settings: float) -> serq_simpy.Report:
    return serq_simpy.run(serq_simpy.compile(source=source, horizon=horizon, **settings))


def samples(report: serq_simpy.Report, name: str) -> list[float]:
    observed = report.observe(name)
    assert observed is not None
    return observed.samples


def nested(opening: str, depth: int, inside: str) -> str:
    return opening * depth + inside + "}" * depth


@pytest.mark.parametrize("depth", [1, 8, 40, 90])
@pytest.mark.parametrize("option", ["", "preempt lifo;"])
def test_nested_holds(depth: int, option: str) -> None:
    """A unit a level is in use inside, and all are back at the end."""
    body = nested("hold p (cost(p, 1)) {", depth, "run s (cost(s, 1)); observe inside = used(p);")
    report = run(
        f"fn main() {{ pool p {{ cap 100; {option} }} stage s : delay;"
        "workload { arrive batch(1); }"
        f"server {{ {body} observe after = used(p); observe t = now; }} }}"
    )
    assert samples(report, "inside") == [depth]
    assert samples(report, "after") == [0]
    assert samples(report, "t") == [1]


def test_a_preemption_reaches_an_outer_hold_through_many_inner_ones() -> None:
    """Session 1 holds 50 levels deep when session 0 takes its outermost hold away at 2."""
    inner = nested("hold q (cost(q, 1)) {", 50, "run s (cost(s, 3));")
    report = run(
        "fn main() { pool p { cap 5; preempt by (-serial); } pool q { cap 100; } stage s : delay;"
        "workload { arrive batch(2); }"
        "server { branch (serial == 0) {"
        "  hold p (cost(p, 2)) { run s (cost(s, 2)); grow p (cost(p, 2)); observe q_then = used(q);"
        "    run s (cost(s, 1)); } }"
        f"else {{ hold p (cost(p, 3)) {{ observe at = now; {inner} observe done = now; }} }} }} }}"
    )
    assert samples(report, "q_then") == [0]
    assert samples(report, "at") == [0, 3]
    assert samples(report, "done") == [6]


@pytest.mark.parametrize("depth", [1, 8, 40])
def test_an_end_deep_in_loops_ends_the_session(depth: int) -> None:
    body = nested("loop {", depth, "run s (cost(s, 1)); branch (now > 4) { end; }")
    report = run(
        "fn main() { stage s : delay;"
        "workload { arrive batch(1); session { turn; observe x = 1; } }"
        f"server {{ {body} }} }}"
    )
    assert report.ended == 1
    assert samples(report, "x") == []
    assert report.mean_live == pytest.approx(5 / 1000)


def test_a_turn_deep_in_loops() -> None:
    body = nested("loop {", 30, "turn; tool (1); branch (turn_no == 5) { end; }")
    report = run(
        "fn main() { stage s : delay;"
        f"workload {{ arrive batch(1); session {{ {body} }} }}"
        "server { run s (cost(s, 1)); observe n = turn_no; observe t = now; } }"
    )
    assert samples(report, "n") == [1, 2, 3, 4, 5]
    assert samples(report, "t") == [1, 3, 5, 7, 9]
    assert report.client["response"].samples == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_the_largest_aggregate(kind: str) -> None:
    """All 4 096 terms, drawn from left to right."""
    report = run(
        "fn main() { workload { arrive batch(1); }"
        f"server {{ observe v = {kind} j in 4096 (j + ~det(0)); }} }}"
    )
    expected = {"sum": 4096 * 4095 / 2, "max": 4095, "min": 0}
    assert samples(report, "v") == [expected[kind]]


def test_draws_in_a_tall_expression_keep_their_order() -> None:
    """A chain of choices too tall for one line takes the arm and the draws it should."""
    chain = "~uniform(0, 1)"
    for level in range(60):
        chain = f"({level} < 59 ? {chain} : 0) + 0"
    report = run(
        "fn main() { workload { arrive batch(1); }"
        f"server {{ observe first = {chain}; observe second = ~uniform(0, 1); }} }}"
    )
    plain = run(
        "fn main() { workload { arrive batch(1); }server { observe second = ~uniform(0, 1); } }"
    )
    assert samples(report, "first") == [0], "the outermost choice takes no draw"
    assert samples(report, "second") == samples(plain, "second")
