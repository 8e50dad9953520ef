"""Files and streams that are not as they should be: one line each, no traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serq_simpy.cli.reading import read_text
from serq_simpy.errors import UsageError

from .conftest import QUEUE, Serq, environment, process

LONG = ("run", "q.sq", "--horizon", "1e9", "--json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "q.sq").write_text(QUEUE)
    return tmp_path


def test_a_missing_file(serq: Serq) -> None:
    outcome = serq("run", "p.sq", "--horizon", "9")
    assert outcome.status == 2
    assert outcome.err == (
        "cannot read `p.sq`: there is no such file\nhelp: did you mean `q.sq`?\n"
    )


@pytest.mark.parametrize("name", [".", "q.sq/below", "a\0b", "", "x" * 5000])
def test_names_that_are_no_file(serq: Serq, name: str) -> None:
    outcome = serq("run", name, "--horizon", "9")
    assert outcome.status == 2
    assert outcome.err.startswith("cannot read ")
    assert outcome.err.count("\n") <= 2


def test_an_unreadable_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said by the system, since root may read every file."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UsageError, match=r"^cannot read `secret\.sq`: permission denied"):
        read_text("secret.sq")


def test_a_binary_file(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "b.sq").write_bytes(b"\x7fELF\xff\xfe")
    outcome = serq("run", "b.sq", "--horizon", "9")
    assert outcome.status == 1
    assert outcome.err.startswith("`b.sq` is not a text in UTF-8")
    assert serq("run", "-", "--horizon", "9", stdin=b"\xff").err.startswith("standard input is not")


@pytest.mark.parametrize("text", ["", "{", "{}", '{"version": 13}', "{ not json"])
def test_texts_that_are_no_program(serq: Serq, text: str) -> None:
    outcome = serq("run", "-", "--horizon", "9", stdin=text)
    assert outcome.status == 1
    assert outcome.err
    assert "fault of serq" not in outcome.err


def test_a_library_needs_a_file_to_stand_beside(serq: Serq, tmp_path: Path) -> None:
    (tmp_path / "lib.sq").write_text("def two() { 2 }")
    text = 'use "lib.sq"; fn main() { workload { arrive batch(two()); } server { end; } }'
    (tmp_path / "sub").mkdir()
    (tmp_path / "p.sq").write_text(text)
    assert serq("check", "p.sq").status == 0
    assert serq("check", "-", stdin=text).status == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("args", [("run", "q.sq", "--horizon", "9"), ("--help",), ("--version",)])
def test_a_full_disk(folder: Path, args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = process(*args, folder=folder, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_reader_that_leaves(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = process(
        "run", "q.sq", "--horizon", "9", folder=folder, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("closed", "args", "status", "expected"),
    [
        ("<&-", "run - --horizon 9", 2, "standard input is closed"),
        (">&-", "run q.sq --horizon 9", 2, "standard output is closed"),
        ("2>&-", "run missing.sq", 2, ""),
    ],
)
def test_closed_streams(folder: Path, closed: str, args: str, status: int, expected: str) -> None:
    done = subprocess.run(
        f'"{sys.executable}" -P -m serq_simpy {args} {closed}',
        shell=True,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == status
    assert done.stderr.startswith(expected)
    assert done.stdout == ""


def test_an_interrupted_run_leaves_nothing(folder: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "serq_simpy", *LONG, "--dump", "results"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert not (folder / "results").exists()


def test_progress_is_for_terminals(folder: Path) -> None:
    """On a terminal a long run shows how far it is; `--quiet` and a pipe show nothing."""
    assert b"left" in _on_a_terminal(folder, *LONG, awaited=b"left", seconds=60)
    assert _on_a_terminal(folder, *LONG, "--quiet", awaited=b"left", seconds=3) == b""


def _on_a_terminal(folder: Path, *args: str, awaited: bytes, seconds: float) -> bytes:
    """What a run writes to a terminal as its standard error, until it is what is awaited."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "serq_simpy", *args],
        cwd=folder,
        env={**environment(), "TERM": "xterm", "COLUMNS": "80"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    shown = b""
    since = time.monotonic()
    while awaited not in shown and time.monotonic() < since + seconds:
        time.sleep(0.1)
        with contextlib.suppress(BlockingIOError):
            shown += os.read(ours, 65536)
    running.kill()
    running.wait()
    os.close(ours)
    return shown
