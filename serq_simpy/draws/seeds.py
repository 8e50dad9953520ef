"""Seeds of streams: how the seed of a run becomes the seed of every stream in it.

The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast
splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

WORKLOAD: Final = 1
"""Kind of the stream of an `init` or `turn` block: one a session and turn."""
STATEMENTS: Final = 2
"""Kind of the stream of a session's and the server's statements: one a session."""
LEG: Final = 3
"""Kind of the stream of a leg: one a session and leg."""

MACHINE: Final = 0x5851F42D4C957F2D
"""Xor of a run's seed for the stream of stage capacities, token caps and iterations."""
EVICTION: Final = 0x2545F4914F6CDD1D
"""Xor of a run's seed for the stream of eviction keys and `spill` expressions."""
TRACE: Final = 0x6A09E667F3BCC908
"""Xor of a run's seed for the stream that picks the corpus session of an arrival."""

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def fin(x: int) -> int:
    """The 64-bit whole number `x` (0 to 2**64 - 1), mixed to another."""
    x = (x + _GOLDEN) & _MASK
    x = ((x ^ (x >> 30)) * _FIRST) & _MASK
    x = ((x ^ (x >> 27)) * _SECOND) & _MASK
    return x ^ (x >> 31)


def sub(seed: int, a: int, b: int, kind: int) -> int:
    """The seed of the stream (`a`, `b`, `kind`) of a run seeded with `seed`."""
    return fin(fin(fin(fin(seed) ^ a) ^ b) ^ kind)


def subs(seed: int, a: NDArray[np.uint64], b: int, kind: int) -> NDArray[np.uint64]:
    """`sub` for every element of `a` at once; an array of its shape."""
    x = _fins(np.uint64(fin(seed)) ^ a)
    x = _fins(x ^ np.uint64(b))
    return _fins(x ^ np.uint64(kind))


def _fins(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + np.uint64(_GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_SECOND)
    return x ^ (x >> np.uint64(31))
