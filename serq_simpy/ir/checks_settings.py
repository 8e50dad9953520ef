"""The settings of a run, and the arrivals they go with."""

from __future__ import annotations

from math import isfinite

from serq_simpy.errors import Diagnostic
from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.printing import value_text

_MOST = 1_000_000


def check_settings(program: ir.Program) -> list[Diagnostic]:
    """What is wrong with the horizon, the warm-up and the number of arrivals."""
    settings, found = program.settings, []
    numbers = isfinite(settings.horizon) and isfinite(settings.warmup)
    if not (numbers and 0 <= settings.warmup < settings.horizon):
        given = f"the warm-up is {value_text(settings.warmup)}"
        given += f", the horizon {value_text(settings.horizon)}"
        found.append(Diagnostic("run: need 0 <= warmup < horizon", help=f"{given}; both finite"))
    if settings.arrivals is not None:
        if settings.arrivals < 1:
            found.append(Diagnostic("run: arrivals must be positive"))
        if not isinstance(program.arrival, ir.Poisson | ir.Renewal):
            found.append(Diagnostic("run: arrivals applies only to poisson or renewal workloads"))
    return found


def check_arrival(subject: Subject) -> None:
    """Report rates, gaps, counts and explicit sessions that cannot be."""
    message = _arrival(subject.program, subject.program.arrival)
    if message is not None:
        subject.findings.arrival(message)


def _arrival(program: ir.Program, arrival: ir.Arrival) -> str | None:
    match arrival:
        case ir.Poisson(rate) if not (rate > 0 and isfinite(rate)):
            rule = "a rate must be positive and finite"
            return f"`arrive poisson(…)`: the rate is {value_text(rate)}; {rule}"
        case ir.Renewal(gap):
            return _gap(gap)
        case ir.Closed(count) | ir.Batch(count) if not 1 <= count <= _MOST:
            rule = f"a closed population or a batch is from 1 to {_MOST}"
            return f"workload: {count} sessions: {rule}"
        case ir.Sessions(sessions):
            return _explicit(program, sessions)
        case _:
            return None


def _gap(gap: ir.Expr) -> str | None:
    value = constant(gap)
    if value is None or (value > 0 and isfinite(value)):
        return None
    return f"`arrive renewal({value_text(value)})`: an interarrival time must be positive"


def _explicit(program: ir.Program, sessions: tuple[ir.ExplicitSession, ...]) -> str | None:
    for session in sessions:
        for presets in (session.attrs, *session.turns):
            for slot, _ in presets:
                if program.attr_types[slot] != "Size":
                    rule = "explicit sessions may supply request sizes"
                    return f"{rule}, not server value `{program.attrs[slot]}`"
    return None
