"""A stage: a place where jobs are served. What all kinds have in common."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from serq_simpy.measure.record import Stage as StageRecord
from serq_simpy.measure.totals import total
from serq_simpy.resources.wait import Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.estimator import Estimator


class Job(Wait):
    """A customer's work at a stage; it happens when the work is done.

    `arrival` and `start` are when it came and when its service began. `callbacks` begin
    with what the stage does when the job happens, before its customer goes on.
    """

    __slots__ = ("arrival", "callbacks", "customer", "stage", "start", "work")

    def __init__(
        self,
        stage: Stage,
        customer: Customer | None,
        work: float,
        now: float,
        callbacks: list[Callable[[Any], None]],
    ) -> None:
        self.stage = stage
        self.customer = customer
        self.work = work
        self.arrival = self.start = now
        self.callbacks = callbacks

    def cancel(self) -> None:
        self.callbacks = []
        self.stage.withdraw(self)


class Stage:
    """The jobs present at a stage and its statistics.

    `present` counts the jobs, waiting or in service. The time average of jobs present
    is kept as the sum of their sojourn times: every job that leaves adds its own, and the
    jobs present when measuring starts or stops are cut there.
    """

    def __init__(self, clock: Clock, name: str, index: int | None, order: int) -> None:
        self.clock = clock
        self.name = name
        self.index = index
        self.order = order
        self.present = 0.0
        self.estimator: Estimator | None = None
        self.completed = 0
        self.total_wait = 0.0
        self.total_service = 0.0
        self._other_sojourns = 0.0
        self._busy_time = 0.0
        self._busy_since = 0.0

    def serve(self, customer: Customer | None, work: float) -> Job:
        """A job of `work` > 0 for the customer, to be yielded; of nobody, if for None."""
        raise NotImplementedError

    def withdraw(self, job: Job) -> None:
        """Take away a job that is not done."""
        raise NotImplementedError

    @property
    def busy(self) -> float:
        """The jobs in service."""
        return self.present

    def work(self) -> float:
        """The work not yet done, of all jobs present, as of now; -0.0 without jobs."""
        raise NotImplementedError

    def jobs(self) -> list[Job]:
        """The jobs present, in no particular order."""
        raise NotImplementedError

    def _enter(self, now: float) -> None:
        if not self.present:
            self._busy_since = now
        self.present += 1.0

    def _leave(self, now: float) -> None:
        self.present -= 1.0
        if not self.present:
            self._busy_time += now - self._busy_since

    def _complete(self, job: Job, now: float) -> None:
        """Count a job that is done."""
        self.completed += 1
        self.total_wait += job.start - job.arrival
        self.total_service += now - job.start
        if self.estimator is not None:
            self.estimator.add(job.arrival, job.start, now)

    def _abandon(self, job: Job, now: float) -> None:
        """Count a job that was withdrawn: it was present, and was not completed."""
        self._other_sojourns += now - job.arrival

    def restart_statistics(self, now: float) -> None:
        """Measure from now on: the warm-up is over."""
        self.completed = 0
        self.total_wait = self.total_service = 0.0
        self._busy_time = 0.0
        self._busy_since = now
        self._other_sojourns = -total(now - job.arrival for job in self.jobs())

    def record(self, now: float, measured: float) -> StageRecord:
        """The statistics of the last `measured` units of time, which end now."""
        present = total(now - job.arrival for job in self.jobs())
        sojourns = self.total_wait + self.total_service + self._other_sojourns + present
        busy = self._busy_time + (now - self._busy_since if self.present else 0.0)
        done = self.completed
        return StageRecord(
            name=self.name,
            index=self.index,
            mean_number=sojourns / measured,
            utilization=busy / measured,
            completed=done,
            throughput=done / measured,
            mean_wait=self.total_wait / done if done else nan,
            mean_service=self.total_service / done if done else nan,
        )
