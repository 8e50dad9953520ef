"""Inputs: the constants whose values may come from outside the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from serq_simpy.errors import Diagnostic, shown
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.definitions import override_text
from serq_simpy.frontend.problems import Refused, nearest
from serq_simpy.frontend.scope import Placed


@dataclass(frozen=True, slots=True)
class InputValue:
    """An input of a program: its name outside, its default, the value it has."""

    name: str
    default: float
    value: float


class Inputs:
    """Reads `args.number(…)`, with the values given from outside by name."""

    def __init__(
        self, given: Mapping[str, float | str], evaluate: Callable[[s.Expr, Placed], float]
    ) -> None:
        self.values: list[InputValue] = []
        self._expected: set[str] = set()
        self._read: set[str] = set()
        self._given = given
        self._evaluate = evaluate

    def expect(self, name: str) -> None:
        """An input of the name is written, however wrong the rest may be."""
        self._expected.add(name)

    def given(self, name: str) -> bool:
        return name in self._given

    def read(self, item: s.Input, placed: Placed) -> float:
        """The value of an input, NaN only where its default is. Raises `Refused`."""
        name = item.argument
        if item.function != "number":
            raise Refused(
                item.span,
                f"std/args has no function `{item.function}`",
                'use `args.number("name", default)`',
            )
        if not name.isidentifier():
            raise Refused(
                item.span, f"invalid argument name `{shown(name)}`; expected an identifier"
            )
        if name in self._read:
            raise Refused(
                item.span,
                f"argument `{name}` is declared twice; read it once and reuse its binding",
            )
        self._read.add(name)
        default = self._evaluate(item.default, placed)
        value = self._value(item, placed) if self.given(name) else default
        self.values.append(InputValue(name, default, value))
        return value

    def _value(self, item: s.Input, placed: Placed) -> float:
        name = item.argument
        given = self._given[name]
        if isinstance(given, str):
            what = f"the program argument `{name}`"
            value = self._evaluate(override_text(what, given), placed)
        else:
            value = float(given)
        if value != value:
            raise Refused(
                item.span,
                f"the program argument `{name}`: the value is NaN",
                "a constant is a number or `inf`; `0/0` and `inf - inf` are not",
            )
        return value

    def unknown(self) -> Iterator[Diagnostic]:
        """What was given and is no input of the program."""
        names = sorted(self._expected)
        for name in self._given:
            if name not in names:
                close = nearest(name, names)
                help = (
                    f"did you mean `{close}`?"
                    if close is not None
                    else "only inputs declared with `args.number` can be supplied; "
                    f"the program's inputs: {', '.join(names) or 'none'}"
                )
                yield Diagnostic(f"unknown program argument `{shown(name)}`", help=help)
