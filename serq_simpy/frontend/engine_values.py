"""What an engine's clauses read of its requests, its queues and its batch.

`running.…` is the running requests as they stand, `waiting.…` the queues the engine
admits, `batch.…` the iteration's batch. Each value has one name in an engine, and
each clause the values that exist when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Refused, did_you_mean
from serq_simpy.ir import model as ir

ClauseWord = Literal[
    "tokens cap", "each at most", "only", "by", "branch", "while", "set", "execute"
]

FIELDS = {
    "running": ("count", "decoding", "kv_decode", "kv_prefill", "preempted"),
    "waiting": ("count", "admitted"),
    "batch": ("tokens", "prefilled", "decoding", "kv_decode", "kv_prefill", "attention"),
}
"""The values of an engine, by the list they are of."""

_CONTEXT = {
    "running.count": "Nres",
    "running.decoding": "Ndec",
    "running.kv_decode": "Kvb",
    "running.kv_prefill": "Kvp",
    "running.preempted": "Preempted",
    "waiting.admitted": "Admitted",
    "batch.tokens": "Ntok",
    "batch.prefilled": "Npre",
    "batch.decoding": "Ndec",
    "batch.kv_decode": "Kvb",
    "batch.kv_prefill": "Kvp",
    "batch.attention": "Attn",
}
_SO_FAR = frozenset(("batch.tokens", "batch.prefilled"))
_DONE = frozenset(("running.preempted", "waiting.admitted"))
_COUNTS = frozenset(("running.count", "waiting.count"))
_PLANNING = frozenset(("branch", "while", "set"))

_BARE = {
    "tokens": "batch.tokens",
    "prefilled": "batch.prefilled",
    "attention": "batch.attention",
    "decoders": "running.decoding",
    "kv_decode": "running.kv_decode",
    "kv_prefill": "running.kv_prefill",
    "residents": "running.count",
    "admitted": "waiting.admitted",
    "preempted": "running.preempted",
}
"""The kernel's bare names, and what an engine calls them before its batch is formed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of an engine, for reading the names in it.

    `waiting` gives the holds that wait in the queues the engine admits; it may refuse.
    """

    word: ClauseWord
    waiting: Callable[[s.Reference], ir.Expr]

    def value(self, reference: s.Reference) -> ir.Expr | None:
        """The value an engine's name has here, None of another name. Raises `Refused`."""
        if reference.name in FIELDS and reference.fields and reference.index is None:
            return self._value(reference)
        if reference.name in _BARE and not reference.fields and reference.index is None:
            raise self._bare(reference)
        return None

    def _value(self, reference: s.Reference) -> ir.Expr:
        name = walk.dotted(reference)
        fields = FIELDS[reference.name]
        field = ".".join(reference.fields)
        if field not in fields:
            has = ", ".join(f"`{known}`" for known in fields)
            raise Refused(
                reference.span,
                f"`{name}`: `{reference.name}` has {has}",
                did_you_mean(field, fields),
            )
        refused = self._refusal(name)
        if refused is not None:
            message, help = refused
            raise Refused(reference.span, message, help)
        return self.waiting(reference) if name == "waiting.count" else ir.Ctx(_CONTEXT[name])

    def _bare(self, reference: s.Reference) -> Refused:
        bare = reference.name
        name = _BARE[bare]
        of_batch = f"batch.{name.partition('.')[2]}"
        if self.word == "execute" and name not in _COUNTS and of_batch in _CONTEXT:
            name = of_batch
        refused = self._refusal(name)
        if refused is None:
            return Refused(
                reference.span,
                f"in an engine, `{bare}` is `{name}` here: one value, one name",
                f"write `{name}`",
            )
        message, help = refused
        return Refused(reference.span, f"`{bare}` is `{name}`, and {message}", help)

    def _refusal(self, name: str) -> tuple[str, str | None] | None:
        """Why a value of the engine does not exist in this clause, and the likely mend."""
        if name in _DONE and self.word not in _PLANNING:
            return (
                f"`{name}` is what the iteration's schedule did, read in its `branch`, `while` "
                f"and `set`, not in `{self.word}`",
                None,
            )
        if self.word == "execute":
            return self._not_of_the_batch(name)
        if not name.startswith("batch."):
            return None
        if self.word in _PLANNING:
            return None if name in _SO_FAR else _not_yet_formed(name)
        return (
            f"`{self.word}` is read before the batch is formed, so it reads no `batch.…`: "
            f"`{name}` is read in `execute`"
            + (", and as the batch so far in a schedule's `branch`, `while` and `set`")
            * (name in _SO_FAR),
            _of_the_running(name),
        )

    def _not_of_the_batch(self, name: str) -> tuple[str, str | None] | None:
        if name.startswith("batch.") or name in _COUNTS:
            return None
        batch = f"batch.{name.partition('.')[2]}"
        return (
            f"`execute` times the batch: `{name}` counts the residents, in the batch or not, and "
            f"the batch's is `{batch}`",
            f"write `{batch}`",
        )


def _not_yet_formed(name: str) -> tuple[str, str | None]:
    return (
        f"`{name}` is the formed batch's, read in `execute`; a schedule's statements read the "
        "batch so far as `batch.tokens` and `batch.prefilled`, and the residents' as `running.…`",
        _of_the_running(name),
    )


def _of_the_running(name: str) -> str | None:
    """The value of the running requests that is like one of the batch."""
    like = f"running.{name.partition('.')[2]}"
    return f"`{like}` is of the running requests" if like in _CONTEXT else None
