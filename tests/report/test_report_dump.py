"""Samples and tables as files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from serq_simpy.errors import UsageError
from serq_simpy.report import Report
from serq_simpy.report.dump import dump

TABLES = {"report.stages.csv", "report.pools.csv", "report.observes.csv", "report.client.csv"}
CLIENT = {"client/ttft.csv", "client/tpot.csv", "client/response.csv"}


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_files(report_of: Callable[..., Report], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    dump(report_of("engine"), folder)
    assert files(folder) == {"long.csv", "asked.csv", "gauge/load.csv"} | TABLES | CLIENT
    assert (folder / "gauge/load.csv").read_text().startswith("time,value\n0.0,")


@pytest.mark.parametrize("name", ["engine", "numbers"])
def test_samples_come_back_to_the_last_bit(
    name: str, report_of: Callable[..., Report], tmp_path: Path
) -> None:
    report = report_of(name)
    dump(report, tmp_path)
    for observe in report.observes.values():
        with (tmp_path / f"{observe.name}.csv").open(newline="") as file:
            header, *rows = csv.reader(file)
        assert header == ["time", "session", "turn", "value"]
        assert len(rows) == observe.count
        for row, recorded in zip(rows, observe.rows.tolist(), strict=True):
            assert list(map(repr, map(float, row))) == list(map(repr, recorded))


def test_tables(report_of: Callable[..., Report], tmp_path: Path) -> None:
    report = report_of("growing")
    dump(report, tmp_path)
    pools = pd.read_csv(tmp_path / "report.pools.csv")
    assert pools["name"].tolist() == ["m", "t"]
    assert pools["over_cap_queue"].tolist()[1] == "t"
    stages = pd.read_csv(tmp_path / "report.stages.csv")
    assert stages["completed"].tolist() == [stage.completed for stage in report.stages]


def test_a_second_run_replaces_the_first(report_of: Callable[..., Report], tmp_path: Path) -> None:
    dump(report_of("engine"), tmp_path)
    (tmp_path / "asked.csv").write_text("old")
    (tmp_path / ".keep").write_text("")
    dump(report_of("engine"), tmp_path)
    assert (tmp_path / "asked.csv").read_text() != "old"


@pytest.mark.parametrize("stranger", ["notes.txt", "gauge/other.csv", "src/deep/main.py"])
def test_a_folder_of_something_else(
    stranger: str, report_of: Callable[..., Report], tmp_path: Path
) -> None:
    path = tmp_path / stranger
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match="holds files of something else"):
        dump(report_of("engine"), tmp_path)
    assert files(tmp_path) == {stranger}
    dump(report_of("engine"), tmp_path, overwrite=True)
    assert path.read_text() == "mine" and (tmp_path / "asked.csv").exists()


@pytest.mark.parametrize(
    ("first", "second"), [("A", "a"), ("straße", "STRASSE"), ("\u00e9", "e\u0301")]
)
def test_names_that_are_one_file_elsewhere(
    first: str,
    second: str,
    report_of: Callable[..., Report],
    samples_of: Callable[..., Any],
    tmp_path: Path,
) -> None:
    observations = (samples_of(first, []), samples_of(second, []))
    with pytest.raises(UsageError, match="one file"):
        dump(report_of("engine", observations=observations), tmp_path)
    assert files(tmp_path) == set()


@pytest.mark.parametrize("name", ["", "../up", "a/b", "/etc/x", "a\0b", ".hidden", "..", "c:\\x"])
def test_names_that_are_no_file(
    name: str, report_of: Callable[..., Report], samples_of: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a file"):
        dump(report_of("engine", observations=(samples_of(name, []),)), tmp_path)
    assert files(tmp_path) == set()


def test_an_observation_by_the_name_of_a_table(
    report_of: Callable[..., Report], samples_of: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="one file"):
        dump(report_of("engine", observations=(samples_of("Report.Stages", []),)), tmp_path)


def test_a_folder_that_is_a_file(report_of: Callable[..., Report], tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.write_text("mine")
    with pytest.raises(UsageError, match="cannot write") as caught:
        dump(report_of("engine"), path)
    assert "\n" not in str(caught.value)
    assert path.read_text() == "mine"


def test_a_name_too_long_for_a_file(
    report_of: Callable[..., Report], samples_of: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="too long for the name of a file"):
        dump(report_of("engine", observations=(samples_of("x" * 400, []),)), tmp_path)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), OSError(28, os.strerror(28))])
def test_a_file_is_whole_or_not_there(
    interruption: BaseException,
    report_of: Callable[..., Report],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The third file stops in its middle; the two before it are complete."""
    write, written = pd.DataFrame.to_csv, []

    def stopping(frame: pd.DataFrame, path: Path, **options: Any) -> None:
        written.append(path)
        if len(written) == 3:
            path.write_text("time,sess")
            raise interruption
        write(frame, path, **options)

    monkeypatch.setattr(pd.DataFrame, "to_csv", stopping)
    with pytest.raises((KeyboardInterrupt, UsageError)):
        dump(report_of("engine"), tmp_path)
    assert files(tmp_path) == {"long.csv", "asked.csv"}
