"""Hold-and-wait at the end of a run: sessions and legs that wait for each other for ever."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from serq_simpy.processes.leg import Join, Leg
from serq_simpy.resources.hold import Hold

if TYPE_CHECKING:
    from serq_simpy.processes.session import Session
    from serq_simpy.resources.customer import Customer


def deadlocked(sessions: Collection[Session], legs: Collection[Leg]) -> list[Customer]:
    """Those that wait only for each other, if a session at a `join` is one of them.

    Sessions come first, then legs, both in the order in which they came. A session at a
    `join` waits for its legs. A hold in a line waits for the holders of the pools that have
    no room for it, unless a lease there will expire. All are supposed to wait for ever, and
    whoever waits for another one is taken out until nobody is left to take out.
    """
    if not legs:
        return []
    legs_of: dict[Customer, set[Customer]] = defaultdict(set)
    for leg in legs:
        legs_of[leg.session].add(leg)
    waited_for = {customer: _waited_for(customer, legs_of) for customer in (*sessions, *legs)}
    stuck = {customer: who for customer, who in waited_for.items() if who}
    while True:
        going_on = [one for one, who in stuck.items() if any(other not in stuck for other in who)]
        if not going_on:
            break
        for one in going_on:
            del stuck[one]
    return list(stuck) if any(isinstance(one._target, Join) for one in stuck) else []


def _waited_for(customer: Customer, legs_of: Mapping[Customer, set[Customer]]) -> set[Customer]:
    """The customers one of whom must act before this one goes on; empty if that is not so."""
    target = customer._target
    if isinstance(target, Join):
        return legs_of[customer]
    if not isinstance(target, Hold) or target.allocations:
        return set()
    found: set[Customer] = set()
    for pool in target.pools[0].short(target):
        if any(allocation.expires for allocation in pool.allocations):
            return set()
        found.update(allocation.customer for allocation in pool.allocations)
    return found
