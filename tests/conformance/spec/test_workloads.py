"""Who comes when, what a session and a turn are, what they replay and what they hide."""

from __future__ import annotations

from pathlib import Path

import pytest
from watching import run, seen, when, whose

from serq_simpy.errors import LinkError, RunError, TraceError


def arrivals(law: str, **settings: float) -> list[float]:
    report = run(
        f"fn main() {{ workload {{ arrive {law}; }} server {{ observe at = now; }} }}", **settings
    )
    return seen(report, "at")


def test_arrivals() -> None:
    assert arrivals("none") == []
    assert arrivals("batch(3)") == [0, 0, 0]
    assert arrivals("renewal(2)", horizon=7) == [2, 4, 6]
    assert arrivals("renewal(2)", horizon=6) == [2, 4, 6]
    assert arrivals("poisson(1)", horizon=1000)[0] == 0
    assert arrivals("renewal(2)", arrivals=2) == [2, 4]


def test_a_closed_population_is_kept_up() -> None:
    report = run(
        """fn main() {
          stage desk : fifo;
          workload { arrive closed(2); }
          server { run desk (cost(desk, 1)); observe left = serial; }
        }""",
        horizon=4.5,
    )
    assert when(report, "left") == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert (report.arrivals, report.ended, report.mean_live) == (6, 4, 2)


@pytest.mark.parametrize("law", ["~det(0)", "1 - 1 * ~det(1)", "~det(0 / 0)", "~det(inf)"])
def test_a_drawn_gap_is_a_time(law: str) -> None:
    with pytest.raises(RunError, match="the interarrival time is"):
        arrivals(f"renewal({law})")


@pytest.mark.parametrize(
    "law",
    ["poisson(0)", "poisson(inf)", "renewal(0)", "renewal(-1)", "batch(1.5)", "closed(1000001)"],
)
def test_a_law_that_cannot_be(law: str) -> None:
    with pytest.raises(LinkError):
        arrivals(law)


def test_a_session_is_its_turns_and_what_lies_between() -> None:
    report = run(
        """fn main() {
          stage desk : fifo;
          workload {
            arrive batch(2);
            init { Size rounds = 1 + serial; }
            turn { Size pages = 10 * turn_no; }
            session {
              turn;
              while (rounds > 1) { set rounds = rounds - 1; tool (5); turn; }
              branch (serial == 1) { end; } else { turn; }
            }
          }
          server { run desk (cost(desk, 1)); observe read = pages; }
        }"""
    )
    assert whose(report, "read") == [(0, 1, 10), (1, 1, 10), (0, 2, 20), (1, 2, 20)]
    assert [time for time, _ in when(report, "read")] == [1, 2, 3, 8]
    assert report.turns == 4


def test_the_number_of_the_turn_can_be_set() -> None:
    """The samples say what was set; the next turn counts from it."""
    report = run(
        """fn main() {
          workload { arrive batch(1); session { turn; set turn_no = 7; turn; } }
          server { observe number = turn_no; }
        }"""
    )
    assert whose(report, "number") == [(0, 1, 1), (0, 8, 8)]


def test_a_session_that_tests_a_chance() -> None:
    """`branch with (p)` draws; 0 never, 1 always."""
    report = run(
        """fn main() {
          workload { arrive batch(20); }
          server {
            branch with (0) { observe never = 1; }
            branch with (1) { observe always = 1; }
            branch with (0.5) { observe some = 1; } else { observe others = 1; }
          }
        }"""
    )
    assert report.observes["never"].count == 0
    assert report.observes["always"].count == 20
    assert 0 < report.observes["some"].count < 20
    assert report.observes["some"].count + report.observes["others"].count == 20


