"""Traces: recorded sessions, read from CSV."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Final, NoReturn

from serq_simpy.errors import Diagnostic, TraceError

Turn = tuple[float, float, float, float]
"""What a trace says of a turn: new, out, think, forced."""

_COLUMNS: Final = ("session", "turn", "new", "out", "think", "forced")
_SHAPE: Final = "session,turn,new,out,think[,forced]"
_UNREAD: Final = 1
"""The column whose content is not looked at."""

_NUMBER: Final = r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)"
_FIELD: Final = re.compile(_NUMBER, re.ASCII | re.IGNORECASE)
_ROW: Final = re.compile(
    rf"({_NUMBER}),[^,]*,({_NUMBER}),({_NUMBER}),({_NUMBER})(?:,({_NUMBER}))?",
    re.ASCII | re.IGNORECASE,
)
_BLANK: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_LARGEST: Final = 2**64 - 1
_LONGEST_ECHO: Final = 60


def read_trace(path: str | os.PathLike[str]) -> list[list[Turn]]:
    """The sessions of a trace, each the list of its turns (new, out, think, forced).

    A row is `session,turn,new,out,think[,forced]`; empty lines, lines that start with
    `#` or with `session` are skipped. Successive rows with one session number are one
    session. A relative path is read from the current directory.

    Raises TraceError when the file cannot be read or is no trace.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"a path is a string, not {type(name).__name__}")
    sessions: list[list[Turn]] = []
    last = None
    for number, turn in _rows(name, _text_of(name)):
        if number != last:
            sessions.append([])
            last = number
        sessions[-1].append(turn)
    if not sessions:
        raise _error(name, "empty trace", f"add a data row using {_SHAPE}")
    return sessions


def _text_of(name: str) -> str:
    try:
        return Path(name).read_bytes().decode()
    except OSError as error:
        reason = f"{error.strerror} (os error {error.errno})"
    except UnicodeDecodeError:
        reason = "stream did not contain valid UTF-8"
    except ValueError as error:
        reason = str(error)
    raise TraceError(f"cannot read trace {name}: {reason}") from None


def _rows(name: str, text: str) -> Iterator[tuple[int, Turn]]:
    """The session number and the turn of every row."""
    match = _ROW.fullmatch
    for place, line in enumerate(text.split("\n"), 1):
        row = line.strip(_BLANK)
        if not row or row.startswith(("#", "session")):
            continue
        found = match(row)
        if found is None:
            _explain(name, place, row)
        session, new, out, think, forced = found.groups("0")
        turn = (float(new), float(out), float(think), float(forced))
        yield _whole(float(session)), turn


def _whole(session: float) -> int:
    """The session number of a row: truncated, and no less than 0."""
    if isnan(session) or session <= 0.0:
        return 0
    return int(session) if session < _LARGEST else _LARGEST


def _explain(name: str, place: int, row: str) -> NoReturn:
    """Raise for a line that is no row, by its first mistake."""
    cells = row.split(",")
    if len(cells) not in (5, 6):
        wrong = f"line {place}: expected 5 or 6 fields, got {len(cells)}"
        raise _error(name, wrong, f"use {_SHAPE}")
    column = next(i for i, cell in enumerate(cells) if i != _UNREAD and not _FIELD.fullmatch(cell))
    title, cell = _COLUMNS[column], cells[column]
    if len(cell) > _LONGEST_ECHO:
        cell = f"{cell[:_LONGEST_ECHO]}…"
    wrong = f"line {place}: column {column + 1} ({title}): invalid number `{cell}`"
    raise _error(name, wrong, f"replace `{title}` with a numeric value")


def _error(name: str, message: str, mend: str) -> TraceError:
    return TraceError(Diagnostic(f"trace {name}: {message}", help=mend))
