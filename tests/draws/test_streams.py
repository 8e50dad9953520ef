"""The streams of a run: their seeds, and that making them in advance changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq_simpy.draws import Rng, Stream, Streams, seeds

SEEDS = st.integers(0, 2**64 - 1)


def numbers(seed: int, count: int) -> list[float]:
    rng = Rng(seed)
    return [rng.random_f64() for _ in range(count)]


def test_mixing() -> None:
    assert seeds.fin(1) == 0x910A2DEC89025CC1
    assert seeds.sub(1, 0, 0, 2) == 0x90C24400C9510BF2


def test_first_number_of_each_stream() -> None:
    streams = Streams(1)
    assert next(streams.arrivals()) == 0.9742447372584028
    for stream, seed in (
        (streams.workload(7, 2), seeds.sub(1, 7, 2, 1)),
        (streams.statements(7), seeds.sub(1, 7, 0, 2)),
        (streams.leg(7, 2), seeds.sub(1, 7, 2, 3)),
        (streams.machine(), 1 ^ 0x5851F42D4C957F2D),
        (streams.eviction(), 1 ^ 0x2545F4914F6CDD1D),
    ):
        assert [next(stream) for _ in range(3)] == numbers(seed, 3)
    trace, same = streams.trace(), Rng(1 ^ 0x6A09E667F3BCC908)
    assert [trace.below(10) for _ in range(5)] == [same.range_u32(0, 9) for _ in range(5)]


@pytest.mark.parametrize("serial", [0, 7, 8, 500, 1023, 1024, 1031, 10**6])
def test_a_session_draws_the_same_however_many_drew_before(serial: int) -> None:
    streams = Streams(3)
    for other in (*range(20), *range(1024, 1044)):
        list(islice(streams.statements(other), 33))
    stream = streams.statements(serial)
    assert list(islice(stream, 100)) == numbers(seeds.sub(3, serial, 0, 2), 100)


def test_a_long_stream() -> None:
    for stream, seed in ((Streams(5).arrivals(), 5), (Streams(5).leg(1, 2), seeds.sub(5, 1, 2, 3))):
        assert list(islice(stream, 20_000)) == numbers(seed, 20_000)


def test_interleaved_streams_of_forgotten_chunks_go_on() -> None:
    streams = Streams(9)
    first = [streams.workload(serial, 0) for serial in range(12)]
    heads = [[next(stream) for _ in range(3)] for stream in first]
    for turn in range(200):
        next(streams.workload(0, turn))
    for serial, (stream, head) in enumerate(zip(first, heads, strict=True)):
        tail = [next(stream) for _ in range(40)]
        assert head + tail == numbers(seeds.sub(9, serial, 0, 1), 43)


def test_each_call_starts_anew() -> None:
    streams = Streams(2)
    assert next(streams.statements(4)) == next(streams.statements(4))


KINDS: list[Callable[[Streams], Stream]] = [
    Streams.arrivals,
    Streams.machine,
    Streams.eviction,
    lambda s: s.statements(0),
    lambda s: s.statements(1),
    lambda s: s.workload(0, 0),
    lambda s: s.workload(0, 1),
    lambda s: s.leg(0, 0),
]


@settings(max_examples=20, deadline=None)
@given(SEEDS, SEEDS)
def test_streams_differ(a: int, b: int) -> None:
    heads = {next(kind(Streams(seed))) for kind in KINDS for seed in {a, b}}
    assert len(heads) == len(KINDS) * len({a, b})


def test_the_largest_seed_and_serials() -> None:
    seed = 2**64 - 1
    streams = Streams(seed)
    for serial in range(2**40, 2**40 + 20):
        expected = numbers(seeds.sub(seed, serial, 0, 2), 1)
        assert [next(streams.statements(serial))] == expected
