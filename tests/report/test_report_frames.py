"""The report as data frames."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pandas as pd

from serq_simpy.report import Report


def test_samples(report_of: Callable[..., Report]) -> None:
    asked = report_of("engine").observes["asked"]
    frame = asked.to_frame()
    assert list(frame.columns) == ["time", "session", "turn", "value"]
    assert frame["value"].tolist() == asked.samples
    assert frame["session"].tolist() == asked.sessions
    assert frame["session"].dtype == frame["turn"].dtype == "int64"
    empty = report_of("numbers").observes["never"].to_frame()
    assert list(empty.dtypes) == list(frame.dtypes) and len(empty) == 0


def test_change_points(report_of: Callable[..., Report]) -> None:
    gauge = report_of("engine").gauges["load"]
    frame = gauge.to_frame()
    assert frame["time"].tolist() == gauge.times and frame["value"].tolist() == gauge.values


def test_tables(report_of: Callable[..., Report]) -> None:
    report = report_of("growing")
    stages, pools = report.stages_frame(), report.pools_frame()
    assert stages["name"].tolist() == ["d", "s", "s"]
    assert stages["index"].isna().tolist() == [True, False, False]
    assert stages["index"].tolist()[1:] == [0, 1]
    assert stages["completed"].tolist() == [stage.completed for stage in report.stages]
    assert pools["over_cap_queue"].tolist()[1] == "t" and pools["over_cap_need"].tolist()[1] == 6
    assert pd.isna(pools["over_cap_need"][0])
    assert pools["growing_stalled"].tolist() == [True, False]
    client = report_of("engine").client_frame()
    assert client["name"].tolist() == ["ttft", "tpot", "response"]
    tables = report.to_frames()
    assert list(tables) == ["observes", "client", "stages", "pools", "gauges", "claims"]
    assert [len(table) for table in tables.values()] == [0, 3, 3, 2, 2, 0]


def test_a_report_of_nothing_has_the_same_columns(report_of: Callable[..., Report]) -> None:
    empty, full = report_of("nothing").to_frames(), report_of("engine").to_frames()
    for name, table in full.items():
        assert list(table.columns) == list(empty[name].columns), name


def test_in_a_notebook(report_of: Callable[..., Report]) -> None:
    html = report_of("growing")._repr_html_()
    assert html.count("<table") == html.count("</table>") == 4
    assert "<h4>Pools</h4>" in html and "Observations" not in html


def test_importing_the_report_does_not_import_pandas() -> None:
    code = (
        "import sys, serq_simpy.report, serq_simpy.report.text; sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
