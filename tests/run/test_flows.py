"""Flows: jobs that hold several links at once, at one rate."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import serq_simpy
from serq_simpy.clock import Clock
from serq_simpy.resources.links import Flow, Link, Network, bottleneck, max_min

PROGRAM = """
fn main() {
  stage a : ps(10);  stage b : ps(4);  stage c : ps(6);
  stage until : delay;
  share %s;
  workload { arrive batch(5); }
  server {
    branch (serial == 0) { run a, b (cost(a, b, 20)); }
    branch (serial == 1) { run a, c (cost(a, c, 30)); }
    branch (serial == 2) { run until (cost(until, 1)); run b, c (cost(b, c, 8)); }
    branch (serial == 3) { run until (cost(until, 1.5)); run a (cost(a, 12)); }
    branch (serial == 4) { run until (cost(until, 2)); run a, b, c (cost(a, b, c, 9)); }
    observe done = now;
  }
}
"""


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        ("maxmin", [9.25, 7.75, 6.5, 4.5, 8.0]),
        ("bottleneck", [9.25, 9.625, 6.5, 6.1333333333, 8.0]),
    ],
)
def test_three_links(policy: str, ends: list[float]) -> None:
    """When the flows of sessions 0 to 4 end; the figures are the reference implementation's."""
    report = serq_simpy.run(serq_simpy.compile(source=PROGRAM % policy, horizon=20))
    done = report.observes["done"]
    assert [t for _, t in sorted(zip(done.sessions, done.samples, strict=True))] == pytest.approx(
        ends
    )
    carried = {"a": 20 + 30 + 12 + 9, "b": 20 + 8 + 9, "c": 30 + 8 + 9}
    capacity = {"a": 10, "b": 4, "c": 6}
    for stage in report.stages[:3]:
        expected = carried[stage.name] / capacity[stage.name] / 20
        assert stage.utilization == pytest.approx(expected), "all work went through"


@st.composite
def networks(draw: st.DrawFn) -> list[Flow]:
    """Some links, and flows through one to three of them."""
    clock = Clock()
    network = Network(clock, max_min)
    capacities = st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0, inf])
    count = draw(st.integers(1, 5))
    links = [Link(clock, "l", i, i, draw(capacities), network) for i in range(count)]
    paths = st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True)
    return [
        network.serve(None, 1.0, *[links[i] for i in path])
        for path in draw(st.lists(paths, min_size=1, max_size=8))
    ]


@given(networks())
def test_max_min_rates_are_max_min(flows: list[Flow]) -> None:
    """No link is above its capacity; every flow has a full link where none is faster than it.

    That is what makes rates max-min fair (Bertsekas and Gallager 1992, section 6.5.2).
    """
    max_min(flows)
    for flow in flows:
        if flow.rate == inf:
            assert all(link.capacity == inf for link in flow.links)
            continue
        loads = {link: sum(other.rate for other in link.flows) for link in flow.links}
        assert all(load <= link.capacity * (1 + 1e-9) for link, load in loads.items())
        assert any(
            load == pytest.approx(link.capacity)
            and flow.rate >= max(other.rate for other in link.flows) * (1 - 1e-9)
            for link, load in loads.items()
        )


@given(networks())
def test_bottleneck_rates_are_equal_shares_of_the_tightest_link(flows: list[Flow]) -> None:
    bottleneck(flows)
    for flow in flows:
        assert flow.rate == min(link.capacity / len(link.flows) for link in flow.links)
        for link in flow.links:
            assert sum(other.rate for other in link.flows) <= link.capacity * (1 + 1e-9)


def test_only_flows_that_share_a_link_are_set_anew() -> None:
    clock = Clock()
    network = Network(clock, max_min)
    left, right = (Link(clock, name, None, i, 2.0, network) for i, name in enumerate("lr"))
    alone = network.serve(None, 10.0, left)
    clock.settle()
    other = network.serve(None, 4.0, right)
    clock.at(1.0, clock.event())
    clock.run_to(1.0, lambda: None)
    network.withdraw(other)
    clock.settle()
    assert (alone.since, alone.rate) == (0.0, 2.0)
    assert alone.remaining(clock.now) == 8.0
