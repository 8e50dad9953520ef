"""A processor-sharing stage: all jobs at once, sharing a throughput equally."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import TYPE_CHECKING

from simpy.events import Event

from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.resources.customer import Customer


class Sharing(Stage):
    """`ps(φ)`: n jobs, each served at rate φ/n.

    All jobs have had the same service since they were here together, so one *virtual
    time* v, with dv/dt = φ/n, tells of all: a job of work w that comes at v is done
    when v reaches its tag v + w (Parekh and Gallager 1993 call it so for fair queueing).
    Jobs with equal tags finish in the order they came.

    `capacity` gives φ for the number of jobs. It is asked once at the end of each
    settling in which the jobs changed and some are left; what else it reads may change
    meanwhile without effect. φ not above 0, or NaN, makes the jobs stand still.
    """

    def __init__(
        self,
        clock: Clock,
        name: str,
        index: int | None,
        order: int,
        capacity: Callable[[float], float],
    ) -> None:
        super().__init__(clock, name, index, order)
        self._capacity = capacity
        self._jobs: dict[Job, float] = {}
        self._tags: list[tuple[float, int, Job]] = []
        self._numbers = count()
        self._virtual = 0.0
        self._rate = 0.0
        self._updated = 0.0
        self._next_finish: Event | None = None
        self._changed = False

    def serve(self, customer: Customer | None, work: float) -> Job:
        now = self.clock._now
        self._advance(now)
        job = Job(self, customer, work, now, [])
        tag = self._virtual + work
        self._jobs[job] = tag
        heappush(self._tags, (tag, next(self._numbers), job))
        self._enter(now)
        self._jobs_changed()
        return job

    def _advance(self, now: float) -> None:
        """Bring the virtual time up to now."""
        elapsed = now - self._updated
        if elapsed and self._rate:
            self._virtual += elapsed * self._rate
        self._updated = now

    def _jobs_changed(self) -> None:
        if not self._changed:
            self._changed = True
            self.clock.unsettled.append(self)

    def close_instant(self) -> None:
        """The instant's jobs are known: read φ and time the next finish."""
        self._changed = False
        self._next_finish = None
        self._drop_withdrawn()
        if not self._tags:
            self._rate = 0.0
            return
        now = self.clock._now
        self._advance(now)
        capacity = self._capacity(self.present)
        if not capacity > 0.0:
            self._rate = 0.0
            return
        tag = self._tags[0][0]
        if capacity == inf:
            self._rate, wait = 0.0, 0.0
        else:
            self._rate = capacity / self.present
            wait = max(0.0, (tag - self._virtual) / self._rate)
        if wait != inf:
            finish = self._next_finish = Event(self.clock)
            finish.callbacks.append(self._finish)
            self.clock.at(now + wait, finish)

    def _drop_withdrawn(self) -> None:
        tags, jobs = self._tags, self._jobs
        while tags and tags[0][2] not in jobs:
            heappop(tags)

    def _finish(self, event: Event) -> None:
        if event is not self._next_finish:
            return  # the jobs changed since, and the finish was timed anew
        now = self.clock._now
        tag, _, job = heappop(self._tags)
        self._advance(now)
        self._virtual = max(self._virtual, tag)
        del self._jobs[job]
        self._leave(now)
        self._complete(job, now)
        self._jobs_changed()
        self.clock.ready(job)

    def withdraw(self, job: Job) -> None:
        if job not in self._jobs:
            return  # done, and its customer already in the ready line
        now = self.clock._now
        self._advance(now)
        del self._jobs[job]
        self._leave(now)
        self._abandon(job, now)
        self._jobs_changed()

    def work(self) -> float:
        now = self.clock._now
        self._advance(now)
        left = -0.0
        for tag in self._jobs.values():
            left += tag - self._virtual
        return left

    def jobs(self) -> list[Job]:
        return list(self._jobs)
