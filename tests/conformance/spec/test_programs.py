"""Constants, inputs, definitions, libraries, attributes and settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from watching import run, seen, when, whose

import serq_simpy
from serq_simpy.errors import LinkError, RunError, SerqError


def test_the_last_constant_of_a_name_counts_for_statements() -> None:
    """A constant made between the two has the earlier value."""
    report = run(
        """let a = 1;
        fn main() {
          let b = a + 10;
          workload { arrive batch(1); }
          server { observe v = a; observe v = b; observe v = late; }
          let a = 2;
          let late = a * 100;
        }"""
    )
    assert seen(report, "v") == [2, 11, 200]


INPUTS = """use "std/args";
def whole_blocks(x, grain) { floor((x - 1) / grain) * grain }
def visit(s, amount) { run s (cost(s, amount)); observe left = now; }
fn main() {
  let grain = 4;
  let gap = args.number("gap", 2);
  stage desk : fifo;
  workload { arrive renewal(gap); }
  server { visit(desk, whole_blocks(2 + 3 * serial, grain) / grain + 0.5); }
}"""


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({}, [2.5, 5.5, 7.5, 10.5]),
        ({"gap": "grain / 4"}, [1.5, 3.5, 5, 7.5]),
        ({"gap": 1}, [1.5, 3.5, 5, 7.5]),
        ({"gap": "max(1, 0.5)"}, [1.5, 3.5, 5, 7.5]),
    ],
)
def test_inputs_and_definitions(given: dict[str, float | str], left: list[float]) -> None:
    """Work is 0.5, 1.5, 1.5, 2.5."""
    report = run(INPUTS, arrivals=4, sets=given)
    assert seen(report, "left") == left
    assert report.end == left[-1]


@pytest.mark.parametrize(
    "given", [{"speed": 1}, {"grain": 1}, {"gap": float("nan")}, {"gap": "1 +"}, {"gap": "serial"}]
)
def test_an_input_that_does_not_suit(given: dict[str, float | str]) -> None:
    with pytest.raises(SerqError):
        run(INPUTS, sets=given)


def test_a_definition_can_be_given_another_body() -> None:
    report = run(INPUTS, arrivals=2, defs={"whole_blocks": "x * grain"})
    # Work is 2 + 0.5 and 5 + 0.5.
    assert seen(report, "left") == [4.5, 10]


def test_arguments_stand_in_parentheses() -> None:
    report = run(
        """def square(x) { -x ^ 2 }
        fn main() {
          workload { arrive batch(1); }
          server { observe v = square(3 + 1); observe v = 2 * square(1) + 1; }
        }"""
    )
    assert seen(report, "v") == [-16, -1]


def test_a_reference_is_an_argument_as_it_is() -> None:
    report = run(
        """def visit(p, s, w) {
          hold p (cost(p, 1)) { run s (cost(s, w)); observe taken = used(p); }
        }
        fn main() {
          pool memory[2] { }
          stage walk : delay;
          workload { arrive batch(1); }
          server { visit(memory[1], walk, 3); }
        }"""
    )
    assert when(report, "taken") == [(3, 1)]


def test_a_library_lends_its_definitions(tmp_path: Path) -> None:
    (tmp_path / "base.sq").write_text("def twice(x) { 2 * x }\n", encoding="utf-8")
    (tmp_path / "more.sq").write_text(
        'use "base.sq";\ndef four(x) { twice(twice(x)) }\n', encoding="utf-8"
    )
    program = tmp_path / "program.sq"
    program.write_text(
        """use "more.sq";
        use "base.sq";
        fn main() { workload { arrive batch(1); } server { observe v = four(3) + twice(1); } }""",
        encoding="utf-8",
    )
    report = serq_simpy.run(serq_simpy.compile(program, horizon=1))
    assert seen(report, "v") == [14]


def test_costs_and_what_may_be_done_with_them() -> None:
    """Each session's first turn takes 1.5 at the desk and 2.5 at a disk of its own, and so on."""
    report = run(
        """fn main() {
          pool memory { cap 40; }
          stage desk : fifo;
          stage disk[2] : fifo;
          workload {
            arrive batch(2);
            init { Size items = 3; set rounds = 1; }
            session { turn; while (rounds < 2) { set rounds = rounds + 1; turn; } }
          }
          server {
            Cost c = { desk : 0.5 * items, memory : 2 * items };
            set d = cost(disk, items) / 2 + cost(disk, 1);
            hold memory (c.memory) reserve (max(c.memory, cost(memory, 8))) {
              run desk (c.desk);
              run disk[serial] (d);
            } cache (cost(memory, 4))
            observe found = cached;
          }
        }"""
    )
    assert whose(report, "found") == [(0, 1, 0), (1, 1, 0), (0, 2, 4), (1, 2, 4)]
    assert [time for time, _ in when(report, "found")] == [4, 5.5, 8, 9.5]


