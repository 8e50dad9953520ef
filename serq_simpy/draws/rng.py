"""The generator that runs draw from, for checks that follow a run's draws by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import isfinite
from operator import index
from typing import SupportsFloat, SupportsIndex

from serq_simpy.draws import chacha
from serq_simpy.errors import UsageError


class Rng:
    """The stream seeded with `seed`, a whole number from 0 to 2**64 - 1.

    A run seeded with `s` draws its arrivals from `Rng(s)`; the other streams of the
    run have seeds made from `s` (`serq_simpy.draws.seeds`). Words of 32 bits are used
    in order, so methods may be called in any mixture. An argument that is no whole
    number raises TypeError, one outside its range OverflowError.
    """

    __slots__ = ("_words",)

    def __init__(self, seed: SupportsIndex) -> None:
        self._words = chain.from_iterable(_words(_whole("seed", seed, 64)))

    def next_u32(self) -> int:
        """The next word, a whole number below 2**32."""
        return next(self._words)

    def next_u64(self) -> int:
        """The next two words as one number, the first is the lower half."""
        low = next(self._words)
        return next(self._words) << 32 | low

    def random_f64(self) -> float:
        """A number in [0, 1), of 53 random bits (two words)."""
        low = next(self._words)
        return chacha.double(low, next(self._words))

    def range_f64(self, low: SupportsFloat, high: SupportsFloat) -> float:
        """A number from `low` to `high`, of 52 random bits (two words).

        Raises ValueError when the range is empty, or its width is not finite.
        """
        start, end = _real("low", low), _real("high", high)
        if not (start <= end and isfinite(end - start)):
            raise UsageError("an empty or unbounded range")
        return (self.next_u64() >> 12) * 2.0**-52 * (end - start) + start

    def range_u32(self, low: SupportsIndex, high: SupportsIndex) -> int:
        """A whole number from `low` to `high`, both below 2**32; ValueError when low > high."""
        return self._between(low, high, 32, self.next_u32)

    def range_u64(self, low: SupportsIndex, high: SupportsIndex) -> int:
        """A whole number from `low` to `high`, both below 2**64; ValueError when low > high."""
        return self._between(low, high, 64, self.next_u64)

    def below(self, count: int) -> int:
        """A whole number below `count`, which is from 1 to 2**32 - 1."""
        return _scaled(count, 32, self.next_u32)

    def _between(
        self, low: SupportsIndex, high: SupportsIndex, bits: int, draw: Callable[[], int]
    ) -> int:
        start, end = _whole("low", low, bits), _whole("high", high, bits)
        if start > end:
            raise UsageError("an empty or unbounded range")
        count = end - start + 1
        return draw() if count >> bits else start + _scaled(count, bits, draw)


def _scaled(count: int, bits: int, draw: Callable[[], int]) -> int:
    """A draw of `bits` bits scaled down to a whole number below `count`.

    A second draw corrects the bias of the first, which is one part in 2**bits
    (the multiplication method with one step of correction).
    """
    mask = (1 << bits) - 1
    product = draw() * count
    whole, rest = product >> bits, product & mask
    if rest > (-count & mask):
        whole += (rest + (draw() * count >> bits)) >> bits
    return whole


def _words(seed: int) -> Iterator[list[int]]:
    key = chacha.key(seed)
    yield chacha.block(key, 0)
    for run in chacha.onward(key, 1):
        yield run.tolist()


def _whole(name: str, value: SupportsIndex, bits: int) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, not {_kind(value)}") from None
    if number < 0 or number >> bits:
        raise OverflowError(f"`{name}` is {number}: it must be from 0 to 2**{bits} - 1")
    return number


def _real(name: str, value: SupportsFloat) -> float:
    if isinstance(value, str | bytes | bytearray):
        raise TypeError(f"`{name}` must be a number, not {_kind(value)}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a number, not {_kind(value)}") from None


def _kind(value: object) -> str:
    return type(value).__name__
