"""Memory: what fits, who waits, who goes first, what is rejected."""

from __future__ import annotations

import pytest
from watching import run, seen, when, whose

from serq_simpy.errors import LinkError, RunError

LINE = """fn main() {{
  pool memory {{ cap 1; {options} }}
  stage walk : delay;
  workload {{ arrive batch(4); init {{ Size urgency = {urgency}; }} }}
  server {{
    run walk (cost(walk, 0.1 * serial));
    hold memory (cost(memory, 1)) {{ run walk (cost(walk, 1)); }}
    observe gone = now;
  }}
}}"""


def order(options: str, urgency: str = "serial") -> list[int]:
    """The order in which four sessions, who came one after the other, leave."""
    report = run(LINE.format(options=options, urgency=urgency))
    return [session for session, _, _ in whose(report, "gone")]


@pytest.mark.parametrize(
    ("options", "urgency", "left"),
    [
        ("", "serial", [0, 1, 2, 3]),
        ("queue fifo;", "serial", [0, 1, 2, 3]),
        ("queue by (-urgency);", "serial", [0, 3, 2, 1]),
        ("queue by (urgency == 2 ? 0 : 1, -serial);", "serial", [0, 2, 3, 1]),
        ("queue by (urgency);", "7", [0, 1, 2, 3]),
        ("queue by (waited);", "0", [0, 3, 2, 1]),
        ("queue by (-waited);", "0", [0, 1, 2, 3]),
        # A NaN that an operation made has the sign bit and stands before all; its negative last.
        ("queue by (urgency == 3 ? 0 / 0 : urgency);", "serial", [0, 3, 1, 2]),
        ("queue by (urgency == 1 ? -(0 / 0) : urgency);", "serial", [0, 2, 3, 1]),
        ("queue by (urgency == 2 ? -inf : urgency);", "serial", [0, 2, 1, 3]),
        ("queue by (urgency == 3 ? -0 : 0);", "serial", [0, 3, 1, 2]),
        ("queue fifo; queue by (-urgency);", "serial", [0, 3, 2, 1]),
    ],
)
def test_who_goes_first(options: str, urgency: str, left: list[int]) -> None:
    assert order(options, urgency) == left


def test_keys_are_read_anew_at_every_selection() -> None:
    """From 1.5 on the greatest number goes first."""
    assert order("queue by (now < 1.5 ? serial : -serial);") == [0, 1, 3, 2]


