"""The streams of a run: one for its arrivals, several for every session, and more.

Streams are lazy, a stream that nobody draws from costs its object alone. Sessions
take serials in order, so once a few sessions of a thousand drew from a kind of
stream, the block is made for the whole thousand at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from struct import Struct
from typing import Final

import numpy as np

from serq_simpy.draws import chacha, seeds
from serq_simpy.draws.rng import Rng

_CHUNK_BITS: Final = 10
_CHUNK: Final = 1 << _CHUNK_BITS
_LAST: Final = _CHUNK - 1
_SINGLES: Final = 8
"""The stream of a chunk that asks for a block as the n-th has it made for the chunk."""
_SHARED_BLOCKS: Final = 4
"""Blocks of a session's stream that may be made with those of its chunk."""
_KEPT_CHUNKS: Final = 64

BLOCK: Final = 8
"""The numbers of a block of a stream."""

_BLOCK = Struct(f"{BLOCK}d")
_BLOCK_BYTES: Final = 64


Stream = Iterator[float]
"""The numbers of a stream, each in [0, 1), without end."""


class Streams:
    """The streams of the run seeded with `seed`, a whole number below 2**64.

    Every call gives the stream from its start.
    """

    __slots__ = ("_leg", "_seed", "_workload", "few_statements", "statements")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._workload = _Kind(seed, seeds.WORKLOAD)
        kind = _Kind(seed, seeds.STATEMENTS)
        self.statements: Callable[[int], Stream] = kind.stream
        """What the statements of session `serial` and of its server draw from."""
        self.few_statements: Callable[[int], Iterator[float]] = kind.beginning
        """The first `BLOCK` numbers of that stream, or more."""
        self._leg = _Kind(seed, seeds.LEG)

    def workload(self, serial: int, turn: int) -> Stream:
        """What `init` (turn 0) or the `turn` block of turn `turn` draws from."""
        return self._workload.stream(serial, turn)

    def leg(self, serial: int, leg: int) -> Stream:
        """What leg number `leg` of session `serial` draws from."""
        return self._leg.stream(serial, leg)

    def arrivals(self) -> Stream:
        """What the gaps between arrivals are drawn from."""
        return _alone(self._seed)

    def machine(self) -> Stream:
        """What stage capacities, token caps and iterations are drawn from."""
        return _alone(self._seed ^ seeds.MACHINE)

    def eviction(self) -> Stream:
        """What eviction keys and `spill` expressions draw from."""
        return _alone(self._seed ^ seeds.EVICTION)

    def trace(self) -> Rng:
        """What picks the corpus session of each arrival; use its `below`."""
        return Rng(self._seed ^ seeds.TRACE)


class _Kind:
    """The streams of one kind: chunks of a thousand sessions' streams, by turn or leg."""

    __slots__ = ("_chunks", "_kind", "_recent", "_seed")

    def __init__(self, seed: int, kind: int) -> None:
        self._seed = seed
        self._kind = kind
        self._chunks: dict[tuple[int, int], _Chunk] = {}
        self._recent = self._open(0, 0)

    def stream(self, serial: int, part: int = 0) -> Stream:
        chunk = self._recent
        place = serial - chunk.first
        if not 0 <= place < _CHUNK or part != chunk.part:
            chunk = self._turn_to(serial, part)
            place = serial & _LAST
        if chunk.firsts is None:
            return chain.from_iterable(chunk.blocks(place, 0))
        return chain(chunk.firsts[place], chunk.later(place))

    def beginning(self, serial: int) -> Iterator[float]:
        """The first block of the stream of part 0 alone, when it is at hand."""
        chunk = self._recent
        place = serial - chunk.first
        if chunk.firsts is None or not 0 <= place < _CHUNK or chunk.part:
            return self.stream(serial)
        return iter(chunk.firsts[place])

    def _turn_to(self, serial: int, part: int) -> _Chunk:
        """The chunk of a stream, which is the recent one from now on."""
        self._recent.firsts = None
        chunk = self._chunks.get((serial >> _CHUNK_BITS, part)) or self._open(serial, part)
        chunk.unpack()
        self._recent = chunk
        return chunk

    def _open(self, serial: int, part: int) -> _Chunk:
        chunks = self._chunks
        if len(chunks) == _KEPT_CHUNKS:
            chunks.pop(next(iter(chunks))).close()
        number = serial >> _CHUNK_BITS
        before = chunks.get((number - 1, part))
        chunk = _Chunk(self._seed, serial & ~_LAST, part, self._kind, before)
        chunks[number, part] = chunk
        return chunk


