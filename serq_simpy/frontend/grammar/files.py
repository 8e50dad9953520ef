"""The texts there are: a program, a library, an expression by itself, an instance.

The first token says which one is read; it is none of the text's own. A program's items
are read wherever they stand, so that what stands in the wrong place can be named.
"""

from __future__ import annotations

from typing import Final, Literal

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.notation import Make, Rule, given, named
from serq_simpy.node import node

TEXTS: Final = ("PROGRAM", "EXPRESSION", "INSTANCE")
"""The kinds of the first token."""


@node
class Function:
    """`fn name (param, …) { item… }`, of which a program has one."""

    name: str
    params: tuple[tuple[str, Span], ...]
    items: tuple[s.Item, ...]
    span: Span
    name_span: Span


Word = Literal["horizon", "warmup", "seed", "arrivals", "trace"]


def _setting(word: Word) -> Make:
    return lambda span, value: s.Setting(word, value, span)


def _instance(span: Span, items: tuple[s.Let | tuple[s.Setting, ...], ...]) -> s.Instance:
    """The bindings and the settings, which may stand in any order."""
    bindings = tuple(i for i in items if isinstance(i, s.Let))
    settings = tuple(i for group in items if isinstance(group, tuple) for i in group)
    return s.Instance(bindings, settings, span)


FILES: Final = (
    Rule("text", "PROGRAM <top>*", given),
    Rule("text", "EXPRESSION <expr>", given),
    Rule("text", "INSTANCE <instance-item>*", _instance),
    Rule("top", "<item>", given),
    Rule("top", "fn <word> <params> { <item>* }", named(Function)),
    Rule("instance-item", "let <word> = <expr> ;", named(s.Let)),
    Rule("instance-item", "run { <setting>* }", given),
    Rule("setting", "horizon <expr> ;", _setting("horizon")),
    Rule("setting", "warmup <expr> ;", _setting("warmup")),
    Rule("setting", "seed <expr> ;", _setting("seed")),
    Rule("setting", "arrivals <expr> ;", _setting("arrivals")),
    Rule("setting", "trace STRING ;", _setting("trace")),
)
