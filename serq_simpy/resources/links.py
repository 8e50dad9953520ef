"""Shared links: stages whose capacity is divided among flows, each through several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from math import inf
from typing import TYPE_CHECKING

from simpy.events import Event

from serq_simpy.measure.averages import TimeAverage
from serq_simpy.resources.stage import Job, Stage

if TYPE_CHECKING:
    from serq_simpy.clock import Clock
    from serq_simpy.measure.record import Stage as StageRecord
    from serq_simpy.resources.customer import Customer


class Flow(Job):
    """A job that holds all its `links` from its start to its end, at one rate.

    `left` is what was left of its work at time `since`, when its rate was set.
    """

    __slots__ = ("left", "links", "number", "rate", "since")

    def __init__(
        self,
        links: tuple[Link, ...],
        customer: Customer | None,
        work: float,
        now: float,
        number: int,
    ) -> None:
        super().__init__(links[0], customer, work, now, [])
        self.links = links
        self.number = number
        self.left = work
        self.since = now
        self.rate = 0.0

    def remaining(self, now: float) -> float:
        """The work left at `now`."""
        passed = now - self.since
        return self.left - self.rate * passed if passed and self.rate else self.left

    def ends(self) -> float:
        """When the flow is done if its rate stays."""
        if self.rate == inf:
            return self.since
        return self.since + self.left / self.rate if self.rate > 0.0 else inf

    def cancel(self) -> None:
        self.callbacks = []
        self.links[0].network.withdraw(self)


class Link(Stage):
    """A stage of constant capacity that some run holds together with another."""

    def __init__(
        self,
        clock: Clock,
        name: str,
        index: int | None,
        order: int,
        capacity: float,
        network: Network,
    ) -> None:
        super().__init__(clock, name, index, order)
        self.capacity = capacity
        self.network = network
        self.flows: dict[Flow, None] = {}
        self._carried = TimeAverage()

    def serve(self, customer: Customer | None, work: float) -> Job:
        return self.network.serve(customer, work, self)

    def enter(self, flow: Flow, now: float) -> None:
        """Let a flow through."""
        self.flows[flow] = None
        self._enter(now)

    def leave(self, flow: Flow, now: float) -> None:
        """A flow is done, or taken away."""
        del self.flows[flow]
        self._leave(now)

    def finish(self, flow: Flow, now: float) -> None:
        """Count a flow that is done."""
        self.leave(flow, now)
        self._complete(flow, now)

    def abandon(self, flow: Flow, now: float) -> None:
        """Count a flow that was taken away."""
        self.leave(flow, now)
        self._abandon(flow, now)

    def note_load(self, now: float) -> None:
        """The rates have changed: note which part of the capacity is carried."""
        carried = sum(flow.rate for flow in self.flows)
        self._carried.change(now, carried / self.capacity if carried < inf else 0.0)

    def work(self) -> float:
        now = self.clock._now
        left = -0.0
        for flow in self.flows:
            left += flow.remaining(now)
        return left

    def jobs(self) -> list[Job]:
        return list(self.flows)

    def restart_statistics(self, now: float) -> None:
        super().restart_statistics(now)
        self._carried.restart(now)

    def record(self, now: float, measured: float) -> StageRecord:
        """As of any stage, but for the utilization: the part of the capacity carried."""
        return replace(super().record(now, measured), utilization=self._carried.mean(now))


Policy = Callable[[Sequence[Flow]], None]
"""Sets the rates of flows that share links with one another."""


def bottleneck(flows: Sequence[Flow]) -> None:
    """Each flow has its equal share at the tightest of its links."""
    for flow in flows:
        flow.rate = min(link.capacity / len(link.flows) for link in flow.links)


def max_min(flows: Sequence[Flow]) -> None:
    """Max-min fair rates, by progressive filling (Bertsekas and Gallager 1992, section 6.5.2).

    All rates rise together until a link is full; its flows stay at that rate, and the
    others go on.
    """
    free = {link: link.capacity for flow in flows for link in flow.links}
    open_flows = {link: len(link.flows) for link in free}
    rising = dict.fromkeys(flows)
    while rising:
        shares = {link: free[link] / open_flows[link] for link in free if open_flows[link]}
        level = min(shares.values())
        full = {link for link, share in shares.items() if share <= level}
        for flow in [flow for flow in rising if not full.isdisjoint(flow.links)]:
            flow.rate = level
            del rising[flow]
            for link in flow.links:
                open_flows[link] -= 1
                free[link] -= level if level < inf else 0.0


class Network:
    """All links of a program, their flows, and the policy that shares them.

    When a flow starts or ends, the rates of the flows that share links with it, directly
    or through others, are set anew at the end of the settling.
    """

    order = 10**9
    """It closes an instant after all stages."""

    def __init__(self, clock: Clock, policy: Policy) -> None:
        self.clock = clock
        self._policy = policy
        self._numbers = count()
        self._flows: dict[Flow, None] = {}
        self._touched: dict[Link, None] = {}
        self._next_finish: Event | None = None
        self._next_flow: Flow | None = None

    def serve(self, customer: Customer | None, work: float, *links: Link) -> Flow:
        """A flow of `work` > 0 through the links, to be yielded."""
        now = self.clock._now
        flow = Flow(links, customer, work, now, next(self._numbers))
        self._flows[flow] = None
        for link in links:
            link.enter(flow, now)
        self._touch(links)
        return flow

    def withdraw(self, flow: Flow) -> None:
        """Take away a flow that is not done; nothing if it is."""
        if flow in self._flows:
            del self._flows[flow]
            for link in flow.links:
                link.abandon(flow, self.clock._now)
            self._touch(flow.links)

    def _touch(self, links: Iterable[Link]) -> None:
        if not self._touched:
            self.clock.unsettled.append(self)
        self._touched.update(dict.fromkeys(links))

    def close_instant(self) -> None:
        """Set the rates that may have changed, and time the next finish."""
        now = self.clock._now
        flows, links = self._component()
        self._touched = {}
        for flow in flows:
            flow.left, flow.since = max(0.0, flow.remaining(now)), now
        self._policy(flows)
        for link in links:
            link.note_load(now)
        self._time_next_finish()

    def _component(self) -> tuple[list[Flow], list[Link]]:
        """The flows and links that hang together with the touched links."""
        links = dict(self._touched)
        flows: dict[Flow, None] = {}
        reached = list(links)
        while reached:
            for flow in reached.pop().flows:
                if flow not in flows:
                    flows[flow] = None
                    further = [link for link in flow.links if link not in links]
                    links.update(dict.fromkeys(further))
                    reached += further
        return sorted(flows, key=lambda flow: flow.number), list(links)

    def _time_next_finish(self) -> None:
        self._next_finish = None
        earliest = min(self._flows, key=lambda flow: (flow.ends(), flow.number), default=None)
        if earliest is not None and earliest.ends() < inf:
            self._next_flow = earliest
            finish = self._next_finish = Event(self.clock)
            finish.callbacks.append(self._finish)
            self.clock.at(max(earliest.ends(), self.clock._now), finish)

    def _finish(self, event: Event) -> None:
        if event is not self._next_finish:
            return  # rates changed since, and the finish was timed anew
        flow, now = self._next_flow, self.clock._now
        assert flow is not None
        del self._flows[flow]
        for link in flow.links:
            link.finish(flow, now)
        self._touch(flow.links)
        self.clock.ready(flow)
