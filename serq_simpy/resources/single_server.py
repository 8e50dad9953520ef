"""A stage with one server: the queue of the M/G/1 model."""

from __future__ import annotations

from collections import deque
from heapq import heappush
from math import inf
from typing import TYPE_CHECKING

from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer


class SingleServer(Stage):
    """`fifo`: one server, and one line whose first job is the one in service.

    The same as `Fifo` with one server, for less: it is what queueing models mostly are
    made of, and what it does for a job is written out in `serve` and `_finish`.
    """

    def __init__(self, clock: Clock, name: str, index: int | None, order: int) -> None:
        super().__init__(clock, name, index, order)
        self._jobs: deque[Job] = deque()
        self._done = self._finish

    def serve(self, customer: Customer | None, work: float) -> Job:
        clock = self.clock
        now = clock._now
        job = Job(self, customer, work, now, [self._done])
        if not self._jobs:
            self._busy_since = now
            if work != inf:
                heappush(clock.future, (now + work, clock.next_number(), job))
        self._jobs.append(job)
        self.present += 1.0
        return job

    def _finish(self, job: Job) -> None:
        clock = self.clock
        now = clock._now
        start, jobs = job.start, self._jobs
        jobs.popleft()
        self.present -= 1.0
        self.completed += 1
        self.total_wait += start - job.arrival
        self.total_service += now - start
        if self.estimator is not None:
            self.estimator.add(job.arrival, start, now)
        if jobs:
            following = jobs[0]
            following.start = now
            if following.work != inf:
                heappush(clock.future, (now + following.work, clock.next_number(), following))
        else:
            self._busy_time += now - self._busy_since

    def withdraw(self, job: Job) -> None:
        clock, jobs = self.clock, self._jobs
        now = clock._now
        served = jobs[0] is job
        jobs.remove(job)
        self._leave(now)
        self._abandon(job, now)
        if served and jobs:
            jobs[0].start = now
            if jobs[0].work != inf:
                clock.at(now + jobs[0].work, jobs[0])

    @property
    def busy(self) -> float:
        return 1.0 if self._jobs else 0.0

    def work(self) -> float:
        jobs = iter(self._jobs)
        served = next(jobs, None)
        if served is None:
            return -0.0
        left = served.work - (self.clock._now - served.start)
        for job in jobs:
            left += job.work
        return left

    def jobs(self) -> list[Job]:
        return list(self._jobs)
