"""Allocations that are taken away, and allocations that stay."""

from __future__ import annotations

import pytest
from watching import run, seen, when, whose

from serq_simpy.report.model import Report

GROWTH = """fn main() {{
  pool memory {{ cap 6; preempt {rule}; }}
  stage walk : delay;
  workload {{ arrive batch(3); }}
  server {{
    hold memory (cost(memory, 2)) {{
      observe began = computed;
      run walk (cost(walk, serial == {grower} ? 1 : 4));
      branch (serial == {grower}) {{ grow memory (cost(memory, 2)); observe grown = now; }}
      run walk (cost(walk, 1));
    }}
    observe done = now;
  }}
}}"""
"""Three sessions hold all; at 1 one of them wants 2 more."""


def began(report: Report) -> list[tuple[float, int]]:
    found = report.observes["began"]
    return list(zip(found.times, found.sessions, strict=True))


@pytest.mark.parametrize(
    ("rule", "grower", "victim"),
    [
        ("lifo", 0, 2),
        ("lifo", 1, 2),
        ("by (serial)", 2, 0),
        ("by (-serial)", 0, 2),
        ("by (serial == 1 ? 0 : 1)", 0, 1),
        ("by (admission)", 1, 0),
        ("by (-admission)", 0, 2),
        ("by (7)", 0, 2),
        ("by (serial == 1 ? 0 / 0 : -inf)", 0, 1),
    ],
)
def test_who_must_go(rule: str, grower: int, victim: int) -> None:
    """The least key, of equals the last admitted; it starts again when the grower leaves at 2."""
    report = run(GROWTH.format(rule=rule, grower=grower))
    assert began(report) == [(0, 0), (0, 1), (0, 2), (2, victim)]
    assert when(report, "grown") == [(1, 1)]
    (memory,) = report.pools
    assert (memory.preemptions, memory.admissions, memory.stuck) == (1, 4, 0)


def test_nobody_need_go() -> None:
    """The growth waits until the first of the others leaves, at 5."""
    report = run(GROWTH.format(rule="none", grower=1))
    assert when(report, "grown") == [(5, 5)]
    assert report.pools[0].preemptions == 0


def test_the_grower_may_be_the_victim() -> None:
    """There is room for what it held: it begins again at once, and again, until others leave."""
    report = run(GROWTH.format(rule="lifo", grower=2))
    assert began(report) == [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]
    assert when(report, "grown") == [(5, 5)]
    assert report.pools[0].preemptions == 4


@pytest.mark.parametrize(("requeue", "first"), [("", 2), ("requeue head", 2), ("requeue tail", 3)])
def test_where_a_victim_queues_again(requeue: str, first: int) -> None:
    """Session 3 waits since 0 when 2 is preempted at 1; one of them comes in at 2."""
    report = run(
        f"""fn main() {{
          pool memory {{ cap 6; preempt by (-admission) {requeue}; }}
          stage walk : delay;
          workload {{ arrive batch(4); }}
          server {{
            hold memory (cost(memory, 2)) {{
              observe began = serial;
              run walk (cost(walk, serial == 0 ? 1 : 4));
              branch (serial == 0) {{ grow memory (cost(memory, 2)); run walk (cost(walk, 1)); }}
            }}
          }}
        }}"""
    )
    assert began(report)[:3] == [(0, 0), (0, 1), (0, 2)]
    assert sorted(began(report)[3:]) == [(2, 2), (2, 3)]
    assert began(report)[3] == (2, first)


def test_a_victim_keeps_what_it_has_computed() -> None:
    """It had loaded 3 of its 4 units when it was taken out; 3 are cached and found again."""
    report = run(
        """fn main() {
          pool memory { cap 10; preempt lifo; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, 4)) {
              observe resumed = computed;
              observe hit = cached;
              load memory (cost(memory, 3 - cached));
              run walk (cost(walk, serial == 0 ? 1 : 5));
              branch (serial == 0) { grow memory (cost(memory, 3)); run walk (cost(walk, 1)); }
            } cache (cost(memory, 4))
            observe after = computed;
          }
        }"""
    )
    assert whose(report, "resumed") == [(0, 1, 0), (1, 1, 0), (1, 1, 3)]
    assert whose(report, "hit") == [(0, 1, 0), (1, 1, 0), (1, 1, 3)]
    assert seen(report, "after") == [0, 0]


