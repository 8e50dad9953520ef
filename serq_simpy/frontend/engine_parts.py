"""The items of an engine taken apart: each once, the required ones there."""

from __future__ import annotations

from dataclasses import dataclass, field

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.problems import Problems, Refused


@dataclass(slots=True)
class EngineParts:
    """An engine's clauses; what is not written is None or empty."""

    tokens: s.TokensCap | None = None
    schedule: s.Schedule | None = None
    execute: s.Execute | None = None
    granule: s.Granule | None = None
    request: s.RequestDeclaration | None = None
    states: list[s.State] = field(default_factory=list)
    capacities: list[s.Capacity] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether what every engine needs is there."""
        return None not in (self.tokens, self.schedule, self.execute)


def take_apart(engine: s.EngineDeclaration, problems: Problems) -> EngineParts:
    """The clauses of an engine. What is wrong with their number goes to the problems."""
    parts = EngineParts()
    for item in engine.items:
        with problems.catching():
            _take(parts, item, problems)
    for missing in _missing(engine, parts):
        problems.error(missing.diagnostic)
    return parts


def _take(parts: EngineParts, item: s.EngineItem, problems: Problems) -> None:
    match item:
        case s.TokensCap():
            _once("tokens cap", parts.tokens, item.span, "an iteration has one budget")
            parts.tokens = item
        case s.Schedule():
            _once("schedule", parts.schedule, item.span, "an engine has one schedule")
            parts.schedule = item
        case s.Execute():
            _once("execute", parts.execute, item.span, "a batch takes one time")
            parts.execute = item
        case s.RequestDeclaration():
            rule = "an engine says once what it does with one"
            _once("request", parts.request, item.span, rule)
            parts.request = item
        case s.Granule():
            if parts.granule is not None:
                problems.warn(
                    item.span,
                    f"this `granule` replaces the one on line {parts.granule.span.line}",
                    "the first is not read: remove one of them",
                )
            parts.granule = item
        case s.State():
            parts.states.append(item)
        case s.Capacity():
            parts.capacities.append(item)


def _once(word: str, first: object, span: Span, rule: str) -> None:
    if first is not None:
        raise Refused(span, f"`{word}` twice: {rule}", "remove one of them")


def _missing(engine: s.EngineDeclaration, parts: EngineParts) -> list[Refused]:
    required = (
        (parts.tokens, "tokens cap B;", "the tokens one iteration computes (`inf` for no cap)"),
        (parts.schedule, "schedule { … }", "what each iteration does"),
        (parts.execute, "execute (T);", "how long a batch takes"),
    )
    return [
        Refused(engine.name_span, f"engine `{engine.name}` needs `{form}`: {what}")
        for part, form, what in required
        if part is None
    ]
