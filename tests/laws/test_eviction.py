"""What eviction keys and spills read: programs whose runs went wrong once.

The numbers are the reference implementation's.
"""

from __future__ import annotations

import pytest

import serq_simpy


def spilling(stay: int, work: str, when: str = "1") -> list[tuple[float, float]]:
    """The jobs that write three evicted blocks, over time; session 0 stays after its hold."""
    source = f"""
fn main() {{
  pool p {{ cap 4; block 1; spill tier via disk ({work}) when ({when}); }}
  pool tier {{ }}
  stage disk : delay;
  stage s : delay;
  workload {{ arrive batch(2); }}
  server {{
    run s (cost(s, serial));
    hold p (cost(p, 3 + serial)) {{ }} cache (cost(p, 3))
    run s (cost(s, {stay}));
  }}
  gauge writes = queue(disk);
}}"""
    gauge = serq_simpy.run(serq_simpy.compile(source=source, horizon=40)).gauges["writes"]
    return list(zip(gauge.times, gauge.values, strict=True))


@pytest.mark.parametrize("pool", ["p", "tier"])
def test_a_session_that_has_ended_has_no_prefix_of_its_own(pool: str) -> None:
    assert spilling(0, f"5 + cachedin({pool})") == [(0, 0), (1, 3), (6, 0)]


def test_what_is_evicted_has_left_the_pool_and_is_not_yet_in_the_tier() -> None:
    leaving = [(0, 0), (1, 3), (6, 2), (7, 1), (8, 0)]
    assert spilling(20, "5 + cachedin(p)") == leaving
    assert spilling(20, "5 + cachedin(tier)") == leaving


def test_a_condition_reads_the_prefix_of_a_living_session_alone() -> None:
    assert spilling(0, "5", "cachedin(p) > 1") == [(0, 0)]
    assert spilling(20, "5", "cachedin(p) > 1") == [(0, 0), (1, 1), (6, 0)]


@pytest.mark.parametrize(("stay", "evicted"), [(0, 2.1), (20, 2.3)])
def test_a_key_reads_the_prefixes_of_living_sessions_alone(stay: int, evicted: float) -> None:
    """The entries of sessions 0, 1, 2 have 1, 1.1, 1.2 units; the most in `o` goes first."""
    source = f"""
fn main() {{
  pool p {{ cap 6; evict by (-cachedin(o)); }}
  pool o {{ }}
  stage s : delay;
  workload {{ arrive batch(4); }}
  server {{
    run s (cost(s, serial));
    hold o (cost(o, 1 + serial)) {{ }} cache (cost(o, 1 + serial))
    hold p (cost(p, serial == 3 ? 4 : 1 + serial / 10)) {{ }} cache (cost(p, 3))
    run s (cost(s, {stay}));
  }}
}}"""
    pool = serq_simpy.run(serq_simpy.compile(source=source, horizon=40)).pools[0]
    assert pool.evicted_units == pytest.approx(evicted, rel=1e-12)
