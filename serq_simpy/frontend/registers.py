"""Registers: the numbers that an engine's schedule sets and keeps between iterations."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.names import Kind, Names, check_word
from serq_simpy.frontend.owners import Engine
from serq_simpy.frontend.problems import Problems, Refused
from serq_simpy.frontend.writing import Writing
from serq_simpy.ir import model as ir
from serq_simpy.ir.spans import Spans

_READ_BARE: frozenset[Kind] = frozenset(("constant", "pool", "stage", "engine", "attribute"))
"""What an expression or a cost reads by a bare name: no register has the name of one."""


@dataclass(slots=True)
class Registers:
    """The registers of a program: their numbers by name, and where each is declared."""

    numbers: dict[str, int] = field(default_factory=dict)
    states: list[tuple[Engine, s.State]] = field(default_factory=list)

    def enter(
        self,
        engines: Iterable[Engine],
        names: Names,
        attributes: Collection[str],
        problems: Problems,
    ) -> None:
        """Number the registers in the order of the text. What is wrong goes to the problems."""
        for engine in engines:
            for state in engine.parts.states:
                with problems.catching():
                    self._enter(engine, state, names, attributes)

    def _enter(
        self, engine: Engine, state: s.State, names: Names, attributes: Collection[str]
    ) -> None:
        name = state.name
        again = name in self.numbers
        if not again:
            self.numbers[name] = len(self.states)
            self.states.append((engine, state))
        check_word(name, "register", state.name_span)
        kind = names.kind(name)
        if again or name in attributes or kind in _READ_BARE:
            raise Refused(
                state.name_span,
                f"engine `{engine.name}`: `state {name}`: the name is taken; a register's name is "
                "its own",
                f"`{name}` is {names.called_by(name)}" if kind in _READ_BARE else None,
            )
        if engine.count > 1:
            raise Refused(
                state.span,
                f"engine `{engine.name}`: `state {name}` on an engine family: which member's "
                "register an expression read would be a guess",
                "declare one engine per device",
            )

    def lowered(
        self, writing: Writing, spans: Spans, problems: Problems
    ) -> tuple[ir.Register, ...]:
        """The registers as the IR has them. What is wrong goes to the problems."""
        found: list[ir.Register] = []
        for engine, state in self.states:
            with problems.catching():
                value = _first_value(state, engine, writing)
                spans.registers[len(found)] = state.name_span
                found.append(ir.Register(state.name, engine.base, value))
        return tuple(found)


def _first_value(state: s.State, engine: Engine, writing: Writing) -> float:
    value = writing.constant(state.value, engine.placed)
    if not math.isfinite(value):
        shown = "NaN" if value != value else "infinite"
        raise Refused(
            state.value.span, f"`state {state.name}` is {shown}: its first value is a finite number"
        )
    return value