def test_a_preempted_job_leaves_its_server() -> None:
    """Session 1 is served when 0 grows at 1: it makes way for session 2 behind it."""
    report = run(
        """fn main() {
          pool memory { cap 6; preempt by (serial == 1 ? 0 : 1); }
          stage walk : delay;
          stage desk : fifo;
          workload { arrive batch(3); }
          server {
            hold memory (cost(memory, 2)) {
              branch (serial == 0) {
                run walk (cost(walk, 1));
                grow memory (cost(memory, 1));
                run walk (cost(walk, 9));
              } else {
                run desk (cost(desk, 5));
                observe done = now;
              }
            }
          }
        }"""
    )
    assert whose(report, "done") == [(2, 1, 6), (1, 1, 11)]
    assert report.stages[1].completed == 2


def test_inner_holds_go_with_the_outer_one() -> None:
    report = run(
        """fn main() {
          pool memory { cap 4; preempt lifo; }
          pool gate { }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, 2)) {
              hold gate (cost(gate, 1)) { run walk (cost(walk, serial == 0 ? 1 : 3)); }
              branch (serial == 0) {
                grow memory (cost(memory, 2));
                observe inside = used(gate);
                run walk (cost(walk, 1));
              }
            }
            observe done = now;
          }
        }"""
    )
    assert seen(report, "inside") == [0]
    assert whose(report, "done") == [(0, 1, 2), (1, 1, 5)]


def test_who_gets_no_further_is_stuck() -> None:
    """Session 1 is preempted at 1 and at 3 at the same position: stuck, counted once."""
    report = run(
        """fn main() {
          pool memory { cap 4; preempt by (-serial); }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, 1)) {
              run walk (cost(walk, serial == 0 ? 1 : 20));
              branch (serial == 0) {
                grow memory (cost(memory, 3));
                run walk (cost(walk, 1));
                release memory;
                hold memory (cost(memory, 3)) {
                  run walk (cost(walk, 1));
                  grow memory (cost(memory, 1));
                  run walk (cost(walk, 1));
                }
              }
            }
          }
        }""",
        horizon=8,
    )
    (memory,) = report.pools
    assert (memory.preemptions, memory.stuck) == (2, 1)


def test_a_lease_lasts_so_long() -> None:
    report = run(
        """fn main() {
          pool memory { cap 2; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            run walk (cost(walk, serial));
            hold memory (cost(memory, 2)) { observe came = now; } lease memory (3)
            observe taken = used(memory);
            observe here = holders(memory);
            run walk (cost(walk, 5));
          }
        }"""
    )
    assert seen(report, "came") == [0, 3]
    assert seen(report, "taken") == [2, 2]
    assert seen(report, "here") == [1, 1]
    assert report.pools[0].mean_used == 0.12


@pytest.mark.parametrize("time", ["0", "-1", "0 / 0"])
def test_a_lease_of_no_time_ends_after_the_sessions_own_statements(time: str) -> None:
    report = run(
        f"""fn main() {{
          pool memory {{ cap 2; }}
          stage walk : delay;
          workload {{ arrive batch(1); }}
          server {{
            hold memory (cost(memory, 2)) {{ }} lease memory ({time})
            observe taken = used(memory);
            run walk (cost(walk, 1));
            observe taken = used(memory);
          }}
        }}"""
    )
    assert seen(report, "taken") == [2, 0]


def test_a_lease_ends_with_its_session_and_caches_then() -> None:
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            run walk (cost(walk, serial));
            branch (serial == 0) {
              hold memory (cost(memory, 3)) { } cache (cost(memory, 2)) lease memory (inf)
              run walk (cost(walk, 4));
            } else {
              hold memory (cost(memory, 2)) { observe came = now; }
            }
          }
          gauge taken = used(memory);
        }""",
        horizon=10,
    )
    assert seen(report, "came") == [4]
    assert report.pools[0].mean_cached == pytest.approx(2 * 6 / 10)


def test_release_ends_the_oldest_lease() -> None:
    report = run(
        """fn main() {
          pool memory { }
          workload { arrive batch(1); }
          server {
            hold memory (cost(memory, 1)) { } lease memory (inf)
            hold memory (cost(memory, 2)) { } lease memory (inf)
            observe taken = used(memory);
            release memory;
            observe taken = used(memory);
            release memory;
            observe taken = used(memory);
            release memory;
            observe taken = used(memory);
          }
        }"""
    )
    assert seen(report, "taken") == [3, 2, 0, 0]


def test_a_lease_is_no_victim() -> None:
    """The only other allocation is leased: who grows gives way itself, until the lease ends."""
    report = run(
        """fn main() {
          pool memory { cap 4; preempt lifo; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            branch (serial == 0) {
              hold memory (cost(memory, 2)) { } lease memory (4)
              run walk (cost(walk, 9));
            } else {
              hold memory (cost(memory, 2)) {
                run walk (cost(walk, 1));
                grow memory (cost(memory, 1));
                observe grown = now;
              }
            }
          }
        }"""
    )
    assert report.pools[0].preemptions == 3
    assert seen(report, "grown") == [4]
