"""Definitions: which there are, the rules for their bodies, overrides of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Source, Span, shown
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.names import check_word
from serq_simpy.frontend.parse import parse_expression
from serq_simpy.frontend.problems import AlreadyTold, Problems, Refused, did_you_mean


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition and the number of its item: it sees the ones before."""

    syntax: s.Definition
    order: int


class Definitions:
    """The definitions of a program and its libraries, by name."""

    def __init__(self, overrides: Mapping[str, str], problems: Problems) -> None:
        self._overrides = overrides
        self._problems = problems
        self._by_name: dict[str, Defined] = {}
        self._wrong: set[str] = set()

    def add(self, definition: s.Definition, order: int) -> None:
        """Enter a definition; the second of a name is refused."""
        name = definition.name
        if name in self._by_name:
            raise Refused(definition.name_span, f"`{name}` is defined twice")
        self._by_name[name] = Defined(definition, order)
        if name in self._overrides:
            body = _overriding(definition, self._overrides[name])
            self._by_name[name] = Defined(replace(definition, body=body), order)

    def find(self, name: str, before: int) -> s.Definition | None:
        """The definition of the name, if its item stands before the number given."""
        found = self._by_name.get(name)
        if name in self._wrong:
            raise AlreadyTold
        return found.syntax if found is not None and found.order < before else None

    def get(self, name: str) -> Defined | None:
        return self._by_name.get(name)

    def order(self, name: str) -> int:
        return self._by_name[name].order

    def names(self) -> Iterator[str]:
        return iter(self._by_name)

    def check(self) -> None:
        """Report what is wrong with the definitions themselves, used or not."""
        for name in self._overrides:
            if name not in self._by_name:
                known = did_you_mean(name, self._by_name)
                self._problems.error(
                    Diagnostic(f"unknown `def` override `{shown(name)}`", help=known)
                )
        for name, defined in self._by_name.items():
            with self._problems.catching():
                self._wrong.add(name)
                check_parameters(defined.syntax)
                self._check_uses(defined)
                self._wrong.discard(name)

    def _check_uses(self, defined: Defined) -> None:
        name = defined.syntax.name
        for used, span in _uses(defined.syntax.body):
            if used == name:
                raise Refused(span, f"`{name}` uses itself")
            other = self._by_name.get(used)
            if other is not None and other.order > defined.order:
                raise Refused(
                    span,
                    f"`{name}` uses `{used}`, which is defined after it: "
                    "a definition uses the ones before it",
                )


def _overriding(definition: s.Definition, text: str) -> s.Expr:
    name = definition.name
    if isinstance(definition.body, s.Block):
        raise Refused(
            definition.name_span,
            f"the `def` override `{name}`: `def {name}` is statements; "
            "an override replaces the body of an expression definition",
        )
    return override_text(f"`def` override `{name}`", text)


def override_text(what: str, text: str) -> s.Expr:
    """The expression a user gave in place of one of the program's.

    Raises `ProgramSyntaxError` that says which one it was.
    """
    try:
        return parse_expression(Source(what, text))
    except ProgramSyntaxError as wrong:
        raise ProgramSyntaxError(
            replace(d, message=f"invalid expression: {d.message}") for d in wrong.diagnostics
        ) from None


def expressions_of(body: s.Expr | s.Block) -> list[s.Expr]:
    """Every expression of a definition's body that stands by itself."""
    if not isinstance(body, s.Block):
        return [body]
    return [e for st in walk.statements(body) for e in walk.expressions(st)]


def _uses(body: s.Expr | s.Block) -> Iterator[tuple[str, Span]]:
    for expr in expressions_of(body):
        for node in walk.nodes(expr):
            if isinstance(node, s.Call):
                yield node.name, node.span
    if isinstance(body, s.Block):
        for statement in walk.statements(body):
            if isinstance(statement, s.Invoke):
                yield statement.name, statement.span


def check_parameters(definition: s.Definition) -> None:
    """Refuse parameters whose names the language, or the body, has otherwise."""
    seen: set[str] = set()
    for name, span in definition.params:
        check_word(name, "parameter", span)
        if name in seen:
            raise Refused(span, f"`{name}` is a parameter twice")
        seen.add(name)
    for name, span in _bound(definition.body):
        if name in seen:
            raise Refused(
                span,
                f"`{name}` is a parameter, and the body names with it what it assigns or binds",
                f"name the parameter of `{definition.name}` otherwise",
            )


def _bound(body: s.Expr | s.Block) -> Iterator[tuple[str, Span]]:
    """The names a body assigns, records or binds."""
    for expr in expressions_of(body):
        for node in walk.nodes(expr):
            if isinstance(node, s.Aggregate):
                yield node.index, node.span
    if isinstance(body, s.Block):
        for statement in walk.statements(body):
            match statement:
                case s.Set() | s.CostRecord() | s.Observe() | s.Choose():
                    yield statement.name, statement.name_span
                case s.Hold():
                    for binding in statement.bindings:
                        yield binding.name, binding.span
                case _:
                    pass


def times_read(body: s.Expr | s.Block, name: str) -> int:
    """How often a definition's body reads a parameter, by the text."""
    nodes = walk.nodes(*expressions_of(body))
    return sum(isinstance(node, s.Reference) and node.name == name for node in nodes)
