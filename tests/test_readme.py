"""What README.md and the guides in docs/ print is what happens.

A fenced block says by its info string what is done with it, in the order of the
document and in one folder, which also has the examples:

* `file=NAME`: the block is written to a file.
* `serq`: the program is run, to `horizon=` (100) and with `arrivals=`; where a comment
  beside an `observe` lists numbers, these are the values it records. `library` and
  `refused` are not run: a console block shows what happens. `part=FILE`: not run, but
  these lines stand in that file.
* `console`: the lines after `$ ` are commands, the others what they print; `…` stands for
  any text, by itself for any lines. Nothing printed: only the status counts.
* `pycon`: a Python session, as doctest reads it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import serq_simpy

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    "README.md",
    "docs/architecture.md",
    "docs/language.md",
    "docs/report.md",
    "docs/differences.md",
    "docs/vllm.md",
)
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECORDS = re.compile(r"observe (\w+) = .*;[ }]*//\s*([-\d.][-\d. ]*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it, its text, and where it stands."""

    language: str
    words: dict[str, str]
    text: str
    place: str


def blocks(document: str) -> Iterator[Block]:
    text = (ROOT / document).read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        language, info, body = found.groups()
        words = {word: value for word, _, value in (w.partition("=") for w in info.split())}
        yield Block(
            language, words, body, f"{document}:{text.count(chr(10), 0, found.start()) + 1}"
        )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples in it, `serq` in the path and Python finding this checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = tmp_path / "bin" / "serq"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m serq_simpy "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_tells_the_truth(document: str, folder: Path) -> None:
    namespace: dict[str, Any] = {}
    for block in blocks(document):
        if "file" in block.words:
            (folder / block.words["file"]).write_text(block.text, encoding="utf-8")
        if "part" in block.words:
            check_part(block)
        elif block.language == "serq" and not block.words.keys() & {"library", "refused"}:
            check_program(block)
        elif block.language == "console":
            check_console(block)
        elif block.language == "pycon":
            check_session(block, namespace)


def check_part(block: Block) -> None:
    """The lines stand in the file, whatever the indentation."""
    whole = (ROOT / block.words["part"]).read_text(encoding="utf-8")
    assert unindented(block.text) in unindented(whole), block.place


def unindented(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def check_program(block: Block) -> None:
    """The program runs and records what its comments say."""
    words = block.words
    program = serq_simpy.compile(
        words.get("file"),
        source=None if "file" in words else block.text,
        horizon=float(words.get("horizon", 100)),
        arrivals=int(words["arrivals"]) if "arrivals" in words else None,
    )
    report = serq_simpy.run(program)
    for name, numbers in RECORDS.findall(block.text):
        expected = [float(number) for number in numbers.split()]
        assert list(report.observe(name).samples) == pytest.approx(expected, rel=5e-4), (
            f"{block.place}: {name}"
        )


def check_console(block: Block) -> None:
    """Every command prints what stands below it."""
    for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        done = subprocess.run(
            command.replace("sh scripts/serq", "serq"),
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{block.place}: {command}\n{done.stdout}"
        if printed:
            lines = [line.rstrip() for line in done.stdout.splitlines()]
            assert re.fullmatch(pattern(printed), "".join(f"{line}\n" for line in lines)), (
                f"{block.place}: {command}\n{done.stdout}"
            )


def pattern(printed: str) -> str:
    """A regular expression for what a document says is printed."""
    lines = [
        "(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n"
        for line in printed.splitlines()
    ]
    return "".join(lines)


def check_session(block: Block, namespace: dict[str, Any]) -> None:
    """The Python session answers as it is written."""
    test = doctest.DocTestParser().get_doctest(
        block.text, namespace, block.place, block.place, int(block.place.rpartition(":")[2])
    )
    runner = doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, verbose=False
    )
    complaint = io.StringIO()
    with contextlib.redirect_stdout(complaint):
        runner.run(test, out=complaint.write, clear_globs=False)
    namespace.update(test.globs)
    assert not runner.failures, complaint.getvalue()


def test_links_lead_somewhere() -> None:
    """Links between the documents name files, and headings, that there are."""
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
            name, _, heading = target.partition("#")
            file = (ROOT / document).parent / name if name else ROOT / document
            assert file.exists(), f"{document}: {target}"
            if heading:
                assert heading in headings(file.read_text(encoding="utf-8")), (
                    f"{document}: {target}"
                )


def headings(text: str) -> set[str]:
    """The anchors of the headings of a document."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in found}
