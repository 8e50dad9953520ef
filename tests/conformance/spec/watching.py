"""Short ways to run a program and to look at what it observed."""

from __future__ import annotations

from typing import Any

import serq_simpy
from serq_simpy.report.model import Report


def run(text: str, horizon: float = 100, **settings: Any) -> Report:
    """Compile and run a program given as text."""
    return serq_simpy.run(serq_simpy.compile(source=text, horizon=horizon, **settings))


def seen(report: Report, name: str) -> list[float]:
    """The values of an observation, in the order of recording."""
    return report.observes[name].samples


def when(report: Report, name: str) -> list[tuple[float, float]]:
    """Time and value of each sample of an observation."""
    found = report.observes[name]
    return list(zip(found.times, found.samples, strict=True))


def whose(report: Report, name: str) -> list[tuple[int, int, float]]:
    """Session, turn and value of each sample of an observation."""
    found = report.observes[name]
    return list(zip(found.sessions, found.turns, found.samples, strict=True))
