"""Holds, leases and headers where it is easy to be wrong."""

from __future__ import annotations

import pytest
from watching import run, seen, when

from serq_simpy.errors import LinkError, RunError

ONE = """fn main() {{
  pool memory {{ cap 20; }}
  pool gate {{ cap 5; }}
  stage walk : delay;
  workload {{ arrive batch(1); session {{ turn; turn; }} }}
  server {{ {statements} }}
}}"""


def linked(statements: str) -> None:
    run(ONE.format(statements=statements))


@pytest.mark.parametrize(
    "statements",
    [
        "set free_now = free(memory); hold memory (cost(memory, free_now)) { }",
        "set n = queue(walk); hold memory (cost(memory, n)) { }",
        "branch (serial) { set n = used(memory); hold memory (cost(memory, n)) { } }",
        "set n = cachedin(memory); hold memory (cost(memory, 1)) reserve (cost(memory, n)) { }",
        "set n = used(gate); hold memory (cost(memory, m)) at admission (m = n) { }",
    ],
)
def test_a_header_may_not_read_what_may_be_out_of_date(statements: str) -> None:
    with pytest.raises(LinkError, match="at admission"):
        linked(statements)


@pytest.mark.parametrize(
    "statements",
    [
        # Through another attribute, and the clock, are not seen.
        "set u = used(memory); set v = u + 1; hold memory (cost(memory, v)) { }",
        "set n = now; hold memory (cost(memory, n)) { }",
        # A later set in the same block clears it.
        "set n = free(memory); set n = 2; hold memory (cost(memory, n)) { }",
        # What a block marks it forgets at its end.
        "set n = 1; branch (serial) { set n = free(memory); } hold memory (cost(memory, n)) { }",
        # An index and a lease's time may.
        "set t = used(memory); hold memory (cost(memory, 1)) { } lease memory (t)",
        "hold memory (cost(memory, n)) at admission (n = free(memory)) { }",
    ],
)
def test_a_header_that_reads_the_state_in_time(statements: str) -> None:
    linked(statements)


@pytest.mark.parametrize(
    "statements",
    [
        "hold memory (cost(memory, 1)) { observe hit = cached; }",
        "hold memory (cost(memory, 1)) { set cached = 3; observe hit = cached; }",
        "hold memory (cost(memory, 1)) reuse (cost(memory, 1)) { }",
        "hold memory (cost(memory, 1)) {"
        " hold gate (cost(gate, 1)) { } cache (cost(gate, 1)) observe hit = cached; }"
        " cache (cost(memory, 1))",
    ],
)
def test_the_prefix_found_is_read_only_where_one_can_be(statements: str) -> None:
    with pytest.raises(LinkError, match="cache"):
        linked(statements)


def test_the_prefix_found_may_be_read_in_a_header() -> None:
    """A first hold finds 3 of the turn before; the second's header reads it."""
    report = run(
        ONE.format(
            statements="""
            hold memory (cost(memory, 3)) { } cache (cost(memory, 3))
            hold gate (cost(gate, 1 + cached)) { observe taken = used(gate); }
            """
        )
    )
    assert seen(report, "taken") == [1, 4]


@pytest.mark.parametrize(
    ("clause", "fails"),
    [
        ("(cost(memory, 0 - 1 - serial))", True),
        ("(cost(memory, 0 / serial))", True),
        ("(cost(memory, 1)) reserve (cost(memory, -1))", True),
        ("(cost(memory, 1)) reserve (cost(memory, 0 / 0))", True),
        ("(cost(memory, 1)) reserve (cost(memory, 0))", False),
    ],
)
def test_amounts_are_amounts(clause: str, fails: bool) -> None:
    statements = f"hold memory {clause} {{ }} cache (cost(memory, -1)) lease memory (-1)"
    if fails:
        with pytest.raises(RunError, match="the amount is"):
            linked(statements)
    else:
        linked(statements)


@pytest.mark.parametrize("units", ["-1", "0 / 0"])
def test_a_constant_that_is_no_amount_does_not_link(units: str) -> None:
    with pytest.raises(LinkError):
        linked(f"hold memory (cost(memory, {units})) {{ }}")


def test_a_second_release_inside_a_hold_ends_the_lease() -> None:
    report = run(
        ONE.format(
            statements="""
            hold memory (cost(memory, 3)) { } lease memory (inf)
            hold memory (cost(memory, 2)) {
              observe taken = used(memory);
              release memory;
              observe taken = used(memory);
              release memory;
              observe taken = used(memory);
              release memory;
              observe taken = used(memory);
            }
            observe taken = used(memory);
            """
        ).replace("session { turn; turn; }", "")
    )
    assert seen(report, "taken") == [5, 3, 0, 0, 0]


