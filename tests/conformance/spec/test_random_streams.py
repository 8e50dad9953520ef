"""Draws come from streams that are defined to the bit: a seed is a run, everywhere."""

from __future__ import annotations

from math import log, sqrt

import pytest
from watching import run, seen, when

FIRST, SECOND, THIRD = 0.1768854767901723, 2.5724002779949062, 2.3901532784440644
"""The first exponentials of mean 1 that session 0 draws in its statements on seed 1."""


def drawn(text: str, **settings: float) -> list[float]:
    report = run(f"fn main() {{ workload {{ arrive batch(1); }} server {{ {text} }} }}", **settings)
    return seen(report, "v")


def test_exponentials() -> None:
    assert drawn("observe v = ~exp(1); observe v = ~exp(1); observe v = ~exp(1);") == [
        FIRST,
        SECOND,
        THIRD,
    ]
    assert drawn("observe v = ~exp(2);") == [2 * FIRST]
    assert drawn("observe v = ~exp(-1);") == [-FIRST]


def test_each_law_takes_as_many_numbers_as_it_needs() -> None:
    """What is left of the stream shows how many went before."""
    for law, numbers in {
        "det(5)": 0,
        "exp(1)": 1,
        "uniform(2, 2)": 1,
        "bernoulli(2)": 1,
        "h2(1, 1)": 2,
        "erlang(2.9, 2)": 2,
        "erlang(0, 2)": 1,
    }.items():
        value = drawn(f"set skipped = ~{law}; observe v = ~exp(1);")[0]
        assert value == [FIRST, SECOND, THIRD][numbers], law


def test_the_laws_of_the_same_numbers() -> None:
    u, w = 1 - 2.718281828459045**-FIRST, 1 - 2.718281828459045**-SECOND
    assert drawn("observe v = ~uniform(3, 5);")[0] == pytest.approx(3 + 2 * u, rel=1e-12)
    assert drawn("observe v = ~uniform(5, 3);")[0] == pytest.approx(5 - 2 * u, rel=1e-12)
    assert drawn("observe v = ~bernoulli(0.5);") == [float(u < 0.5)]
    assert drawn("observe v = ~bernoulli(0/0);") == [0]
    assert drawn("observe v = ~erlang(2, 4);")[0] == pytest.approx(2 * (FIRST + SECOND), rel=1e-12)
    p = (1 + sqrt((4 - 1) / (4 + 1))) / 2
    mean = 3 / (2 * p) if u < p else 3 / (2 * (1 - p))
    assert drawn("observe v = ~h2(3, 4);")[0] == pytest.approx(-mean * log(1 - w), rel=1e-12)


def test_arguments_draw_first() -> None:
    assert drawn("observe v = ~exp(~exp(1));") == [pytest.approx(FIRST * SECOND, rel=1e-12)]


def test_the_streams_of_a_workload_do_not_move_one_another() -> None:
    report = run(
        """fn main() {
          workload {
            arrive renewal(~h2(2, 4));
            init { set early = ~erlang(2.9, 2); }
            turn { set fresh = ~uniform(3, 5); }
          }
          server {
            observe early_one = early;
            observe fresh_one = fresh;
            observe own = ~exp(1);
            observe coin = ~bernoulli(0.5);
          }
        }""",
        horizon=11,
        seed=1,
    )
    (t0, early), (t1, _) = when(report, "early_one")[:2]
    assert t0 == 10.427324060905159
    assert t1 - t0 == pytest.approx(0.21760720313903933, abs=1e-14)
    assert early == 2.1918041184750607
    assert seen(report, "fresh_one")[0] == 3.3709594502139835
    assert seen(report, "own")[0] == FIRST
    assert seen(report, "coin")[0] == 0


def arrivals(law: str) -> list[float]:
    report = run(
        f"fn main() {{ workload {{ arrive {law}; }} server {{ observe at = now; }} }}",
        horizon=20,
        seed=5,
    )
    return seen(report, "at")


def test_a_renewal_of_exponential_gaps_is_a_poisson_stream_without_its_first() -> None:
    poisson = arrivals("poisson(0.5)")
    assert poisson[0] == 0
    assert len(poisson) > 5
    assert arrivals("renewal(~exp(2))") == poisson[1:]


def test_a_poisson_gap_is_divided_by_the_rate() -> None:
    """The reference's fifth arrival, to the bit; times the mean 1 / 0.7 it is another."""
    assert arrivals("poisson(0.7)")[5] == 4.95528103516702
    assert arrivals("renewal(~exp(1 / 0.7))")[4] == 4.955281035167019


def test_turns_have_streams_of_their_own() -> None:
    """A second turn draws the same however many draws the first one made."""
    program = """fn main() {
      workload {
        arrive batch(1);
        turn { set a = ~exp(1); MORE }
        session { turn; turn; }
      }
      server { observe v = a; }
    }"""
    alone = seen(run(program.replace("MORE", "")), "v")
    crowded = seen(run(program.replace("MORE", "set b = ~exp(1) + ~exp(1);")), "v")
    assert alone == crowded
    assert alone[0] != alone[1]
