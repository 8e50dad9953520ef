"""What an expression is worth, as a run observes it."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest
from watching import run, seen

VALUES = [
    # Operators bind as on the page: power, sign, product, sum, comparison, and, or, choice.
    ("-2 ^ 2 + 2 ^ 3 ^ 2", 508),
    ("2 ^ -1", 0.5),
    ("2 ^ !0", 2),
    ("!0 ^ 0", 0),
    ("-2 ^ -2", -0.25),
    ("7 - 3 - 2", 2),
    ("16 / 4 / 2", 2),
    ("1 + 2 * 3 < 8", 1),
    ("1 || 0 && 0", 1),
    ("0 ? 2 : 0 ? 4 : 5", 5),
    ("1 ? 2 : 3 + 10", 2),
    ("!!3", 1),
    ("1_000 + .5 + 5. + 1e3 + 1.e3 + 007 + 1_.5", 3014),
    # Truth is being other than zero.
    ("0.5 && 0.5", 1),
    ("(0/0) && 1", 1),
    ("(0/0) ? 1 : 2", 1),
    ("!(0/0)", 0),
    # Doubles as IEEE has them.
    ("1/0", inf),
    ("-1/0", -inf),
    ("0/0", nan),
    ("inf - inf", nan),
    ("inf * 0", nan),
    ("0 == -0", 1),
    ("(0/0) != (0/0)", 1),
    ("(0/0) == (0/0)", 0),
    ("(0/0) < 1", 0),
    ("1/(0 * -1)", -inf),
    ("1e400", inf),
    ("1e-400", 0),
    # Powers as in C.
    ("0 ^ 0", 1),
    ("(0/0) ^ 0", 1),
    ("1 ^ (0/0)", 1),
    ("0 ^ -1", inf),
    ("(-8) ^ (1/3)", nan),
    ("(-8) ^ 3", -512),
    # Functions.
    ("floor(-0.5)", -1),
    ("1 / ceil(-0.5)", -inf),
    ("abs(-3.5)", 3.5),
    ("sqrt(-1)", nan),
    ("sqrt(2.25)", 1.5),
    ("ln(0)", -inf),
    ("ln(-1)", nan),
    ("exp(1000)", inf),
    ("exp(0)", 1),
    ("max(0/0, 3)", 3),
    ("min(3, 0/0)", 3),
    ("max(0/0, 0/0)", nan),
    ("1 / min(0, -0)", -inf),
    ("1 / min(-0, 0)", inf),
    ("1 / max(0, -0)", -inf),
    # Aggregates are written out from left to right.
    ("max j in 4 (j * (3 - j))", 2),
    ("min j in 3 (1 - j)", -1),
    ("sum j in 3 (sum k in 2 (10 * j + k))", 63),
    ("sum j in 2 (sum j in 3 (j))", 6),
    ("sum j in (1 + 1) (j + 1)", 3),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_a_value(text: str, value: float) -> None:
    report = run(
        f"fn main() {{ workload {{ arrive batch(1); }} server {{ observe v = {text}; }} }}"
    )
    (found,) = seen(report, "v")
    assert isnan(found) if isnan(value) else found == value


def test_the_right_operand_is_evaluated_only_where_it_decides() -> None:
    """A draw that is not made leaves the stream where it was."""
    report = run(
        """fn main() {
          workload { arrive batch(1); }
          server {
            observe skipped = 0 && ~exp(1);
            observe skipped = 1 || ~exp(1);
            observe skipped = 1 ? 7 : ~exp(1);
            observe first = ~exp(1);
          }
        }"""
    )
    assert seen(report, "skipped") == [0, 1, 7]
    assert seen(report, "first") == [0.1768854767901723]


def test_the_words_of_the_language_are_names_where_they_are_not_looked_for() -> None:
    report = run(
        """fn main() {
          let run = 1; let hold = 2;
          stage prefill : fifo;
          pool turn { }
          workload { arrive batch(1); }
          server {
            set pool = run + hold;
            hold turn (cost(turn, hold)) { run prefill (cost(prefill, pool)); }
            observe branch = now;
          }
        }"""
    )
    assert seen(report, "branch") == [3]


STATE = """fn main() {{
  stage desk : {kind};
  workload {{ arrive batch(4); }}
  server {{
    branch (serial == 3) {{
      set t = 1;
      run watch (cost(watch, t));
      observe inside = queue(desk);
      observe serving = busy(desk);
      observe left = work(desk);
    }} else {{ run desk (cost(desk, 3)); }}
  }}
  stage watch : delay;
}}"""


@pytest.mark.parametrize(
    ("kind", "serving", "left"),
    [
        ("fifo", 1, 8),
        ("fifo(2)", 2, 7),
        ("ps(1)", 3, 8),
        ("ps(2 * present)", 3, 3),
        ("delay", 3, 6),
    ],
)
def test_what_is_at_a_stage(kind: str, serving: float, left: float) -> None:
    """Three jobs of 3 came at 0; at 1 each kind has done its part of the 9."""
    report = run(STATE.format(kind=kind))
    assert seen(report, "inside") == [3]
    assert seen(report, "serving") == [serving]
    assert seen(report, "left") == [left]


def test_the_estimators_forget_by_a_hundredth() -> None:
    """Jobs of 1 and 3 at a queue's one server: waits 0 and 1, starts 0 and 1.

    The mean wait is 0 + 0.01 (1 - 0), the mean service 1 + 0.01 (3 - 1), and the one gap
    between starts 1, so that the load is 1.02, above what is believed.
    """
    report = run(
        """fn main() {
          stage desk : fifo;
          workload { arrive batch(2); }
          server {
            run desk (cost(desk, 1 + 2 * serial));
            observe wait = est_wait(desk);
            observe load = est_rho(desk);
            observe rate = est_lambda(desk);
            observe marginal = price(desk, 2, 3);
          }
        }"""
    )
    assert seen(report, "wait") == [0, 0.01]
    assert seen(report, "load") == [0, 0.99]
    assert seen(report, "rate") == [0, 1]
    first, second = seen(report, "marginal")
    assert first == 3
    assert second == pytest.approx(3 + (25 - 4) / (2 * 0.01) + 0.01 * 3 / 0.01, rel=1e-12)


def test_pool_observables() -> None:
    """Two of three fit; when the first of them leaves at 1, the third comes in at once."""
    report = run(
        """fn main() {
          pool memory { cap 10; block 4; }
          stage walk : delay;
          workload { arrive batch(3); }
          server {
            hold memory (cost(memory, 3)) {
              run walk (cost(walk, 1));
              observe taken = used(memory);
              observe left = free(memory);
              observe here = holders(memory);
              observe line = queued(memory);
              observe grain = blocksize(memory);
            }
          }
        }""",
        horizon=1,
    )
    assert seen(report, "taken") == [8, 8]
    assert seen(report, "left") == [2, 2]
    assert seen(report, "here") == [2, 2]
    assert seen(report, "line") == [1, 0]
    assert seen(report, "grain") == [4, 4]


def test_choosing_the_shortest_line() -> None:
    """The first takes the last of the empty lines, the second the last of the two left."""
    report = run(
        """fn main() {
          let n = 3;
          stage desk[n] : fifo;
          workload { arrive batch(2); }
          server {
            choose k in n by (queue(desk[k]), -k);
            observe chosen = k;
            run desk[k] (cost(desk, 2 + serial));
            observe done = now;
            observe longest = max j in n (queue(desk[j]));
          }
        }"""
    )
    assert seen(report, "chosen") == [2, 1]
    assert seen(report, "done") == [2, 3]
    assert seen(report, "longest") == [1, 0]


@pytest.mark.parametrize(("count", "chosen"), [("2.9", 1), ("1", 0), ("0", 0), ("-3", 0)])
def test_the_count_of_a_choice_is_rounded_down(count: str, chosen: float) -> None:
    report = run(
        f"""fn main() {{
          workload {{ arrive batch(1); }}
          server {{ set n = {count} + serial; choose k in n by (-k); observe chosen = k; }}
        }}"""
    )
    assert seen(report, "chosen") == [chosen]


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("0 * k", 0),
        ("k == 1 ? nan : -k", 2),
        ("k == 0 ? nan : -k", 0),
        ("nan", 0),
        ("nan, -k", 0),
        ("1, k == 0 ? nan : -k", 0),
        ("1, k == 1 ? nan : -k", 2),
        ("k == 0 ? nan : 1, -k", 0),
        ("k == 1 ? nan : 1, -k", 2),
        ("k == 2 ? nan : 1, -k", 1),
    ],
)
def test_of_equal_keys_the_first_is_chosen_and_a_nan_stays_where_it_is_met_first(
    keys: str, chosen: float
) -> None:
    report = run(
        f"""fn main() {{
          workload {{ arrive batch(1); }}
          server {{ choose k in 3 by ({keys.replace("nan", "serial / serial")}); observe v = k; }}
        }}"""
    )
    assert seen(report, "v") == [chosen]
