"""The report as text for a terminal: tables, and lines on what deserves a look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isinf, nan
from typing import TYPE_CHECKING, Final

from serq_simpy.measure.record import Claim, Pool, Stage
from serq_simpy.measure.statistics import FEWEST
from serq_simpy.report.table import Cell, Column, number, table

if TYPE_CHECKING:
    from serq_simpy.report.model import Gauge, Observe, Report

_STAGE: Final = (
    ("number", "mean_number"),
    ("utilization", "utilization"),
    ("completed", "completed"),
    ("throughput", "throughput"),
    ("wait", "mean_wait"),
    ("service", "mean_service"),
)
_ENGINE: Final = (
    ("iterations", "iterations"),
    ("prefill", "prefill_only"),
    ("decode", "decode_only"),
    ("mixed", "mixed"),
    ("decodes", "mean_decodes"),
    ("batch", "mean_decode_batch"),
    ("step", "mean_decode_step"),
    ("itl", "mean_itl"),
    ("itl p50", "itl_p50"),
    ("itl p99", "itl_p99"),
)
_POOL: Final = (
    ("used", "mean_used"),
    ("queue", "mean_queue"),
    ("holders", "mean_holders"),
    ("wait", "mean_wait"),
    ("admissions", "admissions"),
)
_POOL_EVENTS: Final = (
    ("cached", "mean_cached"),
    ("evicted", "evicted_entries"),
    ("evicted units", "evicted_units"),
    ("preempted", "preemptions"),
    ("spilled", "spills"),
    ("rejected", "rejected"),
    ("stuck", "stuck"),
)


def text(report: Report) -> str:
    """The report as text, without a line end at its end."""
    seen = [metric for metric in report.client.values() if metric.count]
    sections = [
        _head(report),
        [*_observations("observation", report.observes.values()), *_constant_tests(report)],
        _observations("client", seen),
        _stages(report.stages),
        [*_engines(report.stages), *_idle(report.stages)],
        [*_pools(report.pools), *(line for pool in report.pools for line in _stalled(pool))],
        _gauges(report.gauges.values()),
        _claims(report.claims.values()),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _head(report: Report) -> list[str]:
    settings = f"horizon {number(report.horizon)}, warm-up {number(report.warmup)}"
    return [
        f"ended at {number(report.end)} ({settings}, seed {report.seed})",
        f"sessions: {report.arrivals} arrived, {report.ended} ended, "
        f"{number(report.mean_live)} live on average; {report.turns} turns",
    ]


def _observations(title: str, observes: Iterable[Observe]) -> list[str]:
    rows = list(observes)
    columns = [
        Column("count", [row.count for row in rows]),
        Column("mean", [row.mean for row in rows]),
        Column("±95%", [_width(row.ci) for row in rows]),
        Column("cv2", [row.cv2 for row in rows]),
        Column("p99", [row.p99 for row in rows]),
    ]
    return _table(title, [row.name for row in rows], columns)


def _stages(stages: Sequence[Stage]) -> list[str]:
    return _table("stage", _members(stages), _columns(stages, _STAGE))


def _engines(stages: Sequence[Stage]) -> list[str]:
    engines = [stage for stage in stages if stage.iterations or stage.idle_with_work]
    return _table("engine", _members(engines), _columns(engines, _ENGINE))


def _pools(pools: Sequence[Pool]) -> list[str]:
    columns = _columns(pools, _POOL) + _columns(pools, _POOL_EVENTS, optional=True)
    return _table("pool", _members(pools), columns)


def _gauges(gauges: Iterable[Gauge]) -> list[str]:
    rows = list(gauges)
    columns = [
        Column("mean", [row.mean for row in rows]),
        Column("±95%", [_width(row.ci) for row in rows]),
        Column("min", [row.min if row.min <= row.max else nan for row in rows]),
        Column("max", [row.max if row.min <= row.max else nan for row in rows]),
    ]
    return _table("gauge", [row.name for row in rows], columns)


def _claims(claims: Iterable[Claim]) -> list[str]:
    rows = list(claims)
    columns = [
        Column("result", [row.result.replace("_", " ") for row in rows]),
        Column("checked", [row.checked for row in rows]),
        Column("failures", [row.failures for row in rows]),
        Column("first at", [row.first for row in rows], optional=True),
        Column("", [row.note or "" for row in rows], optional=True),
    ]
    return _table("claim", [row.name for row in rows], columns)


def _constant_tests(report: Report) -> Iterator[str]:
    """The tests that were never true: the means of such a run may not say what they seem to."""
    for observe in report.observes.values():
        if observe.name in report.tests and observe.count >= FEWEST and not any(observe.samples):
            yield f"note: observe {observe.name} is constant 0 over {observe.count} samples"


def _idle(stages: Iterable[Stage]) -> Iterator[str]:
    for stage in stages:
        if stage.idle_with_work:
            yield f"idle: engine {_member(stage)} has work, but its last try scheduled nothing"


def _stalled(pool: Pool) -> Iterator[str]:
    """What in a pool did not get further."""
    name = f"pool {_member(pool)}"
    if pool.growing_at_end:
        line = f"grow: {name}: {_counted(pool.growing_at_end, 'hold')} waiting to grow at the end"
        if pool.growing_stalled:
            line += ", among them every session that holds it: they wait for ever"
        yield line
    if pool.over_cap is not None:
        asked = number(pool.over_cap.need)
        yield (
            f"over: {name}: the head of the queue of {pool.over_cap.queue} asks {asked}, "
            "more than the cap"
        )
    if pool.stuck:
        sessions = _counted(pool.stuck, "session")
        yield f"stuck: {name}: {sessions} preempted again without getting further"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _table(title: str, names: Sequence[str], columns: Sequence[Column]) -> list[str]:
    return table(title, names, columns) if names else []


def _columns(
    rows: Sequence[Stage] | Sequence[Pool],
    fields: Iterable[tuple[str, str]],
    *,
    optional: bool = False,
) -> list[Column]:
    return [
        Column(title, [getattr(row, field) for row in rows], optional) for title, field in fields
    ]


def _members(rows: Sequence[Stage] | Sequence[Pool]) -> list[str]:
    return [_member(row) for row in rows]


def _member(row: Stage | Pool) -> str:
    return row.name if row.index is None else f"{row.name}[{row.index}]"


def _width(ci: float) -> Cell:
    """The half width of an interval; nothing where there are too few samples for one."""
    return None if isinf(ci) else ci
