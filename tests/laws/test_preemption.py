"""Who is preempted, and how a victim comes back: programs whose runs went wrong once.

The numbers are the reference implementation's.
"""

from __future__ import annotations

import pytest

import serq_simpy


def observed(source: str, *names: str, horizon: float = 6.0) -> list[list[tuple[float, float]]]:
    """The samples of observations: rows of time and session."""
    report = serq_simpy.run(serq_simpy.compile(source=source, horizon=horizon))
    columns = [report.observes[name] for name in names]
    return [list(zip(column.times, column.sessions, strict=True)) for column in columns]


def nested(key: str) -> str:
    """Session 0 holds twice, 2 grows when the pool is full: 1 unit must come from somebody."""
    return f"""
fn main() {{
  pool p {{ cap 4; preempt by ({key}); }}
  stage s : delay;
  workload {{ arrive batch(3); }}
  server {{
    hold p (cost(p, 1)) {{
      observe outer = now;
      branch (serial == 0) {{
        run s (cost(s, 1));
        hold p (cost(p, 1)) {{ observe inner = now; run s (cost(s, 5)); }}
      }} else {{
        branch (serial == 2) {{ run s (cost(s, 2)); grow p (cost(p, 1)); observe grew = now; }}
        run s (cost(s, 5));
      }}
    }}
  }}
}}"""


def test_of_a_session_the_innermost_hold_is_the_candidate() -> None:
    outer, inner, grew = observed(nested("admission == 0 ? 0 : 1"), "outer", "inner", "grew")
    assert outer == [(0, 0), (0, 1), (0, 2)]
    assert inner == [(1, 0), (5, 0)]
    assert grew == [(2, 2)]


@pytest.mark.parametrize("key", ["-admission", "admission == 3 ? 0 : 1"])
def test_an_inner_hold_gives_its_session_no_later_place(key: str) -> None:
    outer, inner, grew = observed(nested(key), "outer", "inner", "grew")
    assert outer == [(0, 0), (0, 1), (0, 2), (2, 2), (4, 2)]
    assert inner == [(1, 0)]
    assert grew == [(6, 2)]


def test_a_lease_keeps_its_sessions_place() -> None:
    source = """
fn main() {
  pool p { cap 4; preempt by (admission == 0 ? 0 : 1); }
  stage s : delay;
  workload { arrive batch(3); }
  server {
    branch (serial == 0) { hold p (cost(p, 1)) { } lease p (inf) run s (cost(s, 1)); }
    hold p (cost(p, 1)) {
      observe at = now;
      branch (serial == 2) { run s (cost(s, 2)); grow p (cost(p, 1)); }
      run s (cost(s, 5));
    }
  }
}"""
    assert observed(source, "at") == [[(0, 1), (0, 2), (1, 0), (5, 0)]]


def test_the_end_of_an_inner_hold_moves_its_session_to_the_inner_place() -> None:
    source = """
fn main() {
  pool p { cap 9; preempt by (admission == 0 ? 0 : 1); }
  stage s : delay;
  workload { arrive batch(2); }
  server {
    hold p (cost(p, 2)) {
      observe at = now;
      branch (serial == 0) {
        run s (cost(s, 1)); hold p (cost(p, 2)) { } run s (cost(s, 5));
      } else {
        run s (cost(s, 2)); grow p (cost(p, 7)); observe grew = now;
      }
    }
  }
}"""
    assert observed(source, "at", "grew") == [[(0, 0), (0, 1), (2, 1), (4, 0)], [(4, 1)]]


def test_a_hold_preempted_between_admission_and_body_is_admitted_once_more() -> None:
    """At 1 session 0 gives a unit back, which admits 1, and takes it again at once."""
    source = """
fn main() {
  pool p { cap 2; preempt lifo; }
  stage s : delay;
  workload { arrive batch(2); }
  server {
    branch (serial == 1) { run s (cost(s, 0.5)); }
    hold p (cost(p, 1)) {
      observe at = now;
      branch (serial == 0) { hold p (cost(p, 1)) { run s (cost(s, 1)); } grow p (cost(p, 1)); }
      run s (cost(s, 1));
      observe done = now;
    }
  }
}"""
    assert observed(source, "at", "done") == [[(0, 0), (2, 1)], [(2, 0), (3, 1)]]


def test_a_hold_preempted_again_in_the_ready_line_stands_in_it_once() -> None:
    """Sessions 1 and 2, preempted at 1, are admitted together at 2; 2 has no room to resume."""
    source = """
fn main() {
  pool p { cap 6; preempt lifo; }
  stage s : delay;
  workload { arrive poisson(1); }
  server {
    run s (cost(s, 0.25));
    hold p (cost(p, 2)) {
      hold p (cost(p, 0)) {
        run s (cost(s, 1));
        grow p (cost(p, 1));
        release p;
        grow p (cost(p, 2));
      }
    }
  }
}"""
    program = serq_simpy.compile(source=source, horizon=500, seed=7, arrivals=24)
    report = serq_simpy.run(program)
    response = report.client["response"]
    assert response.mean == pytest.approx(1.4652391231990056, rel=1e-12)
    assert report.pools[0].preemptions == 33


@pytest.mark.parametrize(
    ("pools", "stuck"),
    [("ppqq", {"p": 1, "q": 0}), ("qqpp", {"p": 0, "q": 1}), ("pqpq", {"p": 1, "q": 0})],
)
def test_a_session_is_stuck_once_at_the_pool_where_it_is_seen(
    pools: str, stuck: dict[str, int]
) -> None:
    """The session is preempted at 1, 2, … for a growth of the pool that the word names."""
    grows = " ".join(
        f"branch (now == {time}) {{ grow {pool} (cost({pool}, 3)); }}"
        for time, pool in enumerate(pools, 1)
    )
    source = f"""
fn main() {{
  pool p {{ cap 2; preempt lifo; }}
  pool q {{ cap 2; preempt lifo; }}
  stage s : delay;
  workload {{ arrive batch(1); }}
  server {{ hold p (cost(p, 1)), q (cost(q, 1)) {{ run s (cost(s, 1)); {grows} }} }}
}}"""
    report = serq_simpy.run(serq_simpy.compile(source=source, horizon=4.5))
    assert {pool.name: pool.stuck for pool in report.pools} == stuck
