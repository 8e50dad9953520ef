"""Output tokens: what the client sees of a turn, and the gaps between its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_simpy.measure.gaps import GapHistogram


class TurnTokens:
    """The output tokens of one turn, which has begun at `began`.

    `first` is the time of the first token, None before there is one. A prefill's token is
    the first only until a later prefill ends, unless it is `closed` before: by a decode
    token, or by a decode run that is reached at the very instant the prefill ended.
    `further` counts the tokens after the first.
    """

    __slots__ = ("began", "closed", "first", "further")

    def __init__(self, began: float) -> None:
        self.began = began
        self.first: float | None = None
        self.closed = False
        self.further = 0

    def prefilled(self, now: float) -> None:
        """A prefill has ended, with a token."""
        if self.closed:
            self.further += 1
        else:
            self.first = now

    def decoded(self, now: float) -> bool:
        """A decode token is there; whether the first token is known by it."""
        if self.closed:
            self.further += 1
            return False
        self.closed = True
        if self.first is None:
            self.first = now
        else:
            self.further += 1
        return True

    def decode_reached(self, now: float) -> bool:
        """A decode run is reached; whether the first token is known by it."""
        if self.closed or self.first != now:
            return False
        self.closed = True
        return True

    def per_token(self, now: float) -> float | None:
        """The time per token after the first, of a turn answered now; None without such."""
        if self.first is None or not self.further:
            return None
        return (now - self.first) / self.further


class LastToken:
    """The latest output token of a customer in its turn, to measure the gap to the next.

    `gaps` are those of the stage that gave it, None before there is one; `decoded` tells that
    it or one before is a decode's; `resumed` that the customer was preempted since.
    """

    __slots__ = ("decoded", "gaps", "resumed", "time")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A new turn begins."""
        self.time = 0.0
        self.gaps: GapHistogram | None = None
        self.decoded = False
        self.resumed = False

    def next(self, now: float, gaps: GapHistogram, *, decoded: bool) -> float | None:
        """The gap from the token before to one that comes now on a stage; None without one.

        A decode's token follows any. A prefill's follows any once there was a decode's and,
        after a preemption, one of the same stage; else it takes the place of the one before.
        """
        before = self.gaps
        follows = decoded or self.decoded or (self.resumed and before is gaps)
        gap = now - self.time if before is not None and follows else None
        self.time, self.gaps = now, gaps
        self.decoded, self.resumed = self.decoded or decoded, False
        return gap
