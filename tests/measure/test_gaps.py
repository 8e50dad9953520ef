"""The histogram of token gaps, against engines of the reference implementation.

There an iteration lasts one draw of the machine's stream, and n sessions decode side
by side: a draw is n gaps. The iteration before the first gap prefills.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_simpy.draws import Streams, laws
from serq_simpy.measure.gaps import GapHistogram

ENGINES: list[tuple[Callable[..., float], tuple[float, ...], int, int, int, list[float]]] = [
    (laws.exp, (0.05,), 1, 60, 1, [0.05307722260634524, 0.03586388926078454, 0.20928915549876392]),
    (laws.exp, (0.05,), 3, 200, 2, [0.05121688656685394, 0.03527347731315977, 0.19617261647833617]),
    (laws.h2, (2, 9), 2, 500, 3, [1.6826817903297224, 0.8576426707125506, 18.771148905619725]),
    (laws.det, (0.125,), 1, 100, 4, [0.125, 0.125, 0.125]),
    (laws.uniform, (0.1, 0.1004), 1, 100, 5, [0.1002034622580415] + [0.10000045580493655] * 2),
    (laws.uniform, (0.9, 40), 4, 300, 6,
     [20.217309115919754, 19.495306799832093, 39.51369221694781]),
    (laws.exp, (1e-6,), 1, 1000, 7,
     [9.753771590574367e-07, 6.84794555912731e-07, 4.535050668771272e-06]),
]  # fmt: skip


@pytest.mark.parametrize(("law", "args", "sessions", "tokens", "seed", "expected"), ENGINES)
def test_engine(
    law: Callable[..., float],
    args: tuple[float, ...],
    sessions: int,
    tokens: int,
    seed: int,
    expected: list[float],
) -> None:
    stream, gaps = Streams(seed).machine(), GapHistogram()
    law(*args, stream)
    for _ in range(tokens):
        gaps.add(law(*args, stream), sessions)
    found = [gaps.mean(), gaps.percentile(0.5), gaps.percentile(0.99)]
    assert found == pytest.approx(expected, rel=1e-9)


def test_without_gaps() -> None:
    gaps = GapHistogram()
    assert isnan(gaps.mean()) and isnan(gaps.percentile(0.5))


@given(st.lists(st.floats(1e-9, 1e9), min_size=1), st.floats(0.01, 1))
def test_percentiles_are_within_half_a_percent(values: list[float], q: float) -> None:
    gaps = GapHistogram()
    for value in values:
        gaps.add(value)
    rank = max(1, -int(-q * len(values) // 1))
    assert gaps.percentile(q) == pytest.approx(sorted(values)[rank - 1], rel=0.0051)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(1, 5)), min_size=1))
def test_a_weight_is_that_many_gaps(entries: list[tuple[float, int]]) -> None:
    weighted, single = GapHistogram(), GapHistogram()
    for gap, weight in entries:
        weighted.add(gap, weight)
        for _ in range(weight):
            single.add(gap)
    assert weighted.count == single.count
    assert weighted.mean() == pytest.approx(single.mean(), rel=1e-12, abs=1e-300)
    for q in (0.01, 0.5, 0.99):
        assert weighted.percentile(q) == single.percentile(q)
