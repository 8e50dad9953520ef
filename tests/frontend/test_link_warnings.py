"""What links and is of no use is told on the side."""

from __future__ import annotations

import pytest
from linking import at, link, server


@pytest.mark.parametrize(
    ("workload", "what"),
    [
        ("arrive batch(1);\narrive batch(2);", "this `arrive` replaces the one on line 6"),
        ("init { }\ninit { set a = 1; }", "this `init` replaces the one on line 6"),
        ("turn { }\nturn { }", "this `turn` replaces the one on line 6"),
        ('trace "a" ordered;\ntrace "b";', "this `trace` replaces the one on line 6"),
    ],
)
def test_parts_of_a_workload_that_replace_others(workload: str, what: str) -> None:
    (warning,) = link(server("", workload=workload)).warnings
    assert warning.message == what
    assert at(warning) == (7, 1)


def test_the_later_part_counts() -> None:
    text = server("", workload='arrive batch(1); arrive batch(2); trace "a" ordered; trace "b";')
    program = link(text).program
    assert program.arrival.size == 2  # type: ignore[union-attr]
    assert (program.trace, program.trace_ordered) == ("b", False)


def test_pool_options_that_replace_others() -> None:
    linked = link(server("", "pool w { cap 1; cap 2; evict lru; evict by (size); }"))
    assert [w.message for w in linked.warnings] == [
        "pool `w`: this `cap` replaces the one on line 5",
        "pool `w`: this `evict` replaces the one on line 5",
    ]
    assert linked.program.pools[3].cap == 2.0
    assert linked.program.pools[3].evict is not None


def test_a_program_without_oddities_warns_of_nothing() -> None:
    assert link(server("run s (cost(s, 1));")).warnings == ()


def test_a_trace_from_outside_takes_the_place_of_the_program_s() -> None:
    ordered = link(server("", workload='trace "a" ordered;'), trace="z").program
    assert (ordered.trace, ordered.trace_ordered) == ("z", True)
    added = link(server(""), trace="z").program
    assert (added.trace, added.trace_ordered) == ("z", False)
