"""What stays in memory after a hold, what a later one finds, and what is evicted first."""

from __future__ import annotations

import pytest
from watching import run, seen, when, whose

from serq_simpy.report.model import Report


def test_a_later_turn_finds_what_the_first_left() -> None:
    report = run(
        """fn main() {
          pool memory { cap 40; block 4; }
          stage walk : delay;
          workload { arrive batch(1); session { turn; tool (2); turn; tool (2); turn; } }
          server {
            hold memory (cost(memory, 10)) {
              observe hit = cached;
              observe left = cachedin(memory);
              run walk (cost(walk, 1));
            } cache (cost(memory, 7))
            observe kept = cachedin(memory);
          }
        }"""
    )
    # 7 units are one whole block of 4; what is found is no longer in the cache.
    assert seen(report, "hit") == [0, 4, 4]
    assert seen(report, "left") == [0, 0, 0]
    assert seen(report, "kept") == [4, 4, 4]


@pytest.mark.parametrize(
    ("kept", "amount"), [("30", 12), ("6", 6), ("0", 0), ("-1", 0), ("0 / 0", 0)]
)
def test_no_more_is_kept_than_was_held(kept: str, amount: float) -> None:
    report = run(
        f"""fn main() {{
          pool memory {{ }}
          workload {{ arrive batch(1); }}
          server {{
            hold memory (cost(memory, 12)) {{ }} cache (cost(memory, {kept}))
            observe kept = cachedin(memory);
          }}
        }}"""
    )
    assert seen(report, "kept") == [amount]


@pytest.mark.parametrize(
    ("load", "amount"),
    [("load memory (cost(memory, 5));", 5), ("load memory (cost(memory, 0));", 0), ("", 12)],
)
def test_what_was_loaded_bounds_what_is_kept(load: str, amount: float) -> None:
    """A hold that loads says by it how far it has come; else it counts as full."""
    report = run(
        f"""fn main() {{
          pool memory {{ }}
          workload {{ arrive batch(1); }}
          server {{
            hold memory (cost(memory, 12)) {{ {load} }} cache (cost(memory, 30))
            observe kept = cachedin(memory);
          }}
        }}"""
    )
    assert seen(report, "kept") == [amount]


@pytest.mark.parametrize(
    ("bound", "hit"),
    [("100", 8), ("8", 8), ("7", 4), ("3", 0), ("-5", 0), ("0 / 0", 0)],
)
def test_reuse_bounds_what_is_found(bound: str, hit: float) -> None:
    """The rest stays evictable, but is nobody's any more."""
    report = run(
        f"""fn main() {{
          pool memory {{ cap 20; block 4; }}
          workload {{ arrive batch(1); session {{ turn; turn; }} }}
          server {{
            hold memory (cost(memory, 8)) reuse (cost(memory, {bound})) {{
              observe hit = cached;
              observe mine = cachedin(memory);
            }} cache (cost(memory, turn_no == 1 ? 8 : 0))
            observe mine = cachedin(memory);
          }}
          gauge kept = used(memory);
        }}"""
    )
    assert seen(report, "hit") == [0, hit]
    assert seen(report, "mine") == [0, 8, 0, 0]


def test_a_hold_without_cache_touches_nothing() -> None:
    report = run(
        """fn main() {
          pool memory { cap 20; }
          workload { arrive batch(1); session { turn; turn; } }
          server {
            branch (turn_no == 1) {
              hold memory (cost(memory, 8)) { } cache (cost(memory, 8))
            } else {
              hold memory (cost(memory, 8)) { observe mine = cachedin(memory); }
            }
            observe mine = cachedin(memory);
          }
        }"""
    )
    assert seen(report, "mine") == [8, 8, 8]


def test_drop_forgets() -> None:
    report = run(
        """fn main() {
          pool memory { cap 20; }
          workload { arrive batch(1); }
          server {
            hold memory (cost(memory, 8)) { } cache (cost(memory, 8))
            observe mine = cachedin(memory);
            drop memory;
            observe mine = cachedin(memory);
          }
        }"""
    )
    assert seen(report, "mine") == [8, 0]
    assert report.pools[0].evicted_units == 0


def test_each_pool_of_a_hold_has_a_prefix_of_its_own() -> None:
    """`cached` is the longest; one was dropped from the smaller in between."""
    report = run(
        """fn main() {
          pool near { cap 20; }
          pool far { cap 20; }
          workload { arrive batch(1); session { turn; turn; } }
          server {
            hold near (cost(near, 6)), far (cost(far, 9)) { observe hit = cached; }
              cache (cost(near, far, 8))
            observe in_near = cachedin(near);
            observe in_far = cachedin(far);
            drop far;
          }
        }"""
    )
    assert seen(report, "in_near") == [6, 6]
    assert seen(report, "in_far") == [8, 8]
    assert seen(report, "hit") == [0, 6]


