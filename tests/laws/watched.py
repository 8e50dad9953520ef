"""A run that is watched: what its resources look like after every instant."""

from __future__ import annotations

from collections.abc import Callable

from laws.programs import Made

import serq_simpy
from serq_simpy.compiler.module import compiled
from serq_simpy.errors import RunError
from serq_simpy.ir.spans import Spans
from serq_simpy.measure.record import RunRecord
from serq_simpy.processes.simulation import Simulation

Look = Callable[[Simulation], None]


def program_of(made: Made) -> serq_simpy.Program:
    return serq_simpy.compile(source=made.source, **made.settings)


def watch(made: Made, *looks: Look) -> tuple[Simulation, RunRecord | None]:
    """Run a program, letting every `look` see the state at the end of each instant.

    The record is None of a run that ended in an error of the program's.
    """
    program = program_of(made).ir
    simulation = Simulation(program, compiled(program), Spans(), None)
    start = simulation._start

    def start_watched() -> None:
        start()
        gauges = simulation.clock.instant_over

        def look() -> None:
            if gauges is not None:
                gauges()
            for one in looks:
                one(simulation)

        simulation.clock.instant_over = look

    simulation._start = start_watched  # type: ignore[method-assign]
    try:
        return simulation, simulation.run()
    except RunError:
        return simulation, None


class Signal:
    """A signal seen after every instant, and its integral since `since`."""

    def __init__(self, read: Callable[[Simulation], float], since: float) -> None:
        self._read = read
        self._since = since
        self._seen: list[tuple[float, float]] = []

    def __call__(self, simulation: Simulation) -> None:
        self._seen.append((simulation.clock.now, self._read(simulation)))

    def mean(self, end: float) -> float:
        """The time average from `since` to `end`."""
        ends = [time for time, _ in self._seen[1:]] + [end]
        area = sum(
            value * (max(until, self._since) - max(time, self._since))
            for (time, value), until in zip(self._seen, ends, strict=True)
        )
        return area / (end - self._since)
