"""The public generator, against numbers of the reference implementation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serq_simpy.draws import Rng, chacha

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "vectors.json").read_text()
)


def test_key_of_seed_1() -> None:
    words = "721dd8ea 4e10265d f83b9c89 2e78ce42 da03d3ba c2d29799 ac560212 1bfb6673"
    assert chacha.key(1) == tuple(int(word, 16) for word in words.split())


@pytest.mark.parametrize("vector", VECTORS["rng"], ids=lambda v: str(v["seed"]))
def test_a_mixture_of_methods_uses_the_words_in_order(vector: dict[str, Any]) -> None:
    rng = Rng(vector["seed"])
    assert [rng.next_u32() for _ in range(5)] == vector["u32"]
    assert [rng.next_u64() for _ in range(3)] == vector["u64"]
    assert [rng.random_f64() for _ in range(3)] == vector["f64"]
    ranges: Any = ((0, 1), (-3, 7.5), (2, 2), (1e-9, 1e12))
    assert [rng.range_f64(*r) for r in ranges] == vector["range_f64"]
    top = 2**32 - 1
    ranges = ((0, 9), (5, 5), (0, top), (0, 2**31), (0, 3 * 2**30), (0, top - 1))
    assert [rng.range_u32(*r) for r in ranges] == vector["range_u32"]
    top = 2**64 - 1
    ranges = ((0, 9), (5, 5), (0, top), (0, 2**63), (0, 3 * 2**62), (0, top - 1), (1, 2**32))
    assert [rng.range_u64(*r) for r in ranges] == vector["range_u64"]
    for _ in range(700):
        rng.next_u32()
    assert rng.next_u64() == vector["far"]


@pytest.mark.parametrize("vector", VECTORS["corrected_u32"])
def test_a_second_draw_corrects_a_u32(vector: dict[str, Any]) -> None:
    rng, again = Rng(vector["seed"]), Rng(vector["seed"])
    assert [rng.range_u32(0, vector["high"]) for _ in range(4)] == vector["numbers"]
    assert rng.next_u32() == vector["next"]
    assert [again.below(vector["high"] + 1) for _ in range(4)] == vector["numbers"]


@pytest.mark.parametrize("vector", VECTORS["corrected_u64"])
def test_a_second_draw_corrects_a_u64(vector: dict[str, Any]) -> None:
    rng = Rng(vector["seed"])
    assert [rng.range_u64(0, vector["high"]) for _ in range(4)] == vector["numbers"]
    assert rng.next_u64() == vector["next"]


def test_what_counts_as_a_whole_number() -> None:
    assert Rng(True).next_u32() == Rng(seed=1).next_u32()
    assert Rng(1).range_f64(low=0, high=True) == Rng(1).range_f64(0.0, 1.0)


@pytest.mark.parametrize("seed", [1.5, "a", None])
def test_a_seed_that_is_no_whole_number(seed: Any) -> None:
    with pytest.raises(TypeError, match="seed"):
        Rng(seed)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range(seed: int) -> None:
    with pytest.raises(OverflowError, match="seed"):
        Rng(seed)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "ends", [(1, 0), (0, INF), (NAN, 1), (0, NAN), (-1e308, 1e308), (INF, INF)], ids=str
)
def test_a_range_of_numbers_is_finite_and_not_empty(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="empty or unbounded"):
        Rng(1).range_f64(*ends)


def test_wrong_ends() -> None:
    rng: Any = Rng(1)
    for low, high in (("a", 1), (1, None)):
        with pytest.raises(TypeError):
            rng.range_f64(low, high)
    with pytest.raises(OverflowError):
        rng.range_f64(0, 10**400)
    with pytest.raises(TypeError):
        rng.range_u32(0, 1.0)
    for method, low, high in (
        (rng.range_u32, -1, 1),
        (rng.range_u32, 0, 2**32),
        (rng.range_u64, 0, 2**64),
    ):
        with pytest.raises(OverflowError):
            method(low, high)
    for method in (rng.range_u32, rng.range_u64):
        with pytest.raises(ValueError, match="empty"):
            method(2, 1)
    assert rng.next_u32() == Rng(1).next_u32(), "a refused call draws nothing"