CORPUS = """session,turn,new,out,think,forced
# two conversations
7,1,10,5,2,1
7,2,20,6,3

9,1,30,7,4
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "talks.csv"
    file.write_text(CORPUS, encoding="utf-8")
    return file


REPLAY = """fn main() {{
  stage walk : delay;
  workload {{
    arrive batch(3);
    trace "{path}" ordered;
    hidden out;
    session {{ turn; while (more) {{ tool (think); turn; }} }}
  }}
  server {{
    run walk (cost(walk, out));
    observe read = new + forced / 10;
    branch (out > 5) {{ observe long = now; }}
  }}
}}"""


def test_sessions_replay_a_trace_in_turn(corpus: Path) -> None:
    report = run(REPLAY.format(path=corpus))
    assert sorted(whose(report, "read")) == [
        *((0, 1, 10.1), (0, 2, 20)),
        (1, 1, 30),
        *((2, 1, 10.1), (2, 2, 20)),
    ]
    assert seen(report, "long") == [7, 13, 13]


def test_beyond_the_end_of_its_trace_a_session_repeats_the_last_turn(corpus: Path) -> None:
    report = run(
        f"""fn main() {{
          workload {{ arrive batch(2); trace "{corpus}" ordered; session {{ turn; turn; turn; }} }}
          server {{ observe read = new; observe further = more; }}
        }}"""
    )
    assert whose(report, "read") == [
        *((0, 1, 10), (0, 2, 20), (0, 3, 20)),
        *((1, 1, 30), (1, 2, 30), (1, 3, 30)),
    ]
    assert seen(report, "further") == [1, 0, 0, 0, 0, 0]


def test_a_turn_may_change_what_the_trace_says(corpus: Path) -> None:
    report = run(
        f"""fn main() {{
          workload {{
            arrive batch(1);
            trace "{corpus}" ordered;
            init {{ observe before = new; }}
            turn {{ set new = 2 * new; }}
          }}
          server {{ observe read = new; }}
        }}"""
    )
    assert (seen(report, "before"), seen(report, "read")) == ([0], [20])


def test_another_trace_can_be_given(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("1,x,99,1,1\n", encoding="utf-8")
    report = run(REPLAY.format(path=corpus), trace=str(other))
    assert seen(report, "read") == [99, 99, 99]


@pytest.mark.parametrize(
    ("text", "sessions"),
    [
        # A number that comes back later is another session; numbers are cut to whole ones.
        ("1,1,10,0,0\n2,1,20,0,0\n1,2,30,0,0\n", [10, 20, 30]),
        ("1.2,1,10,0,0\n1.9,1,11,0,0\n-4,1,20,0,0\nnan,1,21,0,0\n0,1,22,0,0\n", [10, 20, 10]),
        ("  1,?,1e2,0,0  \n\nsession,,,,\n# a word\n2,,+5,-0,inf\n", [100, 5, 100]),
    ],
)
def test_how_a_trace_is_read(text: str, sessions: list[float], tmp_path: Path) -> None:
    """The first number of each of three sessions that replay it in order."""
    file = tmp_path / "t.csv"
    file.write_text(text, encoding="utf-8")
    report = run(
        f"""fn main() {{
          workload {{ arrive batch(3); trace "{file}" ordered; }}
          server {{ observe read = new; }}
        }}"""
    )
    assert seen(report, "read") == sessions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("", "empty trace"),
        ("# only words\n", "empty trace"),
        ("1,1,10,5\n", "line 1: expected 5 or 6 fields, got 4"),
        ("1;1;10;5;2\n", "expected 5 or 6 fields, got 1"),
        ("1,1,ten,5,2\n", r"line 1: column 3 \(new\): invalid number `ten`"),
        ("1,1,10,5,2\n1,2,10, 1,2\n", r"line 2: column 4 \(out\): invalid number ` 1`"),
        ("Session,Turn,New,Out,Think\n", r"column 1 \(session\): invalid number `Session`"),
        ("1,1,10,5,\n", r"column 5 \(think\): invalid number ``"),
    ],
)
def test_a_trace_that_cannot_be_read_ends_the_run(
    text: str | None, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(TraceError, match=said):
        run(
            f"""fn main() {{
              workload {{ arrive batch(1); trace "{file}"; }}
              server {{ }}
            }}"""
        )


HIDDEN = """fn main() {{
  pool memory {{ }}
  stage walk : delay;
  stage other[2] : delay;
  workload {{ arrive batch(1); init {{ set o = 3; set k = 1; }} hidden o; {session} }}
  server {{ {statements} }}
}}"""


@pytest.mark.parametrize(
    "statements",
    [
        "run walk (cost(walk, o)); branch (o > 2) { }",
        "run walk (cost(walk, 0 * o)); branch (o > 2) { }",
        "run walk (cost(walk, min(o, k))); branch (o > 2) { }",
        "run walk (cost(walk, ~exp(o))); branch (o > 2) { }",
        "run walk (cost(walk, k ? o : o + 1)); branch (o > 2) { }",
        "run walk (cost(walk, sum j in 2 (o))); branch (o > 2) { }",
        "set v = o; run walk (cost(walk, v)); branch (o > 2) { }",
        "set v = o; run walk (cost(walk, o)); branch (v > 2) { }",
        "set v = o; set v = 1; branch (v > 2) { }",
        "branch (k) { run walk (cost(walk, o)); } else { run walk (cost(walk, o + 1)); }"
        " branch (o > 2) { }",
        "observe seen = o; set v = o;",
        "hold memory (cost(memory, 5)) { } cache (cost(memory, o))",
        "run walk (cost(walk, o)); run other[o - 3] (cost(other, 1));",
        "run walk (cost(walk, o)); choose i in 2 by (i * o);",
    ],
)
def test_what_a_run_has_revealed_may_be_used(statements: str) -> None:
    assert run(HIDDEN.format(session="", statements=statements)).ended == 1


@pytest.mark.parametrize(
    "statements",
    [
        "branch (o > 2) { }",
        "branch with (o / 4) { }",
        "while (o > 4) { run walk (cost(walk, 1)); set k = 2; }",
        "choose i in 2 by (i * o);",
        "choose i in o by (i);",
        "run other[o - 3] (cost(other, 1));",
        "run walk (cost(walk, k ? o : 1)); branch (o > 2) { }",
        "run walk (cost(walk, k && o)); branch (o > 2) { }",
        "branch (k) { run walk (cost(walk, o)); } branch (o > 2) { }",
        "branch (k) { run walk (cost(walk, o)); } else { } branch (o > 2) { }",
        "set v = o * 0; branch (v > 2) { }",
        "branch (k) { set v = o; } branch (v > 2) { }",
        "hold memory (cost(memory, o)) { }",
        "run walk (cost(walk, o)); hold memory (cost(memory, o)) { }",
        "hold memory (cost(memory, 1)) reserve (cost(memory, o)) { }",
        "hold memory (cost(memory, 1)) { grow memory (cost(memory, o)); }",
        "hold memory (cost(memory, 1)) { load memory (cost(memory, o)); }",
        "hold memory (cost(memory, 1)) { } lease memory (o)",
        "branch (used(memory) + o > 2) { }",
    ],
)
def test_what_is_hidden_may_not_decide(statements: str) -> None:
    with pytest.raises(LinkError, match="hidden"):
        run(HIDDEN.format(session="", statements=statements))


def test_each_turn_hides_anew() -> None:
    """The first turn has revealed it; in the second it is read before a run."""
    statements = "branch (turn_no > 1) { branch (o > 2) { } } run walk (cost(walk, o));"
    with pytest.raises(LinkError, match="hidden"):
        run(HIDDEN.format(session="session { turn; turn; }", statements=statements))
