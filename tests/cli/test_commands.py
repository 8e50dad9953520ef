"""What each command prints, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serq_simpy._version import VERSION

from .conftest import QUEUE, Serq

STUCK = """\
fn main() {
  pool memory { cap 4; preempt lifo; }
  stage desk : delay;
  workload { arrive batch(2); }
  server {
    hold memory (cost(memory, 2)) {
      run desk (cost(desk, 1));
      grow memory (cost(memory, 3));
    }
  }
}
"""


def test_version(serq: Serq) -> None:
    assert serq("--version").out == f"serq {VERSION}\n"


@pytest.mark.parametrize("command", [(), ("run",), ("check",), ("ir",)])
def test_help_has_examples(serq: Serq, command: tuple[str, ...]) -> None:
    outcome = serq(*command, "--help")
    assert outcome.status == 0
    assert "Examples:\n" in outcome.out


@pytest.mark.parametrize("args", [(), ("walk",), ("run",), ("run", "q.sq", "--horizon", "soon")])
def test_wrong_usage_is_2(serq: Serq, args: tuple[str, ...]) -> None:
    outcome = serq(*args)
    assert outcome.status == 2
    assert "Usage: serq" in outcome.err + outcome.out


def test_run_prints_a_report(serq: Serq) -> None:
    outcome = serq("run", "q.sq", "--horizon", "10")
    assert (outcome.status, outcome.err) == (0, "")
    assert "done" in outcome.out
    assert "desk" in outcome.out


def test_json_and_dump_combine(serq: Serq, tmp_path: Path) -> None:
    outcome = serq("run", "q.sq", "--horizon", "10", "--json", "--dump", "results")
    assert outcome.status == 0
    assert json.loads(outcome.out)["arrivals"] == 5
    rows = (tmp_path / "results" / "done.csv").read_text().splitlines()
    assert rows[0] == "time,session,turn,value"
    assert len(rows) == 5


def test_a_dump_into_a_foreign_folder_is_refused_before_the_run(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "letter.txt").write_text("dear")
    outcome = serq("run", "q.sq", "--horizon", "10", "--json", "--dump", "taken")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("taken holds files of something else (letter.txt)")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["letter.txt"]
    assert serq("run", "q.sq", "--horizon", "10", "--dump", "taken", "--overwrite").status == 0
    assert (tmp_path / "taken" / "letter.txt").read_text() == "dear"


def test_a_dump_into_a_file_is_refused_before_the_run(serq: Serq) -> None:
    outcome = serq("run", "q.sq", "--horizon", "10", "--dump", "q.sq")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "cannot write to `q.sq`: it is not a folder\n"


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("q.sq/below", "cannot write to `q.sq/below`: `q.sq` is not a folder"),
        ("blocked", "cannot write `blocked/done.csv`: it is a folder"),
    ],
)
def test_a_folder_that_takes_no_file_is_refused_before_the_run(
    serq: Serq, tmp_path: Path, folder: str, said: str
) -> None:
    (tmp_path / "blocked" / "done.csv").mkdir(parents=True)
    outcome = serq("run", "q.sq", "--horizon", "10", "--dump", folder)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"{said}\n")


def test_a_folder_without_permission_is_refused_before_the_run(
    serq: Serq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said by the system, since root may write everywhere."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    outcome = serq("run", "q.sq", "--horizon", "10", "--dump", "new")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("cannot write to `new`: permission denied in `")
    assert not (tmp_path / "new").exists()


def test_an_observation_too_long_for_a_file_is_refused_before_the_run(
    serq: Serq, tmp_path: Path
) -> None:
    long = (tmp_path / "q.sq").read_text().replace("observe done", f"observe {'x' * 300}")
    (tmp_path / "long.sq").write_text(long)
    outcome = serq("run", "long.sq", "--horizon", "10", "--dump", "new")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"`{'x' * 40}…` is too long for the name of a file")
    assert not (tmp_path / "new").exists()


def test_of_many_errors_the_first_are_shown(serq: Serq, tmp_path: Path) -> None:
    program = (
        (tmp_path / "q.sq").read_text().replace("run desk", "set a = nope;\n" * 50 + "run desk")
    )
    (tmp_path / "many.sq").write_text(program)
    outcome = serq("check", "many.sq")
    assert outcome.status == 1
    assert outcome.err.count("unknown name `nope`") == 20
    assert outcome.err.endswith("\n\nand 30 more errors\n")


def test_a_stuck_session_is_1_with_its_report(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "stuck.sq").write_text(STUCK)
    outcome = serq("run", "stuck.sq", "--horizon", "10", "--json")
    assert outcome.status == 1
    assert json.loads(outcome.out)["pools"][0]["stuck"] > 0
    assert "pool `memory`" in outcome.err


def test_check_says_what_a_program_is_made_of(serq: Serq) -> None:
    outcome = serq("check", "q.sq", "--", "--work", "3")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == (
        "q.sq: ok\n"
        "  pools       none\n"
        "  stages      desk\n"
        "  workload    renewal arrivals\n"
        "  statements  2 workload, 2 server\n"
        "  observes    done\n"
        "inputs (-- --NAME VALUE):\n"
        "  --rate  default 0.5\n"
        "  --work  default 1   now 3\n"
    )


@pytest.mark.parametrize("command", ["run", "check", "ir"])
def test_inputs_are_listed_on_request(serq: Serq, command: str) -> None:
    outcome = serq(command, "q.sq", "--", "--help")
    assert outcome.status == 0
    assert outcome.out == (
        "inputs (-- --NAME VALUE):\n  --rate  default 0.5\n  --work  default 1\n"
    )


def test_warnings_go_to_standard_error(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "w.sq").write_text(
        "fn main() { pool p { cap 1; cap 2; } workload { arrive batch(1); } server { end; } }"
    )
    outcome = serq("run", "w.sq", "--horizon", "10", "--json")
    assert outcome.status == 0
    assert outcome.err.startswith("warning: w.sq:1:")
    json.loads(outcome.out)


def test_an_error_is_1_with_its_place(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "wrong.sq").write_text(QUEUE.replace("run desk", "run dek"))
    for command in ("run", "check", "ir"):
        outcome = serq(command, "wrong.sq", "--horizon", "10")
        assert outcome.status == 1
        assert outcome.err.startswith("wrong.sq:8:")
        assert outcome.out == ""


def test_ir_is_a_program_again(serq: Serq, tmp_path: Path) -> None:
    text = serq("ir", "q.sq", "--horizon", "10", "--", "--work", "2").out
    (tmp_path / "q.json").write_text(text)
    direct = serq("run", "q.sq", "--horizon", "20", "--json", "--", "--work", "2").out
    assert serq("run", "q.json", "--horizon", "20", "--json").out == direct
    assert serq("run", "-", "--horizon", "20", "--json", stdin=text).out == direct
    assert serq("check", "q.json").out.startswith("q.json: ok\n")


def test_an_ir_has_no_inputs_left(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text(serq("ir", "q.sq", "--horizon", "10").out)
    outcome = serq("run", "q.json", "--set", "work=3")
    assert outcome.status == 2
    assert outcome.err.startswith("an IR has no inputs and no definitions any more\nhelp: ")
    assert serq("check", "q.json", "--", "--help").out.startswith("q.json has no inputs")


def test_a_program_may_come_from_standard_input(serq: Serq) -> None:
    direct = serq("run", "q.sq", "--horizon", "20", "--json").out
    assert serq("run", "-", "--horizon", "20", "--json", stdin=QUEUE).out == direct