EVICTION = """fn main() {{
  pool memory {{ cap 12; {block} evict {rule}; }}
  stage walk : delay;
  workload {{ arrive batch(5); init {{ Size want = {want}; }} }}
  server {{
    branch (serial < 4) {{
      run walk (cost(walk, serial == 3 ? 0.5 : serial));
      hold memory (cost(memory, 3)) {{ }} cache (cost(memory, 3))
      run walk (cost(walk, 5 - now));
      observe left = cachedin(memory);
    }} else {{
      run walk (cost(walk, 4));
      hold memory (cost(memory, want)) {{ run walk (cost(walk, 3)); }}
    }}
  }}
}}"""
"""Sessions 0, 3, 1, 2 leave 3 units each, in that order; then another takes some."""


def left_by_session(report: Report) -> dict[int, float]:
    """What is left of each session's prefix."""
    return {session: value for session, _, value in whose(report, "left")}


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("lru", {0: 0, 1: 3, 2: 3, 3: 3}),
        ("by (last)", {0: 0, 1: 3, 2: 3, 3: 3}),
        ("by (age)", {0: 3, 1: 3, 2: 0, 3: 3}),
        ("by (serial)", {0: 0, 1: 3, 2: 3, 3: 3}),
        ("by (-serial)", {0: 3, 1: 3, 2: 3, 3: 0}),
        ("by (serial == 1 ? 0 : 1, size)", {0: 3, 1: 0, 2: 3, 3: 3}),
        ("by (size)", {0: 0, 1: 3, 2: 3, 3: 3}),
        ("by (serial == 2 ? 0 / 0 : -1)", {0: 3, 1: 3, 2: 0, 3: 3}),
        ("by (serial == 2 ? -inf : -1)", {0: 3, 1: 3, 2: 0, 3: 3}),
    ],
)
def test_who_is_evicted_first(rule: str, left: dict[int, float]) -> None:
    """One of the four must go, entirely: the pool has no blocks."""
    report = run(EVICTION.format(block="", rule=rule, want=2))
    assert left_by_session(report) == left
    (memory,) = report.pools
    assert (memory.evicted_entries, memory.evicted_units) == (1, 3)


def test_blocks_are_evicted_one_by_one() -> None:
    """Four units of blocks of 1: the largest loses one each time, ties by age: 0, 3, 1, 2."""
    report = run(EVICTION.format(block="block 1;", rule="by (-size)", want=5))
    assert left_by_session(report) == {0: 1, 1: 2, 2: 2, 3: 2}
    (memory,) = report.pools
    assert (memory.evicted_entries, memory.evicted_units) == (0, 5)


def test_eviction_goes_from_the_end_of_the_oldest() -> None:
    report = run(EVICTION.format(block="block 1;", rule="lru", want=5))
    assert left_by_session(report) == {0: 0, 1: 3, 2: 3, 3: 1}


@pytest.mark.parametrize(
    ("rule", "left"), [("by (waiting, last)", {0: 3, 1: 0}), ("lru", {0: 0, 1: 3})]
)
def test_those_who_wait_can_be_spared(rule: str, left: dict[int, float]) -> None:
    """The older prefix belongs to a session that waits at the gate when room is needed, at 3."""
    report = run(
        f"""fn main() {{
          pool memory {{ cap 6; evict {rule}; }}
          pool gate {{ cap 1; }}
          stage walk : delay;
          workload {{ arrive batch(3); }}
          server {{
            run walk (cost(walk, serial == 2 ? 3 : serial));
            hold memory (cost(memory, 3)) {{ run walk (cost(walk, serial == 2 ? 9 : 0)); }}
              cache (cost(memory, 3))
            branch (serial < 2) {{
              run walk (cost(walk, serial == 0 ? 2 : 0));
              hold gate (cost(gate, 1)) {{ run walk (cost(walk, 3)); }}
              observe left = cachedin(memory);
            }}
          }}
        }}"""
    )
    assert left_by_session(report) == left


def test_a_prefix_is_ranked_by_its_live_session_and_by_what_an_ended_one_was() -> None:
    """Session 0 ranks itself last of all and ends, as it was 0 at its release; 1 is -1 now."""
    report = run(
        """fn main() {
          pool memory { cap 6; evict by (rank); }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            set rank = serial;
            run walk (cost(walk, serial));
            hold memory (cost(memory, 3)) { } cache (cost(memory, 3))
            set rank = serial == 0 ? -5 : -1;
            branch (serial > 0) { run walk (cost(walk, 5)); observe left = cachedin(memory); }
          }
        }"""
    )
    assert left_by_session(report) == {1: 0, 2: 3}
    assert report.pools[0].evicted_entries == 1


