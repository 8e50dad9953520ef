"""A run on an engine: tokens to prefill or to decode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_simpy.measure.tokens import LastToken
from serq_simpy.resources.growth import Growth
from serq_simpy.resources.stage import Job

if TYPE_CHECKING:
    from serq_simpy.engines.engine import Engine
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.hold import Allocation
    from serq_simpy.resources.pool import Pool

Order = tuple[float, int]
"""A place in the serving order: the customer's latest admission, then who joined first."""


class EngineRun(Job):
    """A resident of an engine: a customer's prefill or decode, until its tokens are computed.

    `remaining` are the tokens to compute, those of the running iteration included.
    `allocation` is what grows with the tokens, None of a run that is not `growing`;
    `stalled` the growth that it waits for. `tokens` are what the iteration `served_in`
    gave it. `resident` ends when the run is done or withdrawn; while the run is `steady`,
    its progress is counted for all steady decodes together (`engines.steady`).
    """

    __slots__ = (
        "allocation",
        "customer",
        "decoding",
        "order",
        "remaining",
        "resident",
        "served_in",
        "stalled",
        "steady",
        "tokens",
    )

    customer: Customer
    stage: Engine

    def __init__(
        self,
        engine: Engine,
        customer: Customer,
        work: float,
        now: float,
        order: Order,
        *,
        decoding: bool,
        allocation: Allocation | None,
    ) -> None:
        super().__init__(engine, customer, work, now, [])
        self.order = order
        self.decoding = decoding
        self.remaining = work
        self.allocation = allocation
        self.resident = True
        self.steady = False
        self.stalled: Stall | None = None
        self.served_in = 0
        self.tokens = 0.0

    def wanted(self, chunk: float) -> float:
        """The tokens it would take of a large budget; `chunk` bounds a prefill's."""
        return min(1.0 if self.decoding else chunk, self.remaining)

    def held(self, memory: Pool | None) -> float:
        """The units of the engine's memory in all open holds of the customer."""
        units = 0.0
        for hold in self.customer.holds:
            for allocation in hold.allocations:
                if allocation.pool is memory and allocation.open:
                    units += allocation.units
        return units

    @property
    def last_token(self) -> LastToken:
        """The customer's latest output token."""
        last = self.customer.last_token
        assert last is not None
        return last


class Stall(Growth):
    """A run's growth that did not fit: it waits in the pool, and its run stands still.

    Nobody is resumed when it fits: the run takes tokens again in the next iteration.
    """

    def __init__(self, run: EngineRun, allocation: Allocation, units: float) -> None:
        super().__init__(allocation, units)
        self._run = run

    def granted(self) -> None:
        self._run.stalled = None

    def cancel(self) -> None:
        super().cancel()
        self._run.stalled = None


def decoding(allocation: Allocation) -> float:
    """1 if the customer of an allocation has a decode on an engine, else 0."""
    target = allocation.customer._target
    resident = isinstance(target, EngineRun) and target.resident
    return 1.0 if resident and target.decoding else 0.0  # type: ignore[attr-defined]
