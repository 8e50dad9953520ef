"""The report as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from serq_simpy.measure.record import Claim, Pool, Stage
from serq_simpy.measure.samples import COLUMNS

if TYPE_CHECKING:
    from serq_simpy.report.model import Gauge, Observe, Report

_TITLES = {
    "observes": "Observations",
    "client": "Client",
    "stages": "Stages",
    "pools": "Pools",
    "gauges": "Gauges",
    "claims": "Claims",
}


def samples(observe: Observe) -> pd.DataFrame:
    """The samples of an observation: time, session, turn, value."""
    frame = pd.DataFrame(observe.rows, columns=list(COLUMNS))
    return frame.astype({"session": np.int64, "turn": np.int64})


def changes(gauge: Gauge) -> pd.DataFrame:
    """The change points of a gauge: time, value."""
    return pd.DataFrame({"time": gauge.times, "value": gauge.values}, dtype=np.float64)


def statistics(observes: Iterable[Observe]) -> pd.DataFrame:
    """A row of statistics for every observation."""
    names = ["name", "count", "mean", "ci", "cv2", "p99"]
    return _frame(names, [[getattr(observe, name) for name in names] for observe in observes])


def gauges(report: Report) -> pd.DataFrame:
    """A row of statistics for every gauge."""
    names = ["name", "mean", "ci", "min", "max"]
    rows = [[getattr(gauge, name) for name in names] for gauge in report.gauges.values()]
    return _frame(names, rows)


def stages(report: Report) -> pd.DataFrame:
    """A row for every stage; `index` is missing unless it is of a family."""
    return _numbered(_table(Stage, report.stages))


def pools(report: Report) -> pd.DataFrame:
    """A row for every pool; `index` is missing unless it is of a family.

    What a queue's head asks over the cap is in `over_cap_queue` and `over_cap_need`.
    """
    frame = _numbered(_table(Pool, report.pools))
    place = list(frame.columns).index("over_cap")
    over = [(None, None) if cap is None else cap for cap in frame.pop("over_cap")]
    queues = pd.Series([queue for queue, _ in over], dtype=object)
    needs = pd.Series([need for _, need in over], dtype=np.float64)
    frame.insert(place, "over_cap_queue", queues)
    frame.insert(place + 1, "over_cap_need", needs)
    return frame


def claims(report: Report) -> pd.DataFrame:
    """A row for every claim."""
    return _table(Claim, list(report.claims.values()))


def html(report: Report) -> str:
    """The tables of the report that have rows, for a notebook."""
    parts = [
        f"<h4>{_TITLES[name]}</h4>{frame.to_html(index=False)}"
        for name, frame in report.to_frames().items()
        if len(frame)
    ]
    return "".join(parts)


def _table(
    kind: type[Stage] | type[Pool] | type[Claim], rows: Sequence[Stage | Pool | Claim]
) -> pd.DataFrame:
    names = [field.name for field in fields(kind)]
    return _frame(names, [[getattr(row, name) for name in names] for row in rows])


def _frame(names: list[str], rows: list[list[object]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=names)


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({"index": "Int64"})
