"""The words of the language for what the IR names otherwise, and what functions take."""

from __future__ import annotations

from typing import Literal

CONTEXT_WORDS = {
    "Now": "now",
    "Waited": "waited",
    "Size": "size",
    "Age": "age",
    "Last": "last",
    "Queued": "waiting",
    "N": "present",
    "Ntok": "tokens",
    "Ndec": "decoders",
    "Npre": "prefilled",
    "Nres": "residents",
    "Kvb": "kv_decode",
    "Kvp": "kv_prefill",
    "Attn": "attention",
    "Decoding": "decoding",
    "Admission": "admission",
    "Remaining": "remaining",
    "Position": "position",
    "Admitted": "admitted",
    "Preempted": "preempted",
    "Demand": "demand",
    "Served": "served",
    "Arrived": "arrived",
}
"""The context variables, by their IR names, and their words."""

LAW_WORDS = {
    "Exp": "exp",
    "Det": "det",
    "Uniform": "uniform",
    "Erlang": "erlang",
    "H2": "h2",
    "Bernoulli": "bernoulli",
}

LAW_ARGUMENTS = {"Exp": 1, "Det": 1, "Uniform": 2, "Erlang": 2, "H2": 2, "Bernoulli": 1}

ArgumentKind = Literal["number", "pool", "stage"]

_ONE: tuple[ArgumentKind, ...] = ("number",)
_TWO: tuple[ArgumentKind, ...] = ("number", "number")
_POOL: tuple[ArgumentKind, ...] = ("pool",)
_STAGE: tuple[ArgumentKind, ...] = ("stage",)

FUNCTION_ARGUMENTS: dict[str, tuple[ArgumentKind, ...]] = {
    "Min": _TWO,
    "Max": _TWO,
    "Abs": _ONE,
    "Floor": _ONE,
    "Ceil": _ONE,
    "Sqrt": _ONE,
    "Exp": _ONE,
    "Ln": _ONE,
    "Pow": _TWO,
    "Queue": _STAGE,
    "Busy": _STAGE,
    "Work": _STAGE,
    "Used": _POOL,
    "Free": _POOL,
    "CachedIn": _POOL,
    "Holders": _POOL,
    "Queued": _POOL,
    "Price": ("stage", "number", "number"),
    "BudgetLeft": _STAGE,
    "EstLambda": _STAGE,
    "EstRho": _STAGE,
    "EstWait": _STAGE,
}
"""What each function and observable takes, in order."""

FUNCTION_WORDS = {
    name: {
        "CachedIn": "cachedin",
        "BudgetLeft": "budget_left",
        "EstLambda": "est_lambda",
        "EstRho": "est_rho",
        "EstWait": "est_wait",
    }.get(name, name.lower())
    for name in FUNCTION_ARGUMENTS
}

OBSERVABLES = frozenset(name for name, kinds in FUNCTION_ARGUMENTS.items() if kinds[0] != "number")
"""The functions that read the state of a pool or a stage."""

AGGREGATE_WORDS = {
    "Total": "total",
    "Count": "count",
    "Largest": "largest",
    "Smallest": "smallest",
    "PrefixTotal": "prefix_total",
}

UNARY_SIGNS = {"Neg": "-", "Not": "!"}

BINARY_SIGNS = {
    "Or": "||",
    "And": "&&",
    "Lt": "<",
    "Le": "<=",
    "Gt": ">",
    "Ge": ">=",
    "Eq": "==",
    "Ne": "!=",
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Pow": "^",
}

COMPARISONS = frozenset(("Lt", "Le", "Gt", "Ge", "Eq", "Ne"))
