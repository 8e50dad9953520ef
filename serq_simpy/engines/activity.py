"""What an engine's iterations were like, and the gaps between the tokens they gave."""

from __future__ import annotations

from dataclasses import replace
from math import nan

from serq_simpy.measure.gaps import GapHistogram
from serq_simpy.measure.record import Stage as StageRecord


class Activity:
    """The iterations of an engine since the end of the warm-up; their number since time 0."""

    def __init__(self) -> None:
        self.iterations = 0
        self.gaps = GapHistogram()
        self._clear(0.0)
        self._prefills = self._decodes = 0

    def _clear(self, now: float) -> None:
        self._since = now
        self._prefill_time = self._decode_time = self._mixed_time = 0.0
        self._decode_area = 0.0
        self._decode_iterations = 0
        self._decodes_served = 0
        self._decode_durations = 0.0

    def restart(self, now: float) -> None:
        """Measure from now on: the warm-up is over."""
        self._clear(now)
        self.gaps.clear()

    def begin(self, now: float, duration: float, prefills: int, decodes: int) -> None:
        """An iteration starts, with so many prefills and decodes, and will last `duration`."""
        self.iterations += 1
        self._since = now
        self._prefills, self._decodes = prefills, decodes
        if decodes:
            self._decode_iterations += 1
            self._decodes_served += decodes
            self._decode_durations += duration

    def end(self, now: float) -> None:
        """The iteration is over."""
        self._count(now)
        self._prefills = self._decodes = 0

    def _count(self, now: float) -> None:
        """Add the time since the last count to the kind of iteration that is running."""
        elapsed = now - self._since
        self._since = now
        if not self._decodes:
            if self._prefills:
                self._prefill_time += elapsed
            return
        self._decode_area += self._decodes * elapsed
        if self._prefills:
            self._mixed_time += elapsed
        else:
            self._decode_time += elapsed

    def count_gaps(self, gaps: dict[float, int]) -> None:
        """Count gaps between tokens, in an order that does not depend on who had them."""
        for gap in sorted(gaps) if len(gaps) > 1 else gaps:
            self.gaps.add(gap, gaps[gap])

    def record(self, stage: StageRecord, now: float, measured: float, *, idle: bool) -> StageRecord:
        """A stage's record with the engine's figures; `idle` with work left at the end."""
        self._count(now)
        iterations = self._decode_iterations
        return replace(
            stage,
            iterations=self.iterations,
            prefill_only=self._prefill_time / measured,
            decode_only=self._decode_time / measured,
            mixed=self._mixed_time / measured,
            mean_decodes=self._decode_area / measured,
            mean_decode_batch=self._decodes_served / iterations if iterations else nan,
            mean_decode_step=self._decode_durations / iterations if iterations else nan,
            mean_itl=self.gaps.mean(),
            itl_p50=self.gaps.percentile(0.5),
            itl_p99=self.gaps.percentile(0.99),
            idle_with_work=idle,
        )
