"""Which names a program may declare: one word means one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from serq_simpy.errors import Span, place
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.words import (
    BUILT_IN_ATTRIBUTES,
    CONSTRUCTS,
    LANGUAGE_WORDS,
    RETIRED,
    SUPPLIED_NAMES,
)

Kind = Literal[
    "constant",
    "definition",
    "parameter",
    "pool",
    "stage",
    "gauge",
    "claim",
    "attribute",
    "observation",
    "binding",
    "device",
    "engine",
    "register",
    "let",
    "argument",
]

_KINDS: dict[Kind, tuple[str, str]] = {
    "constant": ("a `let` constant", "a `let` constant"),
    "definition": ("a definition", "a definition"),
    "parameter": ("a parameter", "a parameter"),
    "pool": ("a pool", "a pool"),
    "stage": ("a stage", "a stage"),
    "gauge": ("a gauge", "a gauge"),
    "claim": ("a claim", "a claim"),
    "attribute": ("an attribute the program sets", "a session attribute"),
    "observation": ("an observation", "an observation"),
    "binding": ("a hold's binding", "a binding"),
    "device": ("a device", "a device"),
    "engine": ("an engine", "an engine"),
    "register": ("a register", "a register"),
    "let": ("a schedule's `let`", "a schedule's `let`"),
    "argument": ("a request's parameter", "a request's parameter"),
}

_ONCE: frozenset[Kind] = frozenset(("pool", "stage", "gauge", "claim", "device", "engine"))
_NOT_RETIRED: frozenset[Kind] = frozenset(
    ("constant", "attribute", "claim", "definition", "parameter", "binding")
)
_MAY_BE_BUILT_IN: frozenset[Kind] = frozenset(("attribute", "parameter", "let", "argument"))


@dataclass(frozen=True, slots=True)
class _Declared:
    kind: Kind
    span: Span


class Names:
    """The names declared so far, and what each is."""

    def __init__(self) -> None:
        self._declared: dict[str, _Declared] = {}

    def declare(self, name: str, kind: Kind, span: Span) -> None:
        """Enter a name. Raises `Refused` if the language or the program has it already."""
        check_word(name, kind, span)
        first = self._declared.setdefault(name, _Declared(kind, span))
        if first.kind != kind:
            raise Refused(
                span,
                f"`{name}` is {_KINDS[first.kind][0]} at {place(first.span)}; "
                f"{_two_things(name, kind)}",
                "name one of them otherwise",
            )
        if kind in _ONCE and first.span is not span:
            raise Refused(span, f"{kind} `{name}` is declared twice, first at {place(first.span)}")

    def kind(self, name: str) -> Kind | None:
        """What the name is declared as, None if it is not."""
        declared = self._declared.get(name)
        return None if declared is None else declared.kind

    def place(self, name: str) -> str:
        """Where the name is declared, as a message writes it."""
        return place(self._declared[name].span)

    def called_by(self, name: str) -> str:
        """What the name is, in the words of a message."""
        return _KINDS[self._declared[name].kind][0]

    def check_index(self, name: str, form: str, span: Span) -> None:
        """The index of an aggregate, `form` as `max j in`, is a name of its own."""
        if name in SUPPLIED_NAMES:
            raise Refused(span, f"`{form}`: `{name}` is also a name the language supplies")
        if name in BUILT_IN_ATTRIBUTES:
            raise Refused(span, f"`{form}`: `{name}` is also a built-in attribute")
        kind = self.kind(name)
        if kind in ("constant", "attribute", "pool", "stage", "engine"):
            raise Refused(
                span, f"`{form}`: `{name}` is also {_KINDS[kind][1]}", "name the index otherwise"
            )


def too_early(name: str, names: Names, span: Span) -> Refused:
    """The refusal of a definition's use above it or in it."""
    return Refused(
        span,
        f"`{name}` is defined at {names.place(name)}, and its uses come after that",
        "move the definition up, above what uses it",
    )


def check_word(name: str, kind: Kind, span: Span) -> None:
    """Refuse what the language keeps for itself."""
    if name in SUPPLIED_NAMES:
        raise Refused(
            span,
            f"`{name}` is a name the language supplies; {_two_things(name, kind)}",
            "name it otherwise",
        )
    if name in RETIRED and kind in _NOT_RETIRED:
        raise Refused(span, f"`{name}` is a retired word and names nothing: {RETIRED[name]}")
    called = kind in ("definition", "parameter") and (name in LANGUAGE_WORDS or name == "pow")
    if called or (kind in ("device", "engine") and name in CONSTRUCTS):
        raise Refused(span, f"`{name}` is a word of the language: name the {kind} otherwise")
    if name in BUILT_IN_ATTRIBUTES and kind not in _MAY_BE_BUILT_IN:
        raise Refused(
            span,
            f"`{name}` is a built-in attribute; {_two_things(name, kind)}",
            "name it otherwise",
        )


def _two_things(name: str, kind: Kind) -> str:
    return f"{_KINDS[kind][1]} named `{name}` would make the one word mean two things"
