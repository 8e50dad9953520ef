"""What happens at one time happens in one order: each event, then all that follows from it."""

from __future__ import annotations

import pytest
from watching import run, seen, when, whose

from serq_simpy.errors import RunError


def test_an_arrival_schedules_the_next_one_before_its_session_does_anything() -> None:
    report = run(
        """fn main() {
          stage walk : delay;
          workload { arrive renewal(1); init { observe seen = 100 * serial; } }
          server {
            observe seen = 100 * serial + 2;
            run walk (cost(walk, 1));
            observe seen = 100 * serial + 3;
          }
        }""",
        horizon=2,
    )
    assert when(report, "seen") == [(1, 0), (1, 2), (2, 100), (2, 102), (2, 3)]


def test_a_batch_is_there_before_its_first_session_goes_on() -> None:
    report = run(
        """fn main() {
          workload { arrive batch(3); init { observe seen = 10 * serial; } }
          server { observe seen = 10 * serial + 1; }
        }"""
    )
    assert seen(report, "seen") == [0, 10, 20, 1, 11, 21]


def test_work_of_zero_sends_to_the_back_of_the_ready_line() -> None:
    report = run(
        """fn main() {
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            observe seen = 10 * serial;
            run walk (cost(walk, 0));
            observe seen = 10 * serial + 1;
          }
        }"""
    )
    assert seen(report, "seen") == [0, 10, 20, 1, 11, 21]
    assert report.stages[0].completed == 0


@pytest.mark.parametrize("statement", ["set a = 1;", "choose a in 2 by (a);", "drop memory;"])
def test_what_takes_no_time_goes_on_at_once(statement: str) -> None:
    report = run(
        f"""fn main() {{
          pool memory {{ }}
          workload {{ arrive batch(2); }}
          server {{ observe seen = 10 * serial; {statement} observe seen = 10 * serial + 1; }}
        }}"""
    )
    assert seen(report, "seen") == [0, 1, 10, 11]


