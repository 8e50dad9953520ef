"""Programs too deep, too large or half written: one message each, no crash, no long wait."""

from __future__ import annotations

import random
import sys
import time

import pytest
from linking import link, refusal, refusals, server

from serq_simpy.errors import SerqError
from serq_simpy.ir import model as ir


def _chain(first: str, step: str, length: int) -> str:
    """Definitions `f0` … of which each uses the one before, as `step` says."""
    return first + "".join(step.format(f=f"f{i}", g=f"f{i - 1}") for i in range(1, length))


def test_an_aggregate_of_4096_terms_is_written_out() -> None:
    program = link(server("observe v = sum j in 4096 (j);")).program
    observe = program.blocks[ir.SESSION][1]
    assert isinstance(observe, ir.Observe)
    levels, expr = 0, observe.value
    while isinstance(expr, ir.Binary):
        levels, expr = levels + 1, expr.left
    assert (levels, expr) == (4095, ir.Num(0.0))


@pytest.mark.parametrize(
    ("statements", "workload", "terms"),
    [
        ("observe v = sum j in 4097 (j);", "", 4097),
        ("observe v = sum j in 65 (sum k in 64 (1));", "", 4097),
        ("observe v = sum j in 3000 (1);", "session { turn; turn; }", 6000),
        ("observe v = f() + f();", "", 4100),
    ],
)
def test_an_aggregate_too_long(statements: str, workload: str, terms: int) -> None:
    text = server(statements, "def f() { sum j in 2050 (j) }", workload)
    assert f"write out {terms} terms, at most 4096" in refusal(text).message


DEEP_AND_LARGE = {
    "doubling": (
        "observe v = f39(1);",
        _chain("def f0(x) { x + x }", "def {f}(x) {{ {g}({g}(x)) }}", 40),
        "the program is too large",
    ),
    "doubling statements": (
        "f39();",
        _chain("def f0() { set a = 1; }", "def {f}() {{ {g}(); {g}(); }}", 40),
        "the program is too large",
    ),
    "deep": (
        "observe v = f5999();",
        _chain("def f0() { 1 }", "def {f}() {{ 1 + {g}() }}", 6000),
        "more than 4500 levels deep",
    ),
    "deep statements": (
        "f1999();",
        _chain("def f0() { set a = 1; }", "def {f}() {{ {g}(); }}", 2000),
        "more than 1000 definitions use one another",
    ),
    "deep blocks": (
        "f699();",
        _chain("def f0() { set a = 1; }", "def {f}() {{ branch (1) {{ {g}(); }} }}", 700),
        "more than 500 blocks stand in one another",
    ),
    "doubling bindings": (
        "hold p (cost(p, x29)) at admission (x0 = 1, "
        + ", ".join(f"x{i} = x{i - 1} + x{i - 1}" for i in range(1, 30))
        + ") { }",
        "",
        "the program is too large",
    ),
}


@pytest.mark.parametrize("case", DEEP_AND_LARGE.values(), ids=DEEP_AND_LARGE)
def test_what_is_too_deep_or_too_large_is_refused_once(case: tuple[str, str, str]) -> None:
    statements, declarations, says = case
    limit = sys.getrecursionlimit()
    started = time.process_time()
    assert says in refusal(server(statements, declarations)).message
    assert time.process_time() - started < 30
    assert sys.getrecursionlimit() == limit


def test_definitions_that_share_their_arguments_are_not_large() -> None:
    definitions = _chain("def f0(x) { x + 1 }", "def {f}(x) {{ {g}({g}(x)) }}", 13)
    link(server("observe v = f12(1);", definitions))


WHOLE = """use "std/args";
def reusable(x, bs) { floor((x - 1) / bs) * bs }
def visit(st, w) { run st (cost(st, w)); observe left = now; }
fn main() {
  let bs = 4;
  let spacing = args.number("spacing", 2);
  stage svc[2] : fifo;
  pool kv { cap 12; block bs; evict by (size, -serial); preempt lifo; queue by (waited); }
  workload { arrive renewal(spacing); hidden o; init { Size o = 3; }
             session { turn; while (turn_no < 2) { tool ~exp(1); turn; } } }
  server {
    hold kv (cost(kv, x)) reserve (cost(kv, 8)) at admission (x = max(4, o)) {
      choose k in 2 by (queue(svc[k]));
      visit(svc[k], reusable(2 + 3 * serial, bs) / bs + 0.5);
    } cache (cost(kv, 4)) lease kv (5)
    branch with (0.5) { fork { run svc[0] (cost(svc, 1)); } join; } else { release kv; }
    Cost c = { svc : 1, kv : 2 };
  }
  gauge g = max j in 2 (queue(svc[j]));
}
"""


def _only_diagnostics(text: str) -> None:
    try:
        link(text)
    except SerqError as error:
        assert error.diagnostics


def test_a_program_cut_anywhere_is_told_what_it_lacks() -> None:
    for end in range(0, len(WHOLE), 7):
        _only_diagnostics(WHOLE[:end])


def test_words_exchanged_anywhere_give_messages() -> None:
    rng = random.Random(20)
    words = WHOLE.split(" ")
    for _ in range(300):
        mixed = list(words)
        for _ in range(rng.randint(1, 3)):
            mixed[rng.randrange(len(mixed))] = rng.choice(words)
        _only_diagnostics(" ".join(mixed))


def test_names_exchanged_anywhere_give_messages() -> None:
    rng = random.Random(21)
    names = ["svc", "kv", "k", "o", "x", "c", "left", "visit", "reusable", "bs", "now", "serial"]
    tokens = WHOLE.replace("(", " ( ").replace(")", " ) ").split(" ")
    places = [i for i, token in enumerate(tokens) if token in names]
    for _ in range(300):
        mixed = list(tokens)
        for _ in range(rng.randint(1, 3)):
            mixed[rng.choice(places)] = rng.choice(names)
        _only_diagnostics(" ".join(mixed))


def test_errors_come_together() -> None:
    assert len(refusals(server("observe a = n1;" * 50))) == 50
