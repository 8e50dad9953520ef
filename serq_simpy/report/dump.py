"""A report's samples and tables, written to a folder as CSV files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from serq_simpy.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from serq_simpy.report.model import Report

_LONGEST = 200
"""Bytes of a name: a file's may have 255, with what is put before and after it."""


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
    check_folder(root, report.observes, report.gauges, overwrite)
    contents = [
        *(observe.to_frame for observe in report.observes.values()),
        *(gauge.to_frame for gauge in report.gauges.values()),
        *(seen.to_frame for seen in report.client.values()),
        report.stages_frame,
        report.pools_frame,
        report.observes_frame,
        report.client_frame,
    ]
    try:
        for name, made in zip(_files(report.observes, report.gauges), contents, strict=True):
            _write(root / name, made())
    except OSError as error:
        path = error.filename2 or error.filename or root
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def check_folder(
    folder: Path, observes: Iterable[str], gauges: Iterable[str], overwrite: bool
) -> None:
    """Raise the UsageError of a dump that cannot be made, as far as the names tell.

    To be asked before a long run: its observations and gauges are known then.
    """
    names = _files(observes, gauges)
    _refuse_clashes(names)
    _refuse_unwritable(folder, names)
    if not overwrite:
        _refuse_strangers(folder, {folder / name for name in names})


def _files(observes: Iterable[str], gauges: Iterable[str]) -> list[str]:
    """The path of every file in the folder."""
    return [
        *(f"{_file_name(name)}.csv" for name in observes),
        *(f"gauge/{_file_name(name)}.csv" for name in gauges),
        *(f"client/{name}.csv" for name in ("ttft", "tpot", "response")),
        *(f"report.{table}.csv" for table in ("stages", "pools", "observes", "client")),
    ]


def _file_name(name: str) -> str:
    """`name`, which a program given as JSON can have chosen at will."""
    if len(os.fsencode(name)) > _LONGEST:
        raise UsageError(
            Diagnostic(
                f"`{name[:40]}…` is too long for the name of a file",
                help="rename it in the program",
            )
        )
    if not name or name.startswith(".") or set(name) & set("/\\:\0"):
        raise UsageError(
            Diagnostic(f"`{name}` cannot be the name of a file", help="rename it in the program")
        )
    return name


def _refuse_unwritable(folder: Path, names: Iterable[str]) -> None:
    """Raise where the folder, or the one it would be made in, takes no file."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if not there.is_dir():
        what = "it" if there == folder else f"`{there}`"
        raise UsageError(f"cannot write to `{folder}`: {what} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write to `{folder}`: permission denied in `{there}`")
    for name in names:
        if (folder / name).is_dir():
            raise UsageError(f"cannot write `{folder / name}`: it is a folder")


def _refuse_clashes(names: Iterable[str]) -> None:
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
