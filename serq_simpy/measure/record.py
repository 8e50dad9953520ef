"""What a run hands over to its report: plain records, one a resource.

The fields are the report's, by the report's names; times are in the clock's
unit and averages are over the measured time, from the end of the warm-up to the
end of the run. An average of nothing is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_simpy.measure.gauges import GaugeRecorder
    from serq_simpy.measure.samples import Samples


class OverCap(NamedTuple):
    """The head of queue `queue` asks `need` units of a pool, more than its cap."""

    queue: str
    need: float


@dataclass(frozen=True, slots=True)
class Stage:
    """What happened at one stage.

    `mean_number` is the time average of the jobs present and `utilization` the
    fraction of time with at least one (of a shared stage: the part of its capacity that
    its flows carried). `mean_wait` and `mean_service` are over the jobs completed
    in the measured time. From `iterations` on the figures are an engine's.
    """

    name: str
    index: int | None
    mean_number: float
    utilization: float
    completed: int
    throughput: float
    mean_wait: float
    mean_service: float
    iterations: int = 0
    prefill_only: float = 0.0
    decode_only: float = 0.0
    mixed: float = 0.0
    mean_decodes: float = 0.0
    mean_decode_batch: float = nan
    mean_decode_step: float = nan
    mean_itl: float = nan
    itl_p50: float = nan
    itl_p99: float = nan
    idle_with_work: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """What happened at one pool.

    The means are time averages of units allocated, units cached, holds waiting and
    allocations; `mean_wait` is over the holds admitted in the measured time. The
    counts are from time 0.
    """

    name: str
    index: int | None
    mean_used: float
    mean_cached: float
    mean_queue: float
    mean_holders: float
    mean_wait: float
    admissions: int
    evicted_entries: int
    evicted_units: float
    preemptions: int
    spills: int
    rejected: int
    stuck: int
    over_cap: OverCap | None
    growing_at_end: int
    growing_stalled: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """What a run found of a claim."""

    name: str
    kind: str
    result: str
    checked: int
    failures: int
    first: float | None
    note: str | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """All that a run measured.

    `observations` and `client` hold every sample recorded since the end of the
    warm-up; `gauges` every change point since time 0.
    """

    horizon: float
    warmup: float
    seed: int
    end: float
    events: int
    arrivals: int
    ended: int
    turns: int
    mean_live: float
    observations: tuple[Samples, ...]
    client: tuple[Samples, ...]
    gauges: tuple[GaugeRecorder, ...]
    claims: tuple[Claim, ...]
    stages: tuple[Stage, ...]
    pools: tuple[Pool, ...]
    tests: frozenset[str] = field(default_factory=frozenset)
    """The observations whose expression is a test (a comparison, `&&`, `||`, `!`)."""
