"""Stages: who is served when, and at which rate."""

from __future__ import annotations

from math import isnan

import pytest
from watching import run, seen, when, whose


def visits(kind: str, *, starts: str = "0", works: str, count: int) -> list[tuple[int, float]]:
    """Serial and time of each end, of jobs that come at `starts` with `works`."""
    report = run(
        f"""fn main() {{
          stage desk : {kind};
          stage before : delay;
          workload {{ arrive batch({count}); }}
          server {{
            run before (cost(before, {starts}));
            run desk (cost(desk, {works}));
            observe end = now;
          }}
        }}"""
    )
    return [(session, value) for session, _, value in whose(report, "end")]


def test_one_server_serves_in_order_of_arrival() -> None:
    ends = visits("fifo", starts="serial", works="4 - serial", count=3)
    assert ends == [(0, 4), (1, 7), (2, 9)]


def test_two_servers() -> None:
    """Jobs of 5, 1, 2, 1: the third begins at 1, the fourth at 3."""
    works = "serial == 0 ? 5 : serial == 2 ? 2 : 1"
    assert visits("fifo(2)", works=works, count=4) == [(1, 1), (2, 3), (3, 4), (0, 5)]


def test_shared_equally() -> None:
    """Jobs of 1, 2, 3 from 0: thirds until 3, halves until 5, alone until 6."""
    assert visits("ps(1)", works="1 + serial", count=3) == [(0, 3), (1, 5), (2, 6)]


def test_shared_with_one_who_comes_later() -> None:
    """A job of 3 alone until 1 and then with a job of 1 at half speed, which ends at 3."""
    ends = visits("ps(1)", starts="serial", works="3 - 2 * serial", count=2)
    assert ends == [(1, 3), (0, 4)]


def test_a_capacity_that_grows_with_those_present_up_to_two() -> None:
    """Three jobs of 2: two thirds of a unit each a time until they end together at 3."""
    ends = visits("ps(min(2, present))", works="2", count=3)
    assert [session for session, _ in ends] == [0, 1, 2]
    assert [end for _, end in ends] == pytest.approx([3, 3, 3])


def test_equal_jobs_end_in_the_order_they_began() -> None:
    assert visits("ps(2)", works="1", count=3) == [(0, 1.5), (1, 1.5), (2, 1.5)]


def test_a_capacity_is_read_only_when_its_jobs_change() -> None:
    """The pool fills at 1, which slows the stage only from the next change, at 2."""
    report = run(
        """fn main() {
          pool memory { cap 1; }
          stage line : ps(used(memory) > 0 ? 0.5 : 1);
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            branch (serial == 0) { run line (cost(line, 3)); observe end = now; }
            else {
              branch (serial == 1) {
                run walk (cost(walk, 1));
                hold memory (cost(memory, 1)) { run walk (cost(walk, 50)); }
              } else {
                run walk (cost(walk, 2));
                run line (cost(line, 0.25));
                observe end = now;
              }
            }
          }
        }"""
    )
    # From 2 on both share a capacity of a half: a quarter each, so the newcomer is done at
    # 3, when the first has 0.75 left, at a half.
    assert when(report, "end") == [(3, 3), (4.5, 4.5)]


@pytest.mark.parametrize("capacity", ["0", "-1", "0 / 0"])
def test_jobs_stand_still_without_a_capacity(capacity: str) -> None:
    assert visits(f"ps({capacity} * present)", works="1", count=2) == []


def test_jobs_end_at_once_at_an_infinite_capacity() -> None:
    assert visits("ps(inf)", works="5", count=2) == [(0, 0), (1, 0)]


def test_a_delay_serves_everyone_at_once() -> None:
    assert visits("delay", works="3 - serial", count=3) == [(2, 1), (1, 2), (0, 3)]


def test_the_least_work_takes_its_time() -> None:
    assert visits("fifo", works="1e-15", count=2) == [(0, 1e-15), (1, 2e-15)]


def test_work_without_end_leaves_the_others_waiting() -> None:
    assert visits("fifo", works="serial == 1 ? inf : 1", count=3) == [(0, 1)]


def test_members_of_a_family_are_stages_of_their_own() -> None:
    report = run(
        """fn main() {
          stage desk[2] : fifo;
          workload { arrive batch(4); }
          server { run desk[serial < 3 ? 0 : 1] (cost(desk, 2)); observe end = now; }
        }""",
        horizon=8,
    )
    assert whose(report, "end") == [(0, 1, 2), (3, 1, 2), (1, 1, 4), (2, 1, 6)]
    rows = [(stage.name, stage.index, stage.completed) for stage in report.stages]
    assert rows == [("desk", 0, 3), ("desk", 1, 1)]
    assert [stage.utilization for stage in report.stages] == [6 / 8, 2 / 8]


def test_a_tool_is_a_stage_of_its_own() -> None:
    """`tool` in the workload without a stage of that name makes a delay, last in the report."""
    report = run(
        """fn main() {
          stage desk : fifo;
          workload { arrive batch(2); session { turn; tool 1 + 2; turn; } }
          server { run desk (cost(desk, 1)); observe end = now; }
        }""",
        horizon=10,
    )
    assert seen(report, "end") == [1, 2, 5, 6]
    assert [stage.name for stage in report.stages] == ["desk", "tool"]
    assert report.stages[1].mean_service == 3


def test_a_transfer_moves_an_allocation() -> None:
    """The link carries 4 in 2; then the destination is loaded and the source let go."""
    report = run(
        """fn main() {
          pool from_here { }
          pool to_there { }
          stage link : ps(2);
          workload { arrive batch(1); }
          server {
            hold from_here (cost(from_here, 4)) { } lease from_here (inf)
            hold to_there (cost(to_there, 4)) {
              transfer (4) from from_here to to_there (4);
              observe left = used(from_here);
              observe end = now;
            }
          }
        }"""
    )
    assert seen(report, "left") == [0]
    assert seen(report, "end") == [2]


def test_what_the_report_says_of_stages() -> None:
    """Jobs of 2 at 0 and 1 at one server, until 5: waits 0 and 1, busy 4 of 5."""
    report = run(
        """fn main() {
          stage desk : fifo;
          stage unused : ps(1);
          workload { arrive batch(2); }
          server { run desk (cost(desk, 2)); }
        }""",
        horizon=5,
    )
    desk, unused = report.stages
    assert (desk.completed, desk.throughput) == (2, 0.4)
    assert (desk.mean_wait, desk.mean_service) == (1, 2)
    assert (desk.mean_number, desk.utilization) == (6 / 5, 4 / 5)
    assert (unused.completed, unused.throughput, unused.mean_number) == (0, 0, 0)
    assert isnan(unused.mean_wait)
