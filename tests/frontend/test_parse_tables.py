"""The tables of the grammar: current, of one reading, and used without being built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import serq_simpy.frontend
from serq_simpy.frontend import lalr, words
from serq_simpy.frontend.grammar import PRODUCTIONS
from serq_simpy.frontend.notation import Rule, always, is_result, productions

FRONTEND = Path(serq_simpy.frontend.__path__[0])
ROOT = FRONTEND.parent.parent

LITERALS = {s for p in PRODUCTIONS for s in p.symbols if not is_result(s)}


def test_the_tables_are_those_of_the_grammar():
    """Otherwise run scripts/build-tables. Building raises where the grammar has two readings."""
    assert (FRONTEND / "tables.py").read_text(encoding="utf-8") == lalr.table_text()


def test_a_second_reading_is_refused(monkeypatch):
    for pattern, message in [
        ("<word> : <expr>", "reduce by"),
        ("<member> : <expr>", "may be shifted or reduce"),
    ]:
        rule = Rule("cost-field", pattern, always(None))
        monkeypatch.setattr(lalr, "PRODUCTIONS", (*PRODUCTIONS, *_new(rule)))
        with pytest.raises(lalr.Conflict, match=message):
            lalr.table_text()


def _new(rule):
    return [p for p in productions([rule]) if p not in PRODUCTIONS and p.result == "<cost-field>"]


def test_the_words_of_the_grammar_are_those_of_the_table():
    in_grammar = {s for s in LITERALS if s.isalpha() and not s.isupper()}
    assert in_grammar <= words.KEYWORDS
    retired = {"step", "link", "memory", "budget", "chunk"}
    assert words.KEYWORDS - in_grammar == retired


def test_the_list_of_words_is_the_languages():
    assert len(words.LANGUAGE_WORDS) == 143
    assert not words.LANGUAGE_WORDS & {"main", "Value", "pull", "push", "args", "number", "self"}
    assert {"admission", "batch"} == words.SUPPLIED_NAMES & words.CONSTRUCTS


SCRIPT = """
from serq_simpy.errors import ProgramSyntaxError, Source
from serq_simpy.frontend.parse import parse_program
import sys
program = parse_program(Source("", "fn main() { let a = 1; server { observe x = a; } }"))
try:
    parse_program(Source("", "fn main() { let = 1; }"))
except ProgramSyntaxError as error:
    print(len(program.main), error.diagnostics[0].message, "ply.yacc" in sys.modules)
"""


@pytest.mark.parametrize("flags", [[], ["-O"], ["-OO"]])
def test_nothing_is_built_or_written_when_a_program_is_read(tmp_path, flags):
    files = sorted(FRONTEND.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *flags, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "2 expected a name, found `=` False\n"
    assert list(tmp_path.iterdir()) == []
    assert sorted(FRONTEND.iterdir()) == files
