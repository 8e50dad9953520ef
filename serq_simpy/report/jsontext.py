"""The report as JSON: fields in their order, numbers in full decimal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING

from serq_simpy.measure.record import Claim, OverCap, Pool, Stage

if TYPE_CHECKING:
    from serq_simpy.report.model import Gauge, Observe, Report

_SETTINGS = ("serq_version", "horizon", "end", "warmup", "seed")
_COUNTS = ("events", "arrivals", "ended", "turns", "mean_live")
_STATISTICS = ("count", "mean", "ci", "cv2", "p99")
_GAUGE = ("mean", "ci", "min", "max")


def json_text(report: Report) -> str:
    """The report on one line."""
    tree = {name: getattr(report, name) for name in (*_SETTINGS, *_COUNTS)}
    tree["observes"] = _by_name(report.observes, _STATISTICS)
    tree["client"] = _by_name(report.client, _STATISTICS)
    tree["gauges"] = _by_name(report.gauges, _GAUGE)
    if report.claims:
        tree["claims"] = [_row(claim) for claim in report.claims.values()]
    tree["stages"] = [_row(stage) for stage in report.stages]
    tree["pools"] = [_row(pool) for pool in report.pools]
    return _written(tree)


def decimal(number: float) -> str:
    """The shortest digits that give the number back, without exponent or needless point.

    `null` for NaN and the infinities.
    """
    if not isfinite(number):
        return "null"
    digits = repr(float(number))
    if "e" in digits:
        digits = format(Decimal(digits), "f")
    return digits.removesuffix(".0")


def _by_name(
    table: Mapping[str, Observe] | Mapping[str, Gauge], names: tuple[str, ...]
) -> dict[str, object]:
    return {key: {name: getattr(entry, name) for name in names} for key, entry in table.items()}


def _row(row: Claim | Stage | Pool) -> dict[str, object]:
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _written(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return decimal(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case OverCap():
            return _written(value._asdict())
        case Mapping():
            return _joined("{}", (f"{_written(k)}:{_written(v)}" for k, v in value.items()))
        case Iterable():
            return _joined("[]", map(_written, value))
    raise TypeError(f"no JSON for {type(value).__name__}")


def _joined(brackets: str, parts: Iterable[str]) -> str:
    return f"{brackets[0]}{','.join(parts)}{brackets[1]}"
