"""What the names of a text stand for where it is written out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from serq_simpy.errors import Span, Use
from serq_simpy.frontend import syntax as s


@dataclass(frozen=True, slots=True)
class Scope:
    """The names replaced in a text, and the use of the definition it is the body of.

    `names` has a definition's parameters with their arguments, and the indexes of
    aggregates with their numbers; what stands for a name is written out already.
    Definitions from the item numbered `before` on are not seen. `resources` are a device's
    time resources, read as definitions are in the `execute` of its engine.
    """

    before: int
    names: Mapping[str, s.Expr] = field(default_factory=dict)
    use: Use | None = None
    resources: Mapping[str, s.Definition] = field(default_factory=dict)

    def at(self, span: Span) -> Span:
        """The place of a text of this scope, with the use that brought it in."""
        return span if self.use is None else Span(span.source, span.start, span.end, self.use)

    def with_name(self, name: str, value: s.Expr) -> Scope:
        return replace(self, names={**self.names, name: value})


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an item stands: its number, and the stages declared above it."""

    order: int
    above: tuple[str, ...]

    @property
    def scope(self) -> Scope:
        return Scope(self.order)