def test_what_is_evicted_can_go_to_a_tier() -> None:
    """Two sessions cache 6 in blocks of 2; a third takes 4 and grows by 4, all of 12.

    The largest goes first, of equals the later session: 1 loses two blocks, then, with 2
    against 6 left, session 0 one; the growth takes session 0 down another and so on.
    """
    report = run(
        """fn main() {
          pool tier { cap 100; }
          stage disk : fifo;
          stage walk : delay;
          pool memory {
            cap 12; block 2; evict by (size, -serial); reserve held;
            spill tier via disk (size / 4) when (size > 1);
          }
          workload { arrive batch(3); }
          server {
            branch (serial < 2) {
              run walk (cost(walk, serial));
              hold memory (cost(memory, 5)) { run walk (cost(walk, 0.5)); } cache (cost(memory, 6))
              run walk (cost(walk, 8 - now));
              observe own = cachedin(memory);
              observe spilled = cachedin(tier);
            } else {
              run walk (cost(walk, 3));
              hold memory (cost(memory, 4)) reserve (cost(memory, 8)) {
                run walk (cost(walk, 1));
                grow memory (cost(memory, 4));
                run walk (cost(walk, 1));
              }
              observe freed = used(memory);
            }
          }
        }"""
    )
    assert whose(report, "own") == [(0, 1, 4), (1, 1, 0)]
    assert whose(report, "spilled") == [(0, 1, 2), (1, 1, 6)]
    memory, disk = report.pools[1], report.stages[0]
    assert (memory.spills, memory.evicted_units, memory.evicted_entries) == (4, 8, 1)
    assert (disk.completed, disk.mean_service) == (4, 0.5)
    assert when(report, "freed") == [(5, 0)]


def test_a_spill_can_be_refused_by_its_test() -> None:
    report = run(
        """fn main() {
          pool tier { }
          stage disk : fifo;
          stage walk : delay;
          pool memory { cap 3; spill tier via disk (1) when (serial == 0); }
          workload { arrive batch(3); }
          server {
            run walk (cost(walk, serial));
            hold memory (cost(memory, 3)) { } cache (cost(memory, 3))
            run walk (cost(walk, 9 - now));
            observe there = cachedin(tier);
          }
        }"""
    )
    assert whose(report, "there") == [(0, 1, 3), (1, 1, 0), (2, 1, 0)]
    assert report.pools[1].spills == 1
    assert report.pools[1].evicted_entries == 2


REST = """fn main() {{
  pool tier {{ cap 100; block 4; }}
  stage disk : delay;
  stage walk : delay;
  pool memory {{ cap 24; block 8; spill tier via disk (1 + {told}) when (1); }}
  workload {{ arrive batch(1); }}
  server {{
    hold memory (cost(memory, 16)) {{ }} cache (cost(memory, 16))
    set mood = 3;
    hold memory (cost(memory, 8)) reuse (cost(memory, 0)) {{ run walk (cost(walk, 1)); }}
      cache (cost(memory, 8))
    set mood = 5;
    run walk (cost(walk, 1));
    hold memory (cost(memory, 24)) {{ }}
    observe own = cachedin(tier);
    hold tier (cost(tier, 80)) {{ }}
  }}
}}"""
"""A prefix of two blocks is not reused: it is left, dead, beside a later one of one block."""


@pytest.mark.parametrize(
    ("told", "mean"),
    [
        # Of the dead blocks what the session was when they died, of its own what it is.
        ("mood", 1 + (3 + 3 + 5) / 3),
        # The session waits while its own prefix makes room for it; a dead one is nobody's.
        ("waiting", 1 + 1 / 3),
        # Two dead blocks go first and stay dead in the tier; its own is counted after.
        ("cachedin(memory)", 1 + 0),
        ("age", 1 + (2 + 2 + 1) / 3),
    ],
)
def test_what_is_left_of_a_prefix_is_nobodys(told: str, mean: float) -> None:
    report = run(REST.format(told=told))
    assert report.stages[0].completed == 3
    assert report.stages[0].mean_service == pytest.approx(mean)
    assert seen(report, "own") == [8]


def test_what_is_spilled_of_a_dead_prefix_is_one_entry_in_the_tier() -> None:
    """80 of 100 are wanted where 16 dead units and 8 own ones are: one block goes, no entry."""
    report = run(REST.format(told="1"))
    tier = report.pools[0]
    assert (tier.evicted_units, tier.evicted_entries) == (4, 0)
