"""The report of a run: the names a user reads results by.

Statistics are made from the samples when they are first asked for. An average of
nothing is NaN.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from serq_simpy._version import VERSION
from serq_simpy.measure import statistics
from serq_simpy.measure.gauges import GaugeRecorder, GaugeStatistics
from serq_simpy.measure.record import Claim, Pool, RunRecord, Stage
from serq_simpy.measure.samples import Samples

if TYPE_CHECKING:
    import pandas as pd

REPORT_VERSION: Final = 1
"""The version of the names and meanings of the report's fields."""


class Observe:
    """An observation: the program's, or what the client saw.

    `samples`, `times`, `sessions` and `turns` are the columns of its samples, in the
    order of recording; each access makes a new list.
    """

    def __init__(self, recorded: Samples) -> None:
        self._recorded = recorded
        self.name = recorded.name

    def __repr__(self) -> str:
        return f"<Observe {self.name}: {self.count} samples, mean {self.mean:.6g}>"

    @property
    def rows(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """The samples, an array of shape (count, 4): time, session, turn, value."""
        return self._recorded.rows

    @property
    def count(self) -> int:
        """The number of samples recorded at or after the end of the warm-up."""
        return len(self._recorded)

    @property
    def samples(self) -> list[float]:
        """The values."""
        return _listed(self._values)

    @property
    def times(self) -> list[float]:
        """When each sample was recorded."""
        return _listed(self.rows[:, 0])

    @property
    def sessions(self) -> list[int]:
        """The serial of the session that recorded each sample."""
        return _whole(self.rows[:, 1])

    @property
    def turns(self) -> list[int]:
        """The number of the turn in which each sample was recorded."""
        return _whole(self.rows[:, 2])

    @cached_property
    def mean(self) -> float:
        """The mean; NaN without samples."""
        return statistics.mean(self._values)

    @cached_property
    def ci(self) -> float:
        """Half width of the mean's 95 % interval by batch means; inf below 40 samples."""
        return statistics.half_width(self._values)

    @cached_property
    def cv2(self) -> float:
        """The squared coefficient of variation; NaN below two samples."""
        return statistics.cv2(self._values, self.mean)

    @cached_property
    def p99(self) -> float:
        """The 99th percentile, one of the samples; NaN without any."""
        return statistics.p99(self._values)

    def to_frame(self) -> pd.DataFrame:
        """The samples as a data frame: time, session, turn, value."""
        from serq_simpy.report import frames

        return frames.samples(self)

    @property
    def _values(self) -> statistics.Values:
        return self.rows[:, 3]


class Gauge:
    """A gauge: its statistics over the measured time, and its path since time 0.

    `times` and `values` are its change points; each access makes a new list.
    """

    def __init__(self, recorder: GaugeRecorder, warmup: float, end: float) -> None:
        self._recorder = recorder
        self._warmup = warmup
        self._end = end
        self.name = recorder.name

    def __repr__(self) -> str:
        return f"<Gauge {self.name}: mean {self.mean:.6g}>"

    @property
    def times(self) -> list[float]:
        """The times of the change points; the first is 0."""
        return _listed(self._recorder.times)

    @property
    def values(self) -> list[float]:
        """The values from the change points on."""
        return _listed(self._recorder.values)

    @property
    def mean(self) -> float:
        """The time average; NaN for a gauge that was NaN."""
        return self._statistics.mean

    @property
    def ci(self) -> float:
        """Half width of the mean's 95 % interval, by the means of 20 equal windows."""
        return self._statistics.ci

    @property
    def min(self) -> float:
        """The least value held for a positive time."""
        return self._statistics.min

    @property
    def max(self) -> float:
        """The greatest value held for a positive time."""
        return self._statistics.max

    def to_frame(self) -> pd.DataFrame:
        """The change points as a data frame: time, value."""
        from serq_simpy.report import frames

        return frames.changes(self)

    @cached_property
    def _statistics(self) -> GaugeStatistics:
        return self._recorder.statistics(self._warmup, self._end)


class Report:
    """What a run found.

    `horizon`, `warmup` and `seed` are the settings, `end` is when the run ended;
    `arrivals` and `events` count from time 0, `ended` sessions and begun `turns` from the
    end of the warm-up; `mean_live` is the time average of live sessions. `observes`,
    `client` (`ttft`, `tpot` and `response`), `gauges` and `claims` are dictionaries by
    name in the program's order, `stages` and `pools` lists with a row for every member.
    """

    def __init__(self, record: RunRecord) -> None:
        self.serq_version = VERSION
        self.horizon = record.horizon
        self.warmup = record.warmup
        self.seed = record.seed
        self.end = record.end
        self.events = record.events
        self.arrivals = record.arrivals
        self.ended = record.ended
        self.turns = record.turns
        self.mean_live = record.mean_live
        self.observes = {samples.name: Observe(samples) for samples in record.observations}
        self.client = {samples.name: Observe(samples) for samples in record.client}
        self.gauges = {
            gauge.name: Gauge(gauge, record.warmup, record.end) for gauge in record.gauges
        }
        self.claims = {claim.name: claim for claim in record.claims}
        self.stages = list(record.stages)
        self.pools = list(record.pools)
        self.tests = record.tests

    def __repr__(self) -> str:
        return f"<Report of {self.arrivals} sessions until {self.end:.6g}, seed {self.seed}>"

    def __str__(self) -> str:
        from serq_simpy.report.text import text

        return text(self)

    def _repr_html_(self) -> str:
        from serq_simpy.report import frames

        return frames.html(self)

    def observe(self, name: str) -> Observe | None:
        """The observation `name`, None where there is none."""
        return self.observes.get(_text(name))

    def gauge(self, name: str) -> Gauge | None:
        """The gauge `name`, None where there is none."""
        return self.gauges.get(_text(name))

    def claim(self, name: str) -> Claim | None:
        """The claim `name`, None where there is none."""
        return self.claims.get(_text(name))

    def stage(self, name: str) -> Stage | None:
        """The stage `name`, of a family the first; None where there is none."""
        return next(iter(self.stages_named(name)), None)

    def stages_named(self, name: str) -> list[Stage]:
        """The members of the stage `name`, in order of index."""
        wanted = _text(name)
        return [stage for stage in self.stages if stage.name == wanted]

    def pool(self, name: str) -> Pool | None:
        """The pool `name`, of a family the first; None where there is none."""
        return next(iter(self.pools_named(name)), None)

    def pools_named(self, name: str) -> list[Pool]:
        """The members of the pool `name`, in order of index."""
        wanted = _text(name)
        return [pool for pool in self.pools if pool.name == wanted]

    def json(self) -> str:
        """The report as JSON on one line; a NaN or an infinity is null."""
        from serq_simpy.report.jsontext import json_text

        return json_text(self)

    def stages_frame(self) -> pd.DataFrame:
        """The stages as a data frame, a row for every member."""
        from serq_simpy.report import frames

        return frames.stages(self)

    def pools_frame(self) -> pd.DataFrame:
        """The pools as a data frame, a row for every member."""
        from serq_simpy.report import frames

        return frames.pools(self)

    def observes_frame(self) -> pd.DataFrame:
        """The statistics of the observations as a data frame."""
        from serq_simpy.report import frames

        return frames.statistics(self.observes.values())

    def client_frame(self) -> pd.DataFrame:
        """The statistics of what the client saw as a data frame."""
        from serq_simpy.report import frames

        return frames.statistics(self.client.values())

    def gauges_frame(self) -> pd.DataFrame:
        """The statistics of the gauges as a data frame."""
        from serq_simpy.report import frames

        return frames.gauges(self)

    def claims_frame(self) -> pd.DataFrame:
        """The claims as a data frame."""
        from serq_simpy.report import frames

        return frames.claims(self)

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """All tables by name: observes, client, stages, pools, gauges, claims."""
        return {
            "observes": self.observes_frame(),
            "client": self.client_frame(),
            "stages": self.stages_frame(),
            "pools": self.pools_frame(),
            "gauges": self.gauges_frame(),
            "claims": self.claims_frame(),
        }


def _listed(column: statistics.Values) -> list[float]:
    numbers: list[float] = column.tolist()
    return numbers


def _whole(column: statistics.Values) -> list[int]:
    numbers: list[int] = column.astype(np.int64).tolist()
    return numbers


def _text(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a name is a string, not {type(name).__name__}")
    return name
