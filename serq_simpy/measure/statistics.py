"""Statistics of samples in the order of their recording.

`values` is a one-dimensional array of doubles everywhere. NaNs and infinities among
them go through the formulas by the rules of IEEE doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf, nan
from typing import Final, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

BATCHES: Final = 20
STUDENT: Final = 2.093
"""The 97.5 % point of Student's distribution with `BATCHES` - 1 degrees of freedom."""
FEWEST: Final = 2 * BATCHES
"""Samples below which a confidence interval says nothing."""

_MAGNITUDE: Final = np.int64(0x7FFFFFFFFFFFFFFF)
_PIECE: Final = 65536


def quietly(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with overflows and invalid operations giving infinities and NaNs."""

    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    quiet.__doc__ = function.__doc__
    return quiet


def mean(values: Values) -> float:
    """The running mean, m += (x - m) / n; NaN of nothing.

    It is exact for equal values and of equal rounding on every machine, which a sum
    divided by n is not; so it is a loop.
    """
    result, n = 0.0, 0
    for start in range(0, len(values), _PIECE):
        for x in values[start : start + _PIECE].tolist():
            n += 1
            result += (x - result) / n
    return result if n else nan


@quietly
def cv2(values: Values, mean: float) -> float:
    """Squared coefficient of variation: the sample variance over the squared mean.

    NaN below two samples, and where every sample is 0.
    """
    if len(values) < 2:
        return nan
    deviations = values - mean
    variance = np.dot(deviations, deviations) / np.float64(len(values) - 1)
    return float(variance / np.float64(mean * mean))


@quietly
def half_width(values: Values) -> float:
    """Half width of the 95 % confidence interval of the mean, by batch means.

    The samples make 20 successive batches of equal size, what is left over is dropped
    (Law and Kelton, "Simulation Modeling and Analysis"). Infinite below 40 samples.
    """
    if len(values) < FEWEST:
        return inf
    size = len(values) // BATCHES
    return spread(values[: size * BATCHES].reshape(BATCHES, size).sum(axis=1) / size)


@quietly
def spread(batch_means: Values) -> float:
    """Half width of the 95 % confidence interval that 20 batch means give."""
    deviations = batch_means - batch_means.sum() / BATCHES
    variance = np.dot(deviations, deviations) / (BATCHES - 1)
    return float(STUDENT * np.sqrt(variance / BATCHES))


def quantile(values: Values, q: float) -> float:
    """The ⌈q n⌉-th smallest of n values in the total order of doubles; NaN of nothing.

    In that order -0 is below 0, a NaN of negative sign below every number and one of
    positive sign above.
    """
    if not len(values):
        return nan
    rank = min(max(ceil(q * len(values)), 1), len(values)) - 1
    bits = np.ascontiguousarray(values).view(np.int64)
    chosen = np.partition(_ordered(bits), rank)[rank : rank + 1]
    return float(_ordered(chosen).view(np.float64)[0])


def p99(values: Values) -> float:
    """The ⌈0.99 n⌉-th smallest of n values; NaN of nothing."""
    return quantile(values, 0.99)


def _ordered(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers in the total order of the doubles of these bits; its own inverse."""
    return bits ^ ((bits >> np.int64(63)) & _MAGNITUDE)
