"""The command run inside the test, and as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from serq_simpy.cli import main

ROOT = Path(__file__).parents[2]

QUEUE = """\
use "std/args";
def service(m) { m }
fn main() {
  let rate = args.number("rate", 0.5);
  let work = args.number("work", 1);
  stage desk : fifo;
  workload { arrive renewal(1 / rate); }
  server { run desk (cost(desk, service(work))); observe done = now; }
}
"""


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


Serq = Callable[..., Outcome]


@pytest.fixture
def serq(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Serq:
    """`serq("run", "q.sq", …, stdin="…")` in a folder that has the program `q.sq`."""
    (tmp_path / "q.sq").write_text(QUEUE)
    monkeypatch.chdir(tmp_path)

    def call(*args: str, stdin: str | bytes = "") -> Outcome:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
        with pytest.raises(SystemExit) as exit_:
            main(args)
        captured = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return Outcome(exit_.value.code, captured.out, captured.err)

    return call


def environment() -> dict[str, str]:
    """The environment of a process that finds this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def process(*args: str, folder: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """`serq` as a process of its own."""
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-P", "-m", "serq_simpy", *args],
        cwd=folder,
        env=environment(),
        text=True,
        **options,
    )
