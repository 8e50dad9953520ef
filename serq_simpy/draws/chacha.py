"""ChaCha with 12 rounds, the generator every draw comes from.

A 32-byte key, a 64-bit block counter from 0 and a zero nonce give blocks of 16
words of 32 bits (Bernstein, "ChaCha, a variant of Salsa20", 2008). The key comes
from a 64-bit seed by eight steps of a PCG32 (O'Neill, 2014).

Two renderings of the same function: `block` makes one block with Python's
integers, `blocks` makes many at once with numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_DOUBLE_ROUNDS: Final = 6
_CONSTANTS: Final = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_PCG_FACTOR: Final = 6364136223846793005
_PCG_STEP: Final = 11634580027462260723
_SHORTEST_RUN: Final = 8
_LONGEST_RUN: Final = 512
_ULP: Final = 2.0**-53
_MASK32: Final = 0xFFFFFFFF
_MASK64: Final = 0xFFFFFFFFFFFFFFFF

_QUARTERS: Final = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def key(seed: int) -> tuple[int, ...]:
    """The eight key words of the 64-bit `seed`."""
    state, words = seed, []
    for _ in range(8):
        state = (state * _PCG_FACTOR + _PCG_STEP) & _MASK64
        word = (((state >> 18) ^ state) >> 27) & _MASK32
        turn = state >> 59
        words.append((word >> turn | word << (32 - turn)) & _MASK32)
    return tuple(words)


def keys(seeds: NDArray[np.uint64]) -> Words:
    """The key words of n seeds, an array of shape (8, n)."""
    factors, steps = _LEAPS
    states = seeds * factors[:, None] + steps[:, None]
    words = (states >> np.uint64(27) ^ states >> np.uint64(45)).astype(np.uint32)
    turns = (states >> np.uint64(59)).astype(np.uint32)
    return words >> turns | words << (-turns & np.uint32(31))


def _leaps() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Factors and summands that take a seed to the states of 1 to 8 steps."""
    factor, step, factors, steps = 1, 0, [], []
    for _ in range(8):
        factor = (factor * _PCG_FACTOR) & _MASK64
        step = (step * _PCG_FACTOR + _PCG_STEP) & _MASK64
        factors.append(factor)
        steps.append(step)
    return np.array(factors, dtype=np.uint64), np.array(steps, dtype=np.uint64)


_LEAPS: Final = _leaps()


def block(key: tuple[int, ...], counter: int) -> list[int]:
    """The 16 words of block `counter` under the eight words of `key`."""
    start = [*_CONSTANTS, *key, counter & _MASK32, counter >> 32, 0, 0]
    x = list(start)
    for _ in range(_DOUBLE_ROUNDS):
        for i, j, k, m in _QUARTERS:
            a, b, c, d = x[i], x[j], x[k], x[m]
            a = (a + b) & _MASK32
            d ^= a
            d = (d << 16 | d >> 16) & _MASK32
            c = (c + d) & _MASK32
            b ^= c
            b = (b << 12 | b >> 20) & _MASK32
            a = (a + b) & _MASK32
            d ^= a
            d = (d << 8 | d >> 24) & _MASK32
            c = (c + d) & _MASK32
            b ^= c
            x[i], x[j], x[k], x[m] = a, (b << 7 | b >> 25) & _MASK32, c, d
    return [(u + v) & _MASK32 for u, v in zip(x, start, strict=True)]


def blocks(keys: Words, counters: NDArray[np.uint64]) -> Words:
    """One block for each of n keys, shape (8, n), and n counters: words of shape (16, n)."""
    start = np.zeros((16, keys.shape[1]), dtype=np.uint32)
    start[:4] = np.array(_CONSTANTS, dtype=np.uint32)[:, None]
    start[4:12] = keys
    start[12] = counters & np.uint64(_MASK32)
    start[13] = counters >> np.uint64(32)
    a, b, c, d = start.reshape(4, 4, -1).copy()
    spare = np.empty_like(a)
    for _ in range(_DOUBLE_ROUNDS):
        _quarter_rounds(a, b, c, d, spare)
        b, c, d = _rolled(b, 1), _rolled(c, 2), _rolled(d, 3)
        _quarter_rounds(a, b, c, d, spare)
        b, c, d = _rolled(b, 3), _rolled(c, 2), _rolled(d, 1)
    start += np.concatenate((a, b, c, d))
    return start


def _quarter_rounds(a: Words, b: Words, c: Words, d: Words, spare: Words) -> None:
    """The quarter round of four columns, in place."""
    a += b
    d ^= a
    _rotate_left(d, 16, spare)
    c += d
    b ^= c
    _rotate_left(b, 12, spare)
    a += b
    d ^= a
    _rotate_left(d, 8, spare)
    c += d
    b ^= c
    _rotate_left(b, 7, spare)


def _rotate_left(x: Words, bits: int, spare: Words) -> None:
    np.left_shift(x, np.uint32(bits), out=spare)
    np.right_shift(x, np.uint32(32 - bits), out=x)
    np.bitwise_or(x, spare, out=x)


def _rolled(x: Words, places: int) -> Words:
    return np.concatenate((x[places:], x[:places]))


def onward(key: tuple[int, ...], counter: int) -> Iterator[Words]:
    """The words of the stream under `key` from block `counter` on, in ever longer runs."""
    column = np.array(key, dtype=np.uint32)[:, None]
    size = _SHORTEST_RUN
    while True:
        counters = np.arange(counter, counter + size, dtype=np.uint64)
        yield blocks(np.repeat(column, size, axis=1), counters).T.ravel()
        counter += size
        size = min(2 * size, _LONGEST_RUN)


def doubles(words: Words) -> NDArray[np.float64]:
    """Words of shape (2 n, …), as numbers in [0, 1) of shape (n, …).

    Two words, the low one first, give the 53 bits of a number.
    """
    low, high = words[0::2].astype(np.uint64), words[1::2].astype(np.uint64)
    bits = (high << np.uint64(32) | low) >> np.uint64(11)
    return bits.astype(np.float64) * np.float64(_ULP)


def double(low: int, high: int) -> float:
    """The number in [0, 1) that two words give."""
    return ((high << 32 | low) >> 11) * _ULP
