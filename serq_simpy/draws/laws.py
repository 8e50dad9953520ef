"""The laws that programs draw from.

A law takes its arguments and the stream it draws from, an iterator over numbers in
[0, 1). No argument is checked: the formula is applied as it is, by the
rules of IEEE doubles, and never raises. (One minus such a number is positive, so its
logarithm exists.)
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt
from typing import Final

_MOST_PHASES: Final = 2**32 - 1


def exp(mean: float, stream: Iterator[float]) -> float:
    """The exponential law of mean `mean`. Draws once."""
    return -mean * log(1.0 - next(stream))


def det(value: float, stream: Iterator[float]) -> float:
    """`value` itself. Draws nothing."""
    return value


def uniform(low: float, high: float, stream: Iterator[float]) -> float:
    """The uniform law on [`low`, `high`). Draws once."""
    return low + (high - low) * next(stream)


def erlang(phases: float, mean: float, stream: Iterator[float]) -> float:
    """The Erlang law of mean `mean`: the sum of ⌊`phases`⌋ exponentials, at least one.

    Draws once a phase.
    """
    number = _MOST_PHASES if phases >= _MOST_PHASES else int(phases) if phases >= 1.0 else 1
    each = -(mean / number)
    total = 0.0
    for _ in range(number):
        total += each * log(1.0 - next(stream))
    return total


def h2(mean: float, cv2: float, stream: Iterator[float]) -> float:
    """The hyperexponential law of mean `mean` and squared variation `cv2`, at least 1.

    Two exponentials of balanced means (each contributes half of the mean).
    Draws twice.
    """
    variation = cv2 if cv2 > 1.0 else 1.0
    p = (1.0 + sqrt((variation - 1.0) / (variation + 1.0))) / 2.0
    branch_mean = mean / (2.0 * p) if next(stream) < p else mean / (2.0 * (1.0 - p))
    return -branch_mean * log(1.0 - next(stream))


def bernoulli(p: float, stream: Iterator[float]) -> float:
    """1 with probability `p`, else 0. Draws once."""
    return 1.0 if next(stream) < p else 0.0
