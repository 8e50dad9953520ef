"""How deep a program may be, and how passes over a deep one recurse.

An aggregate written out is a tree as deep as it has terms, so an expression may
be some thousands of levels deep: more than Python lets functions nest by default.
Passes over expressions are plain recursive functions that run under `deep()`.
Whoever makes a tree (the reader of JSON, the frontend) holds it to the bounds
here; every pass after that may recurse without looking.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

EXPRESSION_DEPTH = 4500
"""The levels an expression may have: an aggregate's 4 096 terms and what stands around."""

BLOCK_DEPTH = 500
"""The blocks that may stand in one another."""

_FRAMES = 100_000
"""Enough for a JSON text of such an expression: four levels a node, two frames a level."""


@contextmanager
def deep() -> Iterator[None]:
    """Let functions nest deeply enough for any tree within the bounds above.

    The former limit is restored. Only calls from Python function to Python
    function are safe here: those that pass through C (a generator's `next`,
    `map`, `sorted`, comparing or hashing records) use the machine's own stack.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
