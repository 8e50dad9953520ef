"""The names of an IR hold anything: they are shown, and never become code or control codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serq_simpy

SOURCE = "fn main() { workload { arrive batch(1); } server { observe seen = 1; } }"
NAMES = [
    'x\n        open("pwned", "w")  # ',
    'x\r        open("pwned", "w")  # ',
    "x\x00y",
    "x\x0cy",
    "x\x1b[2Jy",
    "'''\"\"\"\\",
    "{0}",
    "x" * 100_000,
]


def renamed(name: str) -> serq_simpy.Program:
    """The program of SOURCE with its observation named at will."""
    data = json.loads(serq_simpy.compile(source=SOURCE, horizon=1).to_json())
    return serq_simpy.Program.from_json(json.dumps({**data, "observes": [name]}))


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_is_not_code(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = renamed(name)
    assert serq_simpy.run(program).observe(name).mean == 1.0
    assert all(line.isprintable() for line in program.source().split("\n"))
    assert not Path("pwned").exists()
