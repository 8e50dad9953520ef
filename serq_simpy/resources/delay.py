"""A stage without waiting: every job on its own, at rate 1."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer


class Delay(Stage):
    """`delay`: as many servers as jobs, the M/G/∞ station."""

    def __init__(self, clock: Clock, name: str, index: int | None, order: int) -> None:
        super().__init__(clock, name, index, order)
        self._jobs: dict[Job, None] = {}
        self._done = self._finish

    def serve(self, customer: Customer | None, work: float) -> Job:
        now = self.clock._now
        job = Job(self, customer, work, now, [self._done])
        self._jobs[job] = None
        self._enter(now)
        if work != inf:
            self.clock.at(now + work, job)
        return job

    def _finish(self, job: Job) -> None:
        now = self.clock._now
        del self._jobs[job]
        self._leave(now)
        self._complete(job, now)

    def withdraw(self, job: Job) -> None:
        now = self.clock._now
        del self._jobs[job]
        self._leave(now)
        self._abandon(job, now)

    def work(self) -> float:
        now = self.clock._now
        left = -0.0
        for job in self._jobs:
            left += job.work - (now - job.start)
        return left

    def jobs(self) -> list[Job]:
        return list(self._jobs)
