"""What means something else than it seems: `cached` and the headers of holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from serq_simpy.ir import model as ir
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.vocabulary import OBSERVABLES
from serq_simpy.ir.walk import blocks_of, nodes, readings, slots_read

_NOTHING = "such a hold consumes nothing of the session's cached prefix"


def check_lints(subject: Subject) -> None:
    """Report `cached`, `reuse` and headers that do not read what they seem to."""
    _Cached(subject).block(ir.SESSION, None)
    _check_reuse(subject)
    _StaleHeaders(subject).block(ir.SESSION, {})


def _check_reuse(subject: Subject) -> None:
    for site in subject.session:
        hold = site.statement
        if isinstance(hold, ir.Hold) and hold.reuse is not None and hold.cache is None:
            pool = subject.printer.reference(hold.pools[0].pool)
            message = (
                f"`reuse` on a hold on `{pool}` that has no `cache` clause: {_NOTHING}, so the "
                "bound has nothing to bound. Write `cache (0)` to consume the prefix and keep "
                "nothing, or `cache (ℓ)` to keep ℓ."
            )
            subject.findings.statement(site, message, rule="reuse", named=False)


# ------------------------------------------------------------------- cached


@dataclass(frozen=True, slots=True)
class _Inside:
    """The innermost hold around a statement, and a hold that its body met before."""

    hold: ir.Hold
    after: ir.Hold | None


class _Cached:
    """Reads of `cached` where the admission that set it is not the enclosing hold's."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._blocks = subject.program.blocks

    def block(self, block: int, inside: _Inside | None) -> None:
        for i, statement in enumerate(self._blocks[block]):
            if inside is not None and _reads_cached(statement):
                self._report(block, i, inside)
            self._below(statement, inside)
            met = self._last_hold(statement)
            if inside is not None and met is not None:
                inside = _Inside(inside.hold, met)

    def _below(self, statement: ir.Statement, inside: _Inside | None) -> None:
        match statement:
            case ir.Hold():
                self.block(statement.body, _Inside(statement, None))
            case ir.Fork(body):
                self.block(body, None)
            case ir.Loop(body) | ir.While(_, body):
                met = self._last_hold(statement)
                again = inside if inside is None or met is None else _Inside(inside.hold, met)
                self.block(body, again)
            case ir.Branch(_, yes, no):
                self.block(yes, inside)
                self.block(no, inside)

    def _last_hold(self, statement: ir.Statement) -> ir.Hold | None:
        """The last hold that a statement meets by the text, none of a leg's."""
        if isinstance(statement, ir.Hold):
            return statement
        if isinstance(statement, ir.Fork):
            return None
        for block in reversed(blocks_of(statement)):
            for inner in reversed(self._blocks[block]):
                met = self._last_hold(inner)
                if met is not None:
                    return met
        return None

    def _report(self, block: int, index: int, inside: _Inside) -> None:
        printer = self._subject.printer
        held = printer.reference(inside.hold.pools[0].pool)
        if inside.after is not None:
            after = printer.reference(inside.after.pools[0].pool)
            message = (
                f"`cached` is read after the hold on `{after}` in the body of the hold on "
                f"`{held}`: every admission sets it, so here it is the admission of `{after}`. "
                "Read it above that hold (`set c = cached;`)."
            )
        elif inside.hold.cache is None:
            message = (
                f"`cached` is read in a hold on `{held}` that has no `cache` clause: {_NOTHING}, "
                "so `cached` is 0 there. Write `cache (0)` to consume the prefix and keep "
                "nothing, `cache (ℓ)` to keep ℓ of what was computed, or read `cached` above the "
                "hold, where the admission that set it is the enclosing hold's."
            )
        else:
            return
        site = self._subject.site(block, index, ir.SESSION)
        self._subject.findings.statement(site, message, rule="cached", named=False)


def _reads_cached(statement: ir.Statement) -> bool:
    """Whether a statement reads `cached` where it stands: not at its hold's end.

    An index by which it names a pool may: it is the hold's own.
    """
    at_end = ("cache", "lease")
    read = (r.expr for r in readings(statement) if r.role not in at_end)
    return any(ir.CACHED in slots_read(expr) for expr in read)


# ------------------------------------------------------------ stale headers

_Marks = Mapping[int, str]
"""By slot of an attribute that live state was read into, what was read."""


class _StaleHeaders:
    """Headers that read an attribute which read live state before the hold was reached.

    What a hold caches counts as its header; what was read before the hold that a hold
    stands in does not count.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def block(self, block: int, around: _Marks) -> None:
        marks = dict(around)
        for i, statement in enumerate(self._subject.program.blocks[block]):
            if isinstance(statement, ir.Hold):
                self._check(block, i, statement, marks)
            for body in blocks_of(statement):
                self.block(body, {} if isinstance(statement, ir.Hold) else marks)
            if isinstance(statement, ir.Set):
                marks.pop(statement.slot, None)
                live = next(self._live(statement.value), None)
                if live is not None:
                    marks[statement.slot] = live

    def _live(self, expr: ir.Expr) -> Iterator[str]:
        for node in nodes(expr):
            if isinstance(node, ir.Call) and node.function in OBSERVABLES:
                yield self._subject.printer.expression(node)

    def _check(self, block: int, index: int, hold: ir.Hold, marks: _Marks) -> None:
        pool = hold.pools[0].pool
        requests = iter(hold.pools)
        for reading in readings(hold):
            if reading.role == "lease":
                continue
            if reading.role == "units":
                pool = next(requests).pool
            elif reading.role in ("reuse", "cache"):
                pool = hold.pools[0].pool
            stale = next((slot for slot in slots_read(reading.expr) if slot in marks), None)
            if stale is not None:
                name = self._subject.printer.attribute(stale)
                held = self._subject.printer.reference(pool)
                message = (
                    f"`{name}` reads {marks[stale]} when the session reaches the `set`, and is "
                    f"used in the header of a hold on `{held}`, which is read when the session is "
                    f"admitted. Write `at admission ({name} = …)` if the admission value is what "
                    "you meant."
                )
                site = self._subject.site(block, index, ir.SESSION)
                self._subject.findings.statement(site, message, rule="stale", named=False)