def test_one_pass_admits_all_that_fit_before_any_of_them_runs() -> None:
    """All three headers are read while nobody is at the stage yet."""
    report = run(
        """fn main() {
          pool memory { }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            hold memory (cost(memory, 1 + 10 * queue(walk))) {
              observe taken = used(memory);
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert seen(report, "taken") == [3, 3, 3]


def test_units_given_back_are_given_out_before_the_next_statement() -> None:
    """Session 1 is admitted, and its header read, before session 0 reaches the stage again."""
    report = run(
        """fn main() {
          pool memory { cap 2; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            branch (serial == 0) {
              hold memory (cost(memory, 2)) { run walk (cost(walk, 1)); }
              run walk (cost(walk, 1));
            } else {
              hold memory (cost(memory, 1 + queue(walk))) { observe taken = used(memory); }
            }
          }
        }"""
    )
    assert when(report, "taken") == [(1, 1)]


@pytest.mark.parametrize(
    ("leaves", "order"),
    [
        ("run walk (cost(walk, 1));", [3, 2, 0]),
        ("drop other;", [3, 2, 0]),
        ("end;", [3, 2, 0]),
        ("hold other (cost(other, 1)) { } end;", [3, 2, 0]),
        # Rejected, which is an end too.
        ("hold other (cost(other, 9 + 0 * serial)) { }", [3, 2, 0]),
    ],
)
def test_who_leaves_lets_others_in_only_as_the_instant_settles(
    leaves: str, order: list[float]
) -> None:
    """Sessions 0, 2 and 3 join a line that the last goes first in; session 1 leaves between."""
    report = run(
        f"""fn main() {{
          pool door {{ cap 1; queue by (-serial); }}
          pool other {{ cap 5; }}
          stage walk : delay;
          workload {{ arrive batch(4); }}
          server {{
            branch (serial == 1) {{ {leaves} }}
            else {{
              hold door (cost(door, 1)) {{ observe came = serial; run walk (cost(walk, 1)); }}
            }}
          }}
        }}"""
    )
    assert seen(report, "came") == order


@pytest.mark.parametrize(
    ("inside", "units", "order"),
    [
        ("", 1, [0, 3, 2]),
        ("", 0, [0, 3, 2]),
        ("release room; run walk (cost(walk, 1));", 1, [0, 3, 2]),
        ("run walk (cost(walk, 1));", 1, [3, 2, 0]),
        ("grow room (cost(room, 1)); run walk (cost(walk, 1));", 1, [3, 2, 0]),
    ],
)
def test_who_releases_lets_others_in_at_once(inside: str, units: int, order: list[float]) -> None:
    """All are in one room; at the end of session 1's stay only session 0 is at the door."""
    report = run(
        f"""fn main() {{
          pool door {{ cap 1; queue by (-serial); }}
          pool room {{ }}
          stage walk : delay;
          workload {{ arrive batch(4); }}
          server {{
            hold room (cost(room, {units})) {{
              branch (serial == 1) {{ {inside} }}
              else {{
              hold door (cost(door, 1)) {{ observe came = serial; run walk (cost(walk, 1)); }}
            }}
            }}
          }}
        }}"""
    )
    assert seen(report, "came") == order


@pytest.mark.parametrize(("first", "second", "held"), [("a", "b", 1), ("b", "a", 2)])
def test_pools_are_passed_over_in_their_order(first: str, second: str, held: float) -> None:
    """A unit of `b` freed at 1 goes to the hold in the line of `a`, or to a growth of `b`."""
    report = run(
        f"""fn main() {{
          pool {first} {{ cap 2; }}
          pool {second} {{ cap 2; }}
          stage walk : delay;
          workload {{ arrive batch(3); }}
          server {{
            branch (serial == 0) {{
              hold b (cost(b, 1)) {{ run walk (cost(walk, 1)); }}
            }} else {{
              branch (serial == 1) {{
                hold b (cost(b, 1)) {{
                  grow b (cost(b, 1));
                  observe won = 2;
                  run walk (cost(walk, 5));
                }}
              }} else {{
                run walk (cost(walk, 0.5));
                hold a (cost(a, 1)), b (cost(b, 1)) {{
                  observe won = 1;
                  run walk (cost(walk, 5));
                }}
              }}
            }}
          }}
        }}"""
    )
    assert when(report, "won")[0] == (1, held)


def test_two_ends_at_one_time_are_two_events() -> None:
    report = run(
        """fn main() {
          stage desks : fifo(2);
          workload { arrive batch(2); }
          server { run desks (cost(desks, 1)); observe left = queue(desks); }
        }"""
    )
    assert when(report, "left") == [(1, 1), (1, 0)]


def test_a_session_that_ends_is_replaced_at_once() -> None:
    """The newcomer's `init` runs at once, its statements after those who are ready already."""
    report = run(
        """fn main() {
          stage walk : delay;
          workload { arrive closed(2); init { observe seen = 100 * serial; } }
          server {
            observe seen = 100 * serial + 2;
            run walk (cost(walk, 1));
            observe seen = 100 * serial + 3;
          }
        }""",
        horizon=1,
    )
    assert [value for time, value in when(report, "seen") if time == 0] == [0, 100, 2, 102]
    assert [value for time, value in when(report, "seen") if time == 1] == [
        *(3, 200, 202),
        *(103, 300, 302),
    ]


def test_what_happens_at_the_horizon_happens() -> None:
    report = run(
        """fn main() {
          stage walk : delay;
          workload { arrive renewal(2); }
          server { run walk (cost(walk, 2)); observe done = now; }
        }""",
        horizon=4,
    )
    assert report.arrivals == 2
    assert whose(report, "done") == [(0, 1, 4)]


def test_an_end_of_the_warm_up_is_the_first_event_of_its_instant() -> None:
    report = run(
        """fn main() {
          stage walk : delay;
          workload { arrive batch(3); }
          server { run walk (cost(walk, 1 + serial)); observe done = now; }
        }""",
        horizon=10,
        warmup=2,
    )
    assert seen(report, "done") == [2, 3]
    assert (report.arrivals, report.ended, report.turns) == (3, 2, 0)


def test_an_instant_that_does_not_settle_ends_the_run() -> None:
    with pytest.raises(RunError, match="does not settle"):
        run(
            """fn main() {
              stage walk : delay;
              workload { arrive batch(1); }
              server { loop { run walk (cost(walk, serial)); } }
            }"""
        )


def test_a_thousand_times_ready_is_allowed() -> None:
    """The arrival is one of them, each run of zero work another."""
    program = """fn main() {
      stage walk : delay;
      workload { arrive batch(1); }
      server {
        set rounds = 0;
        while (rounds < LAPS) { set rounds = rounds + 1; run walk (cost(walk, serial)); }
        observe went = rounds;
      }
    }"""
    assert seen(run(program.replace("LAPS", "999")), "went") == [999]
    with pytest.raises(RunError, match="does not settle"):
        run(program.replace("LAPS", "1000"))


def test_a_gauge_has_the_value_after_its_instant() -> None:
    report = run(
        """fn main() {
          stage desk : fifo;
          workload { arrive batch(3); }
          server { run desk (cost(desk, serial)); run desk (cost(desk, 1)); }
          gauge crowd = queue(desk);
        }"""
    )
    gauge = report.gauges["crowd"]
    assert (gauge.times, gauge.values) == ([0, 4, 5, 6], [3, 2, 1, 0])