def test_attributes_are_zero_until_they_are_set() -> None:
    report = run(
        """fn main() {
          workload { arrive batch(2); session { turn; turn; } }
          server { observe before = note; set note = 10 * serial + turn_no; }
        }"""
    )
    assert whose(report, "before") == [(0, 1, 0), (0, 2, 1), (1, 1, 0), (1, 2, 11)]


def test_an_observation_of_one_name_is_one_statistic() -> None:
    report = run(
        """fn main() {
          workload { arrive batch(2); init { observe v = 1; } turn { observe v = 2; } }
          server { observe w = 3; observe v = 4; }
        }"""
    )
    assert list(report.observes) == ["v", "w"]
    assert seen(report, "v") == [1, 1, 2, 4, 2, 4]


@pytest.mark.parametrize(
    "settings",
    [
        {"horizon": 0},
        {"horizon": -1},
        {"horizon": float("inf")},
        {"horizon": float("nan")},
        {"horizon": 5, "warmup": 5},
        {"horizon": 5, "warmup": -1},
        {"horizon": 5, "arrivals": 0},
    ],
)
def test_settings_that_do_not_suit(settings: dict[str, float]) -> None:
    with pytest.raises(SerqError):
        run("fn main() { workload { arrive renewal(1); } server { } }", **settings)


def test_requested_arrivals_need_an_open_workload() -> None:
    with pytest.raises(LinkError, match="arrivals applies only to"):
        run("fn main() { workload { arrive batch(1); } server { } }", arrivals=1)


FINITE = """fn main() {
  stage walk : delay;
  workload { arrive renewal(1); }
  server { run walk (cost(walk, 1)); observe done = now; }
}"""


def test_a_run_of_so_many_arrivals_ends_when_all_have_left() -> None:
    report = run(FINITE, arrivals=3)
    assert (report.arrivals, report.ended, report.end) == (3, 3, 4)
    assert run(FINITE, arrivals=3, horizon=4).end == 4


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"arrivals": 5, "horizon": 3}, "horizon 3 reached before requested arrivals: got 3"),
        ({"arrivals": 3, "horizon": 3.5}, "failed to drain 1 active"),
        ({"arrivals": 3, "warmup": 4}, "drained at 4 before or at warmup 4"),
    ],
)
def test_a_run_of_so_many_arrivals_that_cannot_be_measured(
    settings: dict[str, float], said: str
) -> None:
    with pytest.raises(RunError, match=said):
        run(FINITE, **settings)


def test_an_empty_program_links_and_runs() -> None:
    report = run("fn main() { }", horizon=5)
    assert (report.arrivals, report.end, report.stages, report.pools) == (0, 5, [], [])


def test_the_ir_says_the_same_program() -> None:
    """An IR read back is the same text, and gives the same report."""
    program = serq_simpy.compile(source=INPUTS, horizon=50, seed=3)
    again = serq_simpy.Program.from_json(program.to_json())
    assert again.to_json() == program.to_json()
    assert serq_simpy.run(again).json() == serq_simpy.run(program).json()


SESSIONS = """fn main() {
  workload {
    arrive batch(1);
    init { Size a = 2; }
    session { turn; while (more) { tool (1); turn; } }
  }
  server { observe v = 100 * serial + 10 * a + new; }
}"""


def test_explicit_sessions_of_an_ir() -> None:
    """What a session comes with counts over what `init` sets; its turns are its trace."""
    ir = json.loads(serq_simpy.compile(source=SESSIONS, horizon=5).to_json())
    a, new = ir["attrs"].index("a"), ir["slot_new"]
    ir["arrival"] = {
        "Sessions": [
            {"attrs": [[a, 7.0]], "turns": [[[new, 3.0]], [[new, 4.0]]]},
            {"attrs": [], "turns": [[[new, 5.0]]]},
            {"attrs": []},
        ]
    }
    report = serq_simpy.run(serq_simpy.Program.from_json(json.dumps(ir)))
    assert seen(report, "v") == [73, 125, 220, 74]
