"""When expressions are read, and which value may be read at which moment.

The table of the language: a value read at a moment that does not supply it is an
error. Each moment has the words in which messages name it.
"""

from __future__ import annotations

from enum import Enum

from serq_simpy.ir.vocabulary import FUNCTION_WORDS


class Moment(Enum):
    """When an expression is read; the value is its place in the words of messages."""

    STATEMENT = (
        "St",
        "a session statement, a run or a hold's cache, read when the session gets there",
    )
    HEADER = ("Hd", "a hold's header, read at admission")
    QUEUE_KEY = ("Qk", "a pool's queue keys, read before selecting a waiting session")
    EVICTION = ("Ev", "an eviction key or spill clause, read for one cache entry")
    CAPACITY = ("Ps", "a ps stage's capacity, read for the stage's jobs")
    BUDGET = (
        "Tk",
        "an engine's `tokens cap` or `each at most`, read before the iteration is formed",
    )
    EXECUTE = ("Ex", "an engine's `execute`, read after the iteration is formed")
    ONLY = (
        "On",
        "an engine's `advance running by (…)` keys or an `only`, read for each running session",
    )
    SERVE_KEY = (
        "By",
        "an engine's `advance running by (…)` keys or an `only`, read for each running session",
    )
    PREEMPT_KEY = ("Pk", "a pool's preempt keys, read for each candidate victim")
    SCHEDULE = ("Sc", "an engine's `schedule`, read as the iteration is formed")
    GAUGE = ("Ga", "a gauge, read on the deployment's state with no session")
    ITERATION = ("It", "a claim over iterations, read when an iteration starts")
    END = ("En", "a claim `at end`, read when the run ends")
    GIVEN = ("Gi", "a claim's `given`, read on one session's attributes")
    ARRIVAL = ("Re", "a renewal's gap, read at each arrival")

    @property
    def place(self) -> str:
        """Where an expression of this moment stands, and when it is read."""
        return self.value[1]


_M = Moment
_ALL = frozenset(Moment)
_ENGINE = frozenset((_M.BUDGET, _M.EXECUTE, _M.ONLY, _M.SERVE_KEY, _M.SCHEDULE, _M.ITERATION))
_FORMED = frozenset((_M.EXECUTE, _M.SCHEDULE, _M.ITERATION))
_RESIDENT = frozenset((_M.ONLY, _M.SERVE_KEY))
_ENTRY = frozenset((_M.EVICTION,))
_BODY = frozenset((_M.SCHEDULE,))
_CLAIM = frozenset((_M.ITERATION,))

CONTEXT_AT: dict[str, frozenset[Moment]] = {
    "Now": _ALL - {_M.ONLY, _M.SCHEDULE, _M.GAUGE, _M.GIVEN, _M.ARRIVAL},
    "Waited": frozenset((_M.QUEUE_KEY,)),
    "Size": _ENTRY,
    "Age": _ENTRY,
    "Last": _ENTRY,
    "Queued": _ENTRY,
    "N": frozenset((_M.CAPACITY,)),
    "Ntok": _FORMED,
    "Ndec": _ENGINE,
    "Npre": _FORMED,
    "Nres": _ENGINE,
    "Kvb": _ENGINE,
    "Kvp": _ENGINE,
    "Attn": frozenset((_M.EXECUTE, _M.ITERATION)),
    "Decoding": _RESIDENT | {_M.PREEMPT_KEY},
    "Admission": _RESIDENT | {_M.PREEMPT_KEY},
    "Remaining": _RESIDENT,
    "Position": frozenset((_M.PREEMPT_KEY,)),
    "Admitted": _BODY,
    "Preempted": _BODY,
    "Demand": _CLAIM,
    "Served": _CLAIM,
    "Arrived": _CLAIM,
}
"""The moments at which each context variable exists."""

ATTRIBUTES_AT = frozenset(
    (
        _M.STATEMENT,
        _M.HEADER,
        _M.QUEUE_KEY,
        _M.EVICTION,
        _M.PREEMPT_KEY,
        _M.ONLY,
        _M.SERVE_KEY,
        _M.GIVEN,
    )
)
"""The moments with a session, whose attributes may be read."""

HIDDEN_AT = frozenset((_M.STATEMENT, _M.GIVEN))
"""The moments at which a hidden attribute may be read at all."""

DRAWS_AT = frozenset((_M.STATEMENT, _M.EVICTION, _M.CAPACITY, _M.BUDGET, _M.EXECUTE, _M.ARRIVAL))
"""The moments at which an expression may draw."""

AGGREGATES_AT = frozenset((_M.END,))
"""The moments at which the aggregates of observations may be read."""

ENGINE_CLAUSES = frozenset((_M.BUDGET, _M.ONLY, _M.SERVE_KEY, _M.SCHEDULE, _M.EXECUTE))
"""The moments of an engine's own clauses."""

REGISTERS_AT = _ALL - {_M.STATEMENT, _M.CAPACITY, _M.GIVEN, _M.ARRIVAL}
"""The moments at which a register may be read, of the engine that is there or admits."""

_STATE = _ALL - {_M.END, _M.GIVEN, _M.ARRIVAL}

_FUNCTIONS_AT: dict[str, frozenset[Moment]] = dict.fromkeys(
    ("Queue", "Busy", "Used", "Free", "Holders", "Queued"), _STATE
)
_FUNCTIONS_AT |= dict.fromkeys(("EstLambda", "EstRho", "EstWait", "Price"), _STATE - {_M.ITERATION})
_FUNCTIONS_AT["CachedIn"] = _STATE - {_M.GAUGE, _M.ITERATION}
_FUNCTIONS_AT["Work"] = _STATE - {_M.ONLY, _M.SCHEDULE, _M.GAUGE, _M.ITERATION}
_FUNCTIONS_AT["BudgetLeft"] = _STATE - {_M.PREEMPT_KEY, _M.BUDGET, _M.GAUGE, _M.ITERATION}

FUNCTIONS_AT = {name: _FUNCTIONS_AT.get(name, _ALL) for name in FUNCTION_WORDS}
"""The moments at which each function may be called.

A schedule's statements may not read their own engine's `budget_left` either.
"""


def places_of(variable: str) -> str:
    """The places where a context variable exists, joined by `or`."""
    places = [moment.place for moment in Moment if moment in CONTEXT_AT[variable]]
    return " or ".join(dict.fromkeys(places))
