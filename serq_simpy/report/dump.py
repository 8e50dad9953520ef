"""A report's samples and tables, written to a folder as CSV files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from serq_simpy.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from serq_simpy.report.model import Report

Made = Callable[[], "pd.DataFrame"]


def dump(report: Report, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Write the report's samples and tables into `folder`, which is made if need be.

    `NAME.csv` is an observation and `client/NAME.csv` what the client saw (columns time,
    session, turn, value), `gauge/NAME.csv` a gauge (time, value); `report.stages.csv`,
    `report.pools.csv`, `report.observes.csv` and `report.client.csv` are tables. A file
    is written whole or not at all; one that is there already is replaced.

    Raises UsageError when two files would have one name, when `folder` holds files that
    this run does not write (they are never touched, and with `overwrite` they may stay),
    and when a file cannot be written.
    """
    root = Path(folder)
    files = _files(report)
    _refuse_clashes(name for name, _ in files)
    try:
        if not overwrite:
            _refuse_strangers(root, {root / name for name, _ in files})
        for name, made in files:
            _write(root / name, made())
    except OSError as error:
        path = error.filename2 or error.filename or root
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _files(report: Report) -> list[tuple[str, Made]]:
    """The path in the folder, and what makes the content, of every file."""
    files: list[tuple[str, Made]] = []
    for name, observe in report.observes.items():
        files.append((f"{_file_name(name)}.csv", observe.to_frame))
    for name, seen in report.client.items():
        files.append((f"client/{_file_name(name)}.csv", seen.to_frame))
    for name, gauge in report.gauges.items():
        files.append((f"gauge/{_file_name(name)}.csv", gauge.to_frame))
    files.append(("report.stages.csv", report.stages_frame))
    files.append(("report.pools.csv", report.pools_frame))
    files.append(("report.observes.csv", report.observes_frame))
    files.append(("report.client.csv", report.client_frame))
    return files


def _file_name(name: str) -> str:
    """`name`, which a program given as JSON can have chosen at will."""
    if not name or name.startswith(".") or set(name) & set("/\\:\0"):
        raise UsageError(
            Diagnostic(f"`{name}` cannot be the name of a file", help="rename it in the program")
        )
    return name


def _refuse_clashes(names: Iterator[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        key = normalize("NFC", name).casefold()
        if key in seen:
            raise UsageError(
                Diagnostic(
                    f"`{seen[key]}` and `{name}` would be one file where case does not count",
                    help="rename one of the two in the program",
                )
            )
        seen[key] = name


def _refuse_strangers(root: Path, own: set[Path]) -> None:
    for path in _visible_files(root):
        if path not in own:
            raise UsageError(
                Diagnostic(
                    f"{root} holds files of something else ({path.relative_to(root)})",
                    help="name another folder, or allow it with --overwrite",
                )
            )


def _visible_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder, name)


def _write(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        frame.to_csv(beside, index=False, na_rep="nan", lineterminator="\n", encoding="utf-8")
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
