"""Reading traces; the messages are the reference implementation's."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_simpy.errors import TraceError
from serq_simpy.traces.corpus import read_corpus
from serq_simpy.traces.reading import read_trace

HEADER = "session,turn,new,out,think\n"
SHAPE = "help: use session,turn,new,out,think[,forced]"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(content: str | bytes) -> list[list[tuple[float, float, float, float]]]:
    Path("t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_trace("t.csv")


def test_example() -> None:
    text = (
        "session,turn,new,out,think,forced\n# two sessions\n7,1,10,5,2,1\n7,2,20,6,3\n9,1,30,7,4\n"
    )
    assert read(text) == [[(10, 5, 2, 1), (20, 6, 3, 0)], [(30, 7, 4, 0)]]


def test_sessions_are_successive_rows_of_one_whole_number() -> None:
    rows = "1.9,1,2,3,4\n1.2,1,2,3,4\n2,1,2,3,4\n1,1,2,3,4"
    assert list(map(len, read(rows))) == [2, 1, 1]
    assert list(map(len, read("-3,1,2,3,4\n0,1,2,3,4\nnan,1,2,3,4\n-0.5,1,2,3,4"))) == [4]
    assert list(map(len, read("1e30,1,2,3,4\ninf,1,2,3,4\n18446744073709551616,1,2,3,4"))) == [3]
    assert list(map(len, read("18446744073709551615,1,2,3,4\n18446744073709549568,1,2,3,4"))) == [
        1,
        1,
    ]


def test_the_turn_is_not_read() -> None:
    assert read("1,x y,2,3,4\n1,,5,6,7,1\n") == [[(2, 3, 4, 0), (5, 6, 7, 1)]]


@pytest.mark.parametrize(
    "rows",
    [
        "1,1,2,3,4\r\n",
        "  1,1,2,3,4  \n\t# c\n  session x\nsessions,1,2,3,4",
        "\n\n1,1,2,3,4\n\n",
        "1,1,2,3,4\x0b\x0c",
        "\u30001,1,2,3,4\u2028\u00a0\x85",
    ],
)
def test_what_is_skipped(rows: str) -> None:
    assert read(rows) == [[(2, 3, 4, 0)]]


def test_numbers() -> None:
    assert read("1,1,.5,5.,1.e2") == [[(0.5, 5, 100, 0)]]
    assert read("1,1,Infinity,-inf,+iNf") == [[(inf, -inf, inf, 0)]]
    assert read(f"1,1,{'9' * 400},1e-400,-1E5") == [[(inf, 0, -1e5, 0)]]
    assert all(map(isnan, read("1,1,nan,+NaN,-nan")[0][0][:3]))


WORDS = ("ten", "", "0x10", "1_0", "infinit", "nan(5)", "1d5", "٣", "1٢", "2 # x", '"1"')
SIGNS = (" 2", "2 ", ".", "e5", "+", "-", "1e", "1e+", "++1", "1 0")


@pytest.mark.parametrize("number", WORDS + SIGNS)
def test_what_is_no_number(number: str) -> None:
    with pytest.raises(TraceError) as caught:
        read(f"{HEADER}1,1,{number},3,4\n")
    assert str(caught.value) == (
        f"trace t.csv: line 2: column 3 (new): invalid number `{number}`\n"
        "help: replace `new` with a numeric value"
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", "trace t.csv: empty trace"),
        (HEADER, "trace t.csv: empty trace"),
        ("# x\n", "trace t.csv: empty trace"),
        (HEADER + "1,1,2,3\n", "trace t.csv: line 2: expected 5 or 6 fields, got 4"),
        ("1,1,2,3,4\n\n1,1,2,3,4,5,6\n", "trace t.csv: line 3: expected 5 or 6 fields, got 7"),
        ("1;1;2;3;4", "trace t.csv: line 1: expected 5 or 6 fields, got 1"),
        ("1,1,2,3,4\r1,2,3,4,5\r", "trace t.csv: line 1: expected 5 or 6 fields, got 9"),
        ("1,1,2,3,4,", "trace t.csv: line 1: column 6 (forced): invalid number ``"),
        ("a,1,b,3,4", "trace t.csv: line 1: column 1 (session): invalid number `a`"),
        ("Session,Turn,n,o,t", "trace t.csv: line 1: column 1 (session): invalid number `Session`"),
        ("\ufeff1,1,2,3,4", "trace t.csv: line 1: column 1 (session): invalid number `\\ufeff1`"),
        ("1,1,2,3,4\x1f", "trace t.csv: line 1: column 5 (think): invalid number `4\\x1f`"),
        (b"1,1,2,3,\xff", "cannot read trace t.csv: stream did not contain valid UTF-8"),
    ],
)
def test_messages(rows: str | bytes, message: str) -> None:
    with pytest.raises(TraceError) as caught:
        read(rows)
    assert str(caught.value).split("\n")[0] == message


def test_mends() -> None:
    for rows, mend in (
        ("", "help: add a data row using session,turn,new,out,think[,forced]"),
        ("1,1", SHAPE),
        ("1,1,2,3,x", "help: replace `think` with a numeric value"),
    ):
        with pytest.raises(TraceError) as caught:
            read(rows)
        assert str(caught.value).split("\n")[1] == mend


def test_a_long_field_is_not_echoed_whole() -> None:
    with pytest.raises(TraceError) as caught:
        read(f"1,1,{'1' * 100_000}x,3,4")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nofile.csv", "No such file or directory (os error 2)"),
        ("/nowhere/x.csv", "No such file or directory (os error 2)"),
        (".", "Is a directory (os error 21)"),
    ],
)
def test_a_file_that_cannot_be_read(path: str, reason: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    assert str(caught.value) == f"cannot read trace {path}: {reason}"


def test_paths() -> None:
    with pytest.raises(TraceError, match="null byte"):
        read_trace("a\0b")
    wrong: Any
    for wrong in (None, 3, b"t.csv"):
        with pytest.raises(TypeError):
            read_trace(wrong)
    Path("t.csv").write_text("1,1,2,3,4")
    assert read_trace(Path("t.csv")) == read_trace("t.csv")


FINITE = st.floats(allow_nan=False)


@given(st.lists(st.lists(st.tuples(FINITE, FINITE, FINITE, FINITE), min_size=1), min_size=1))
def test_what_is_written_is_read(sessions: list[list[tuple[float, float, float, float]]]) -> None:
    rows = [
        f"{number},{turn},{','.join(map(repr, values))}"
        for number, turns in enumerate(sessions)
        for turn, values in enumerate(turns, 1)
    ]
    assert read("\n".join(rows)) == sessions


@dataclass
class WithTrace:
    trace: str | None


def test_the_corpus_of_a_program(tmp_path: Path) -> None:
    program: Any = WithTrace("t.csv")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.csv").write_text("1,1,10,5,2,1\n")
    assert read_corpus(program, tmp_path / "sub") == [[((3, 10), (4, 5), (5, 2), (7, 1))]]
    with pytest.raises(TraceError, match=r"cannot read trace t\.csv"):
        read_corpus(program, None)
    absolute: Any = WithTrace(str(tmp_path / "sub" / "t.csv"))
    assert read_corpus(absolute, Path("elsewhere")) == read_corpus(program, tmp_path / "sub")
    nothing: Any = WithTrace(None)
    assert read_corpus(nothing, None) is None
