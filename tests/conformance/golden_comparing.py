"""Where two results differ first."""

from __future__ import annotations

from math import isclose
from typing import Any

RELATIVE = 1e-9
"""Of two equal figures, how far they may be apart as a part of the larger."""
ROUNDING = 1e-12
"""How far they may be apart whatever their size: a sum that is 0 but for rounding."""

COUNTS = frozenset(
    {
        *("seed", "arrivals", "ended", "turns", "count", "n", "completed", "iterations"),
        *("admissions", "evicted_entries", "preemptions", "spills", "rejected", "stuck"),
        *("growing_at_end", "index", "checked", "failures"),
    }
)
"""Fields that count, and are therefore exact."""

UNCOMPARED = frozenset({"serq_version", "events"})
"""Fields that tell of an implementation, not of the program."""


def first_difference(
    golden: Any, ours: Any, path: str, *, exact: bool = False, whole: tuple[int, ...] = ()
) -> str | None:
    """The first path at which `ours` is not `golden`, with both values; None where they agree.

    Fields may stand in any order, a number is a double. With `exact`, numbers are equal;
    else they agree to `RELATIVE`, but for counts and, in rows of numbers, the columns
    `whole`.
    """
    if isinstance(golden, dict) and isinstance(ours, dict):
        return _in_objects(golden, ours, path, exact, whole)
    if isinstance(golden, list) and isinstance(ours, list):
        return _in_lists(golden, ours, path, exact, whole)
    if _number(golden) and _number(ours):
        same = golden == ours if exact else _close(golden, ours)
    else:
        same = type(golden) is type(ours) and golden == ours
    return None if same else f"{path}: the golden has {_brief(golden)}, we {_brief(ours)}"


def _in_objects(
    golden: dict[str, Any], ours: dict[str, Any], path: str, exact: bool, whole: tuple[int, ...]
) -> str | None:
    for key, value in golden.items():
        if key in UNCOMPARED:
            continue
        if key not in ours:
            return f"{path}.{key}: the golden has {_brief(value)}, we nothing"
        found = first_difference(
            value, ours[key], f"{path}.{key}", exact=exact or _counts(key, value), whole=whole
        )
        if found is not None:
            return found
    more = [key for key in ours if key not in golden and key not in UNCOMPARED]
    return f"{path}.{more[0]}: the golden has nothing, we {_brief(ours[more[0]])}" if more else None


def _in_lists(
    golden: list[Any], ours: list[Any], path: str, exact: bool, whole: tuple[int, ...]
) -> str | None:
    row = not any(isinstance(value, dict | list) for value in golden)
    for index, (value, other) in enumerate(zip(golden, ours, strict=False)):
        found = first_difference(
            value,
            other,
            f"{path}[{index}]",
            exact=exact or (row and index in whole),
            whole=whole,
        )
        if found is not None:
            return found
    if len(golden) != len(ours):
        return f"{path}: the golden has {len(golden)} items, we {len(ours)}"
    return None


def _counts(key: str, value: Any) -> bool:
    """Whether a field counts; an observation may be named like one."""
    return key in COUNTS and not isinstance(value, dict)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _close(golden: float, ours: float) -> bool:
    return isclose(golden, ours, rel_tol=RELATIVE, abs_tol=ROUNDING)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