def test_the_first_in_line_blocks_the_others() -> None:
    """The second wants all; the third, for whom there is room, waits behind it."""
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            run walk (cost(walk, serial / 10));
            hold memory (cost(memory, serial == 1 ? 4 : 1)) {
              observe came_in = now;
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert whose(report, "came_in") == [(0, 1, 0), (1, 1, 1), (2, 1, 2)]
    assert report.pools[0].mean_wait == pytest.approx((0 + 0.9 + 1.8) / 3)


def test_blocks_round_requests_up_and_the_cap_not() -> None:
    """Of 10 units in blocks of 4 two blocks can be had: three sessions of 3 units wait."""
    report = run(
        """fn main() {
          pool memory { cap 10; block 4; }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            hold memory (cost(memory, 3)) {
              observe taken = used(memory);
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert when(report, "taken") == [(0, 8), (0, 8), (1, 8)]


def test_growth_is_rounded_by_itself() -> None:
    report = run(
        """fn main() {
          pool memory { block 4; }
          workload { arrive batch(1); }
          server {
            hold memory (cost(memory, 5)) {
              observe taken = used(memory);
              grow memory (cost(memory, 1));
              observe taken = used(memory);
              grow memory (cost(memory, 0));
              observe taken = used(memory);
            }
            observe taken = used(memory);
          }
        }"""
    )
    assert seen(report, "taken") == [8, 12, 12, 0]


def test_no_units_are_a_holder_too() -> None:
    report = run(
        """fn main() {
          pool memory { cap 0; }
          workload { arrive batch(1); }
          server { hold memory (cost(memory, 0)) { observe here = holders(memory); } }
        }"""
    )
    assert seen(report, "here") == [1]


@pytest.mark.parametrize(("units", "rejected"), [("4", 0), ("4 + 1e-12", 1), ("5", 1)])
def test_rejection_has_no_tolerance(units: str, rejected: int) -> None:
    report = run(
        f"""fn main() {{
          pool memory {{ cap 4; }}
          workload {{ arrive batch(1); init {{ Size units = {units}; }} session {{ turn; turn; }} }}
          server {{
            hold memory (cost(memory, units)) {{ }}
            observe through = now;
          }}
        }}"""
    )
    assert report.pools[0].rejected == rejected
    assert report.observes["through"].count == 2 - 2 * rejected
    assert report.ended == 1
    assert report.turns == 2 - rejected


def test_a_fit_has_a_tolerance() -> None:
    """Ten tenths and one more that is a tenth below the tolerance."""
    report = run(
        """fn main() {
          pool memory { cap 1; }
          stage walk : delay;
          workload { arrive batch(11); }
          server {
            hold memory (cost(memory, serial < 10 ? 0.1 : 1e-10)) {
              observe came = now;
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert seen(report, "came") == [0] * 11


def test_a_reservation_rejects_what_will_not_fit() -> None:
    report = run(
        """fn main() {
          pool memory { cap 4; }
          workload { arrive batch(1); init { Size most = 6; } }
          server { hold memory (cost(memory, 1)) reserve (cost(memory, most)) { } }
        }"""
    )
    assert report.pools[0].rejected == 1


def test_a_hold_that_never_fits_is_refused() -> None:
    with pytest.raises(LinkError, match=r"9 units \(12 in blocks of 4\), more than its cap 10"):
        run(
            """fn main() {
              pool memory { cap 10; block 4; }
              workload { arrive batch(1); }
              server { hold memory (cost(memory, 9)) { } }
            }"""
        )


@pytest.mark.parametrize(("option", "admitted_at"), [("", 0), ("reserve held;", 2)])
def test_room_reserved_may_be_kept_free(option: str, admitted_at: float) -> None:
    """The first holds 2 of 6 units and may want 5: the second's 2 fit only if that is ignored."""
    report = run(
        f"""fn main() {{
          pool memory {{ cap 6; {option} }}
          stage walk : delay;
          workload {{ arrive batch(2); }}
          server {{
            hold memory (cost(memory, 2)) reserve (cost(memory, serial == 0 ? 5 : 2)) {{
              observe came = now;
              run walk (cost(walk, 2));
            }}
          }}
        }}"""
    )
    assert seen(report, "came") == [0, admitted_at]


def test_a_hold_of_two_pools_takes_both_or_neither() -> None:
    report = run(
        """fn main() {
          pool slots { cap 2; }
          pool memory { cap 10; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold slots (cost(slots, 1)), memory (cost(memory, 6)) {
              observe busy_slots = used(slots);
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert when(report, "busy_slots") == [(0, 1), (1, 1)]
    assert [pool.admissions for pool in report.pools] == [2, 2]
    assert report.pools[0].mean_queue == 0.01
    assert report.pools[1].mean_queue == 0


def test_a_growth_that_does_not_fit_waits_and_blocks_later_ones() -> None:
    """At 1 two units come back: the first growth, of 2, has them before the second, of 1."""
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            hold memory (cost(memory, serial == 0 ? 2 : 1)) {
              run walk (cost(walk, serial == 0 ? 1 : serial / 10));
              branch (serial > 0) {
                grow memory (cost(memory, 3 - serial));
                observe grown = now;
                run walk (cost(walk, 1));
              }
            }
          }
        }"""
    )
    assert whose(report, "grown") == [(1, 1, 1), (2, 1, 2)]


def test_growths_that_wait_for_each_other_are_told() -> None:
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, 2)) {
              run walk (cost(walk, 1));
              grow memory (cost(memory, 1));
            }
          }
        }""",
        horizon=10,
    )
    (memory,) = report.pools
    assert (memory.growing_at_end, memory.growing_stalled) == (2, True)
    assert report.ended == 0


def test_a_hold_inside_a_hold_of_the_same_pool() -> None:
    """`release` gives back the innermost; at the session's end nothing is left."""
    report = run(
        """fn main() {
          pool memory { }
          workload { arrive batch(1); }
          server {
            hold memory (cost(memory, 5)) {
              hold memory (cost(memory, 2)) {
                observe taken = used(memory);
                release memory;
                observe taken = used(memory);
              }
              observe taken = used(memory);
            }
            observe taken = used(memory);
          }
        }"""
    )
    assert seen(report, "taken") == [7, 5, 5, 0]


def test_a_session_that_ends_inside_a_hold_gives_everything_back() -> None:
    report = run(
        """fn main() {
          pool memory { cap 3; }
          workload {
            arrive batch(2);
            session { hold memory (cost(memory, 3)) { turn; end; } }
          }
          server { observe came = serial; observe taken = used(memory); }
        }"""
    )
    assert seen(report, "came") == [0, 1]
    assert seen(report, "taken") == [3, 3]
    assert report.ended == 2


def test_growing_after_the_release_is_an_error_of_the_run() -> None:
    with pytest.raises(RunError, match="grow outside a hold of pool `memory`"):
        run(
            """fn main() {
              pool memory { }
              workload { arrive batch(1); }
              server {
                hold memory (cost(memory, 1)) { release memory; grow memory (cost(memory, 1)); }
              }
            }"""
        )


def test_units_are_read_when_the_hold_is_tried() -> None:
    """The second wants what is free: nothing when it joins, all 4 when the first leaves."""
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, room)) at admission (room = serial == 0 ? 4 : free(memory)) {
              observe taken = used(memory);
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    # With nothing free the second asks for nothing, and comes in at once.
    assert when(report, "taken") == [(0, 4), (0, 4)]


def test_a_header_sees_the_state_at_its_admission() -> None:
    report = run(
        """fn main() {
          pool memory { cap 4; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            run walk (cost(walk, serial));
            hold memory (cost(memory, 4 - queue(walk))) {
              observe taken = used(memory);
              branch (serial == 1) { run walk (cost(walk, 1)); } else { run walk (cost(walk, 3)); }
            }
          }
        }"""
    )
    # At 0 the second is at the stage, so the first takes 3; at 1 the first is: the second
    # wants 3 as well, and gets all 4 when the first is gone.
    assert when(report, "taken") == [(0, 3), (3, 4)]


def test_members_of_a_family_have_lines_of_their_own() -> None:
    report = run(
        """fn main() {
          pool memory[2] { cap 1; }
          stage walk : delay;
          workload { arrive batch(4); }
          server {
            hold memory[serial < 3 ? 0 : 1] (cost(memory, 1)) { run walk (cost(walk, 1)); }
            observe gone = now;
          }
        }"""
    )
    assert whose(report, "gone") == [(0, 1, 1), (3, 1, 1), (1, 1, 2), (2, 1, 3)]
    assert [(pool.index, pool.admissions) for pool in report.pools] == [(0, 3), (1, 1)]


def test_an_index_is_read_when_the_hold_joins() -> None:
    """Both join `memory[0]`, the emptier when each came; the second stays though it waits."""
    report = run(
        """fn main() {
          pool memory[2] { cap 1; }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            hold memory[used(memory[0])] (cost(memory, 1)) {
              observe here = used(memory[1]);
              run walk (cost(walk, 1));
            }
          }
        }"""
    )
    assert when(report, "here") == [(0, 0), (1, 0), (2, 0)]


@pytest.mark.parametrize("index", ["2", "-1", "0.5", "0 / 0"])
def test_an_index_names_a_member(index: str) -> None:
    with pytest.raises(RunError, match="a member of an array of 2 is 0 to 1"):
        run(
            f"""fn main() {{
              pool memory[2] {{ }}
              workload {{ arrive batch(1); init {{ Size k = {index}; }} }}
              server {{ hold memory[k] (cost(memory, 1)) {{ }} }}
            }}"""
        )


def test_what_the_report_says_of_pools() -> None:
    """Sessions hold 3 of 4 units in [0, 2] and [2, 4]; 2 of a cached 3 are evicted."""
    report = run(
        """fn main() {
          pool memory { cap 4; block 1; }
          stage walk : delay;
          workload { arrive batch(2); }
          server {
            hold memory (cost(memory, 3)) { run walk (cost(walk, 2)); } cache (cost(memory, 3))
          }
        }""",
        horizon=10,
    )
    (memory,) = report.pools
    assert (memory.admissions, memory.evicted_units, memory.evicted_entries) == (2, 2, 0)
    assert memory.mean_used == 1.2
    assert memory.mean_cached == pytest.approx((2 * 1 + 6 * 4) / 10)
    assert memory.mean_queue == 0.2
    assert memory.mean_holders == 0.4
    assert memory.mean_wait == 1
    assert memory.over_cap is None


def test_what_waits_for_more_than_there_will_ever_be() -> None:
    """Units that read the state are not rejected; the report says who waits for what."""
    report = run(
        """fn main() {
          pool memory { cap 4; }
          workload { arrive batch(1); }
          server { hold memory (cost(memory, 6 + used(memory))) { } }
        }"""
    )
    (memory,) = report.pools
    assert memory.rejected == 0
    assert memory.over_cap == ("memory", 6)
