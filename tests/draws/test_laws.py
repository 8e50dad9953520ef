"""The laws, against the reference implementation and against their moments."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import islice, repeat
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_simpy.draws import Streams, laws

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "vectors.json").read_text()
)
LAWS: dict[str, Callable[..., float]] = {
    name: getattr(laws, name) for name in ("exp", "det", "uniform", "erlang", "h2", "bernoulli")
}


@pytest.mark.parametrize("vector", VECTORS["laws"], ids=lambda v: f"{v['law']}{v['args']}")
def test_values_to_the_last_bit(vector: dict[str, Any]) -> None:
    streams, law = Streams(11), LAWS[vector["law"]]
    sessions = [streams.statements(serial) for serial in range(30)]
    assert [law(*vector["args"], s) for s in sessions] == vector["values"]
    then = [laws.exp(1, s) for s in sessions[:3]]
    assert then == vector["then"], "a law uses its number of draws"


@pytest.mark.parametrize("vector", VECTORS["odd"], ids=lambda v: f"{v['law']}{v['args']}")
def test_outside_the_domain(vector: dict[str, Any]) -> None:
    numbers = {"1/0": math.inf, "0/0": math.nan}
    args = [numbers.get(arg) or float(arg) for arg in vector["args"]]
    streams = Streams(11)
    values = [LAWS[vector["law"]](*args, streams.statements(i)) for i in range(3)]
    assert [repr(value) for value in values] == vector["values"]


@given(st.sampled_from([n for n in LAWS if n != "erlang"]), st.floats(), st.floats())
def test_no_argument_raises(name: str, a: float, b: float) -> None:
    args = (a,) if name in {"exp", "det", "bernoulli"} else (a, b)
    for number in (0.0, 0.5, 1 - 2**-53):
        LAWS[name](*args, repeat(number))


@given(st.floats(max_value=50), st.floats())
def test_no_argument_of_erlang_raises(phases: float, mean: float) -> None:
    laws.erlang(phases, mean, repeat(1 - 2**-53))


@pytest.mark.parametrize(
    ("name", "args", "mean", "variance"),
    [
        ("exp", (2.0,), 2, 4),
        ("uniform", (3.0, 5.0), 4, 4 / 12),
        ("erlang", (4.0, 2.0), 2, 1),
        ("h2", (2.0, 4.0), 2, 16),
        ("bernoulli", (0.3,), 0.3, 0.21),
    ],
)
def test_moments(name: str, args: tuple[float, ...], mean: float, variance: float) -> None:
    """Within five standard errors; the variance to a tenth."""
    stream, n = Streams(77).arrivals(), 40_000
    values = [LAWS[name](*args, stream) for _ in range(n)]
    assert abs(fmean(values) - mean) < 5 * math.sqrt(variance / n)
    assert pvariance(values) == pytest.approx(variance, rel=0.1)


def test_numbers_of_a_stream_are_uniform() -> None:
    """Counts in 16 bins: chi-square with 15 degrees of freedom is below 50 but once in 90 000."""
    n, bins = 16_000, [0] * 16
    for number in islice(Streams(8).machine(), n):
        bins[int(number * 16)] += 1
    assert sum((count - n / 16) ** 2 for count in bins) / (n / 16) < 50