def test_a_transfer_from_a_lease_that_has_ended_goes_on() -> None:
    report = run(
        """fn main() {
          pool near { }
          pool far { }
          stage link : ps(1);
          workload { arrive batch(1); }
          server {
            hold near (cost(near, 3)) { } lease near (1)
            hold far (cost(far, 3)) {
              transfer (3) from near to far (3);
              observe there = used(near);
            } cache (cost(far, 9))
            observe kept = cachedin(far);
          }
        }"""
    )
    assert when(report, "there") == [(3, 0)]
    assert seen(report, "kept") == [3]


def test_holds_inside_one_another_may_bind_the_same_name() -> None:
    """The inner binding is what the rest of the outer body reads."""
    report = run(
        ONE.format(
            statements="""
            hold memory (cost(memory, u)) at admission (u = 2) {
              observe bound = u;
              hold gate (cost(gate, u)) at admission (u = 3) { observe bound = u; }
              observe bound = u;
            }
            """
        ).replace("session { turn; turn; }", "")
    )
    assert seen(report, "bound") == [2, 3, 3]


def test_a_load_fits_what_is_allocated() -> None:
    with pytest.raises(RunError, match="a load must fit the allocation"):
        linked("hold memory (cost(memory, 2)) { load memory (cost(memory, 2 + serial + 1)); }")


def test_a_prefix_longer_than_the_hold_is_consumed_whole() -> None:
    """5 cached units are found by a hold of 2; what is not allocated is gone."""
    report = run(
        ONE.format(
            statements="""
            hold memory (cost(memory, turn_no == 1 ? 5 : 2)) { observe found = cached; }
              cache (cost(memory, 9))
            observe kept = cachedin(memory);
            """
        )
    )
    assert seen(report, "found") == [0, 5]
    assert seen(report, "kept") == [5, 2]


def test_two_indices_may_not_name_one_member() -> None:
    with pytest.raises(RunError, match="name the same member"):
        run(
            """fn main() {
              pool memory[2] { }
              workload { arrive batch(1); init { Size i = 1; Size j = 1; } }
              server { hold memory[i] (cost(memory, 1)), memory[j] (cost(memory, 1)) { } }
            }"""
        )


def test_a_body_may_not_move_its_own_index() -> None:
    with pytest.raises(LinkError):
        run(
            """fn main() {
              pool memory[2] { }
              workload { arrive batch(1); }
              server { hold memory[k] (cost(memory, 1)) { set k = 1; release memory[k]; } }
            }"""
        )


def test_a_reference_is_the_holds_own() -> None:
    """`memory[k + 0]` may be the same member, but is not the same reference."""
    with pytest.raises(LinkError):
        run(
            """fn main() {
              pool memory[2] { }
              workload { arrive batch(1); }
              server { hold memory[k] (cost(memory, 1)) { release memory[k + 0]; } }
            }"""
        )


def test_a_constant_index_is_folded() -> None:
    report = run(
        """fn main() {
          let k = 0;
          pool memory[2] { }
          workload { arrive batch(1); }
          server {
            hold memory[k] (cost(memory, 1)) { release memory[0]; observe taken = used(memory[k]); }
          }
        }"""
    )
    assert seen(report, "taken") == [0]


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("run walk (cost(walk, 1));", True),
        ("run walk (cost(walk, 1 - 1));", False),
        ("set n = n + 1;", False),
        ("branch (serial) { run walk (cost(walk, 1)); }", False),
        ("branch (serial) { run walk (cost(walk, 1)); } else { end; }", True),
        ("while (n < 2) { run walk (cost(walk, 1)); set n = n + 1; }", False),
        ("loop { run walk (cost(walk, 1)); }", True),
        ("hold gate (cost(gate, 1)) { run walk (cost(walk, 1)); }", True),
        ("hold gate (cost(gate, 1)) { }", False),
        ("run walk (cost(walk, serial));", True),
    ],
)
def test_a_loop_lets_time_pass(body: str, links: bool) -> None:
    program = ONE.format(statements=f"set n = 0; while (n > 5) {{ {body} }}")
    if links:
        run(program, horizon=3)
    else:
        with pytest.raises(LinkError, match="must let time pass"):
            run(program, horizon=3)
