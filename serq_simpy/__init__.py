"""serQ programs - queues, memory and sessions of an LLM-serving deployment - run on SimPy.

>>> import serq_simpy
>>> program = serq_simpy.compile("mm1.sq", horizon=1000)
>>> report = serq_simpy.run(program)
>>> report.observe("sojourn").mean
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from serq_simpy._version import VERSION as __version__

if TYPE_CHECKING:
    from serq_simpy import errors
    from serq_simpy.draws.rng import Rng
    from serq_simpy.ir.model import IR_VERSION
    from serq_simpy.measure.record import Claim, Pool, Stage
    from serq_simpy.program import Program, compile, run
    from serq_simpy.report.model import REPORT_VERSION, Gauge, Observe, Report
    from serq_simpy.traces.reading import read_trace

__all__ = [
    "IR_VERSION",
    "REPORT_VERSION",
    "Claim",
    "Gauge",
    "Observe",
    "Pool",
    "Program",
    "Report",
    "Rng",
    "Stage",
    "__version__",
    "compile",
    "errors",
    "read_trace",
    "run",
]

_PLACES = {
    "IR_VERSION": "serq_simpy.ir.model",
    "REPORT_VERSION": "serq_simpy.report.model",
    "Claim": "serq_simpy.measure.record",
    "Gauge": "serq_simpy.report.model",
    "Observe": "serq_simpy.report.model",
    "Pool": "serq_simpy.measure.record",
    "Program": "serq_simpy.program",
    "Report": "serq_simpy.report.model",
    "Rng": "serq_simpy.draws.rng",
    "Stage": "serq_simpy.measure.record",
    "compile": "serq_simpy.program",
    "read_trace": "serq_simpy.traces.reading",
    "run": "serq_simpy.program",
}
"""Each name is imported when it is first asked for: checking a program needs no numpy, and
the command handles an interrupt from its first import on."""


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("serq_simpy.errors")
    if name not in _PLACES:
        raise AttributeError(f"module `serq_simpy` has no attribute `{name}`")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
