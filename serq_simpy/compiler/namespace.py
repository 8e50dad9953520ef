"""What a program's module finds under its names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, nan
from typing import Any

from serq_simpy.draws import laws
from serq_simpy.ir.arithmetic import BINARY, UNARY


@dataclass(frozen=True, slots=True)
class Bound:
    """The functions of a program, bound to a run.

    `init(session)`, `session(session)` (a generator), `gauges` (the state's functions) and
    `gap()`, the next interarrival time of a renewal law. `givens` and `ends` have, by the
    number of a claim, its `given` as a function of a session and its proposition at the end.
    """

    init: Callable[[Any], None] | None
    session: Callable[[Any], Any]
    gauges: tuple[Callable[[], float], ...]
    gap: Callable[[], float] | None
    givens: tuple[tuple[int, Callable[[Any], float]], ...]
    ends: tuple[tuple[int, Callable[[], float]], ...]


def comes_before(keys: tuple[float, ...], best: tuple[float, ...]) -> bool:
    """Whether a candidate's keys are less: the first that differ decide.

    A NaN differs from everything and is not less: a candidate that has one stays the best
    for all that did not differ from it before.
    """
    for key, other in zip(keys, best, strict=True):
        if key != other:
            return key < other
    return False


ARITHMETIC: dict[str, object] = {
    "Bound": Bound,
    "comes_before": comes_before,
    "inf": inf,
    "nan": nan,
    "log": log,
    "divide": BINARY["Div"],
    "power": BINARY["Pow"],
    "least": BINARY["Min"],
    "largest": BINARY["Max"],
    "floor": UNARY["Floor"],
    "ceil": UNARY["Ceil"],
    "root": UNARY["Sqrt"],
    "exponential": UNARY["Exp"],
    "logarithm": UNARY["Ln"],
    "uniform": laws.uniform,
    "erlang": laws.erlang,
    "h2": laws.h2,
    "bernoulli": laws.bernoulli,
}
"""The numbers, the functions and the laws."""
