"""Instants: what happens in which order at one time."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest
from simpy.events import Event

from serq_simpy.clock import Clock
from serq_simpy.resources.customer import Customer
from serq_simpy.resources.delay import Delay
from serq_simpy.resources.fifo import Fifo
from serq_simpy.resources.sharing import Sharing
from serq_simpy.resources.single_server import SingleServer
from serq_simpy.resources.stage import Stage
from serq_simpy.resources.wait import Pause, Start

Log = list[tuple[float, str]]
Steps = Generator[Event, None, None]


class Visitor(Customer):
    """A customer that follows a generator of the test."""

    def __init__(self, clock: Clock, name: str, steps: Callable[[Visitor], Steps]) -> None:
        self.env = clock
        self.attrs = []
        self.serial = 0
        self.name_in_log = name
        self._generator = steps(self)
        self._target = start = Start(self)
        clock.ready_line.append(start)

    def finished(self) -> None:
        self._value = None


def run(clock: Clock, horizon: float = 100.0) -> None:
    clock.settle()
    clock.run_to(horizon, lambda: None)


def visits(stage: Stage, log: Log, *works: float) -> None:
    """Let a visitor for each work be served, all at once; log when each is done."""

    def steps(work: float) -> Callable[[Visitor], Steps]:
        def visit(me: Visitor) -> Steps:
            yield stage.serve(me, work)
            log.append((me.env.now, me.name_in_log))

        return visit

    for number, work in enumerate(works):
        Visitor(stage.clock, "abcdef"[number], steps(work))


def test_the_ready_line_runs_before_the_next_event_of_the_same_time() -> None:
    clock, log = Clock(), []

    def early(me: Visitor) -> Steps:
        yield Pause(me)
        log.append("ready")

    event = Event(clock)
    event.callbacks.append(lambda _: log.append("event at 0"))
    clock.at(0.0, event)
    Visitor(clock, "a", early)
    run(clock)
    assert log == ["ready", "event at 0"]


def test_events_of_one_time_happen_in_the_order_of_scheduling() -> None:
    clock, log = Clock(), []
    for name in "abc":
        event = Event(clock)
        event.callbacks.append(lambda _, name=name: log.append(name))
        clock.at(5.0, event)
    run(clock)
    assert log == ["a", "b", "c"]
    assert clock.now == 5.0
    assert clock.events == 3


def test_a_triggered_simpy_event_is_ready_at_once() -> None:
    """`succeed` of SimPy puts an event into the ready line, not into the heap."""
    clock, log = Clock(), []
    event = clock.event()
    event.callbacks.append(lambda _: log.append(clock.now))
    event.succeed()
    run(clock)
    assert log == [0.0]
    with pytest.raises(ValueError, match="`at`"):
        clock.timeout(1.0)


def test_events_at_the_horizon_happen_and_later_ones_do_not() -> None:
    clock, log = Clock(), []
    for time in (10.0, 10.5):
        event = Event(clock)
        event.callbacks.append(lambda _: log.append(clock.now))
        clock.at(time, event)
    run(clock, horizon=10.0)
    assert log == [10.0]


def test_gauges_look_between_instants() -> None:
    clock, looks = Clock(), []
    clock.instant_over = lambda: looks.append(clock.now)
    for time in (2.0, 2.0, 3.0):
        clock.at(time, Event(clock))
    run(clock)
    assert looks == [0.0, 2.0, 3.0]


@pytest.mark.parametrize("make", [SingleServer, lambda *args: Fifo(*args, 1)])
def test_one_server_serves_in_order(make: Callable[..., Stage]) -> None:
    log: Log = []
    visits(stage := make(Clock(), "s", None, 0), log, 2.0, 1.0, 3.0)
    run(stage.clock)
    assert log == [(2.0, "a"), (3.0, "b"), (6.0, "c")]
    record = stage.record(10.0, 10.0)
    assert (record.completed, record.mean_wait, record.mean_service) == (3, 5 / 3, 2.0)
    assert (record.mean_number, record.utilization) == (1.1, 0.6)


def test_two_servers() -> None:
    log: Log = []
    visits(stage := Fifo(Clock(), "s", None, 0, 2), log, 4.0, 1.0, 2.0, 2.0)
    run(stage.clock)
    assert log == [(1.0, "b"), (3.0, "c"), (4.0, "a"), (5.0, "d")]


def test_a_delay_serves_everybody_at_once() -> None:
    log: Log = []
    visits(stage := Delay(Clock(), "s", None, 0), log, 3.0, 1.0, 3.0)
    run(stage.clock)
    assert log == [(1.0, "b"), (3.0, "a"), (3.0, "c")]


def test_processor_sharing_shares_equally() -> None:
    """Three jobs at a third each until 3, then two at a half until 7, then one alone."""
    log: Log = []
    visits(stage := Sharing(Clock(), "s", None, 0, lambda present: 1.0), log, 1.0, 3.0, 4.0)
    run(stage.clock)
    assert log == [(3.0, "a"), (7.0, "b"), (8.0, "c")]


@pytest.mark.parametrize("capacity", [0.0, -1.0, float("nan")])
def test_a_stage_without_capacity_stands_still(capacity: float) -> None:
    log: Log = []
    visits(stage := Sharing(Clock(), "s", None, 0, lambda present: capacity), log, 1.0)
    run(stage.clock)
    assert log == []
    assert stage.work() == 1.0
    assert stage.record(10.0, 10.0).utilization == 1.0


MAKERS = {
    "single server": lambda clock: SingleServer(clock, "s", None, 0),
    "fifo": lambda clock: Fifo(clock, "s", None, 0, 2),
    "delay": lambda clock: Delay(clock, "s", None, 0),
    "sharing": lambda clock: Sharing(clock, "s", None, 0, lambda present: 1.0),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_withdrawn_job_leaves_the_others_as_if_it_had_gone(kind: str, victim: int) -> None:
    """At 1 the victim is cancelled: it is never resumed, and nobody waits for it."""
    clock = Clock()
    stage = MAKERS[kind](clock)
    log: Log = []
    visits(stage, log, 2.0, 2.0, 2.0)
    clock.settle()
    job = stage.jobs()[victim]
    cancel = Event(clock)
    cancel.callbacks.append(lambda _: job.cancel())
    clock.at(1.0, cancel)
    run(clock)
    ends = {
        "single server": [[3.0, 5.0], [2.0, 4.0], [2.0, 4.0]],
        "fifo": [[2.0, 3.0], [2.0, 3.0], [2.0, 2.0]],
        "delay": [[2.0, 2.0]] * 3,
        "sharing": [[1.0 + 10.0 / 3.0] * 2] * 3,
    }[kind][victim]
    assert [time for time, _ in log] == pytest.approx(ends)
    assert "abc"[victim] not in {name for _, name in log}
    assert stage.present == 0.0
    assert stage.record(10.0, 10.0).completed == 2