class _Chunk:
    """The streams (first, part, kind) … (first + 1023, part, kind) of a run.

    `shared[i]` is block i of all of them, as the bytes of their numbers, once made. What
    was made for the thousand `before`, its first asker has made for these at once.
    """

    __slots__ = ("_kind", "_seed", "_singles", "first", "firsts", "part", "shared")

    def __init__(self, seed: int, first: int, part: int, kind: int, before: _Chunk | None) -> None:
        self._seed = seed
        self.first = first
        self.part = part
        self.firsts: list[tuple[float, ...]] | None = None
        self._kind = kind
        made = before.shared if before is not None else [None] * _SHARED_BLOCKS
        self._singles = [0 if block is None else _SINGLES - 1 for block in made]
        self.shared: list[bytes | None] = [None] * _SHARED_BLOCKS

    def unpack(self) -> None:
        """Have the first blocks at hand, if they are made."""
        if self.shared[0] is not None:
            self.firsts = list(_BLOCK.iter_unpack(self.shared[0]))

    def later(self, place: int) -> Iterator[float]:
        """The numbers of the stream at `place` after its first block."""
        for block in self.blocks(place, 1):
            yield from block

    def blocks(self, place: int, first: int) -> Iterator[tuple[float, ...] | list[float]]:
        """The numbers of the stream at `place` from block `first` on, a few at a time."""
        for counter in range(first, _SHARED_BLOCKS):
            shared = self.shared[counter] or self._share(counter)
            if shared:
                yield _BLOCK.unpack_from(shared, place * _BLOCK_BYTES)
            else:
                yield _single(self._seed_of(place), counter)
        yield from _onward(self._seed_of(place), _SHARED_BLOCKS)

    def close(self) -> None:
        """Give back the memory; streams that go on make their blocks alone."""
        self.shared = [None] * _SHARED_BLOCKS
        self._singles = [_CHUNK] * _SHARED_BLOCKS

    def _seed_of(self, place: int) -> int:
        return seeds.sub(self._seed, self.first + place, self.part, self._kind)

    def _share(self, counter: int) -> bytes | None:
        """Block `counter` of all the streams if enough of them ask for it."""
        self._singles[counter] += 1
        if self._singles[counter] != _SINGLES:
            return None
        serials = np.arange(self.first, self.first + _CHUNK, dtype=np.uint64)
        keys = chacha.keys(seeds.subs(self._seed, serials, self.part, self._kind))
        words = chacha.blocks(keys, np.full(_CHUNK, counter, dtype=np.uint64))
        self.shared[counter] = chacha.doubles(words).T.tobytes()
        if counter == 0:
            self.unpack()
        return self.shared[counter]


def _alone(seed: int) -> Stream:
    return chain.from_iterable(_whole_stream(seed))


def _whole_stream(seed: int) -> Iterator[list[float]]:
    yield _single(seed, 0)
    yield from _onward(seed, 1)


def _onward(seed: int, counter: int) -> Iterator[list[float]]:
    for run in chacha.onward(chacha.key(seed), counter):
        yield chacha.doubles(run).tolist()


def _single(seed: int, counter: int) -> list[float]:
    words = chacha.block(chacha.key(seed), counter)
    return [chacha.double(words[i], words[i + 1]) for i in range(0, len(words), 2)]
