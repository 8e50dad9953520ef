"""A stage with servers: jobs in the order of arrival, each at rate 1."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer


class Fifo(Stage):
    """`fifo(c)`: c servers and one waiting line. A job is an event at the end of its service."""

    def __init__(
        self, clock: Clock, name: str, index: int | None, order: int, servers: int
    ) -> None:
        super().__init__(clock, name, index, order)
        self._servers = servers
        self._serving: dict[Job, None] = {}
        self._line: deque[Job] = deque()
        self._done = self._finish

    def serve(self, customer: Customer | None, work: float) -> Job:
        now = self.clock._now
        job = Job(self, customer, work, now, [self._done])
        self._enter(now)
        if len(self._serving) < self._servers:
            self._start(job, now)
        else:
            self._line.append(job)
        return job

    def _start(self, job: Job, now: float) -> None:
        job.start = now
        self._serving[job] = None
        if job.work != inf:
            self.clock.at(now + job.work, job)

    def _finish(self, job: Job) -> None:
        now = self.clock._now
        del self._serving[job]
        self._leave(now)
        self._complete(job, now)
        if self._line:
            self._start(self._line.popleft(), now)

    def withdraw(self, job: Job) -> None:
        now = self.clock._now
        if job in self._serving:
            del self._serving[job]
            if self._line:
                self._start(self._line.popleft(), now)
        else:
            self._line.remove(job)
        self._leave(now)
        self._abandon(job, now)

    @property
    def busy(self) -> float:
        return float(len(self._serving))

    def work(self) -> float:
        now = self.clock._now
        left = -0.0
        for job in self._serving:
            left += job.work - (now - job.start)
        for job in self._line:
            left += job.work
        return left

    def jobs(self) -> list[Job]:
        return [*self._serving, *self._line]
