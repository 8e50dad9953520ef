"""`at admission`: names for what a hold's header is written in terms of.

A binding is written into the header where its name stands, and set at the top of
the body when the body reads it.
"""

from __future__ import annotations

from collections.abc import Mapping

from serq_simpy.errors import Span, Use
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.expressions import Expressions
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.scope import Scope
from serq_simpy.frontend.signs import CONTEXT, FUNCTIONS
from serq_simpy.ir.vocabulary import OBSERVABLES

Bound = Mapping[str, s.Expr]
"""The bindings of a hold, each written in terms of none of the others."""


def bindings(hold: s.Hold, scope: Scope, expressions: Expressions) -> dict[str, s.Expr]:
    """The hold's bindings by name, written out. Raises `Refused`."""
    later = [binding.name for binding in hold.bindings]
    bound: dict[str, s.Expr] = {}
    for binding in hold.bindings:
        name, span = binding.name, scope.at(binding.span)
        if name in bound:
            raise Refused(span, f"`{name}` is bound twice in one `at admission`")
        value = expressions.expression(binding.value, scope)
        for read in walk.names(value):
            if read == name:
                raise Refused(span, f"the binding `{name}` reads itself")
            if read in later and read not in bound:
                raise Refused(
                    span,
                    f"`{name}` reads `{read}`, which is bound after it: "
                    "a binding sees the ones before it",
                )
        if expressions.measure(value).draws:
            raise Refused(
                span,
                f"`{name}` draws a sample: an `at admission` binding is substituted, "
                "so a name used twice would draw twice",
                "`set` the draw before the hold",
            )
        bound[name] = written(value, bound, expressions)
        expressions.measure(bound[name])
    return bound


def written(expr: s.Expr, bound: Bound, expressions: Expressions) -> s.Expr:
    """An expression that is written out, with the bindings' values for their names."""
    if not bound:
        return expr
    return expressions.expression(expr, Scope(before=0, names=bound))


def assignments(
    hold: s.Hold, scope: Scope, bound: Bound, body: k.Block, native: Use | None
) -> list[k.Statement]:
    """The `set`s, at the body's top, of the bindings that the body reads.

    An argument of a request means at each read what it means there; `native` is the use
    that brought in the text that is no argument, None where there are none.
    """
    sets: list[k.Statement] = []
    for binding in hold.bindings:
        if _reads(body, binding.name):
            span = scope.at(binding.span)
            live = _live(bound[binding.name], native)
            if live is not None:
                raise Refused(
                    span,
                    f"the body reads `{binding.name}`, and `{binding.name}` reads `{live}`: the "
                    "body sees a binding that reads only attributes and constants",
                    "read `cached` in the body, or the value where the body needs it",
                )
            sets.append(s.Set("set", binding.name, bound[binding.name], span, span))
    return sets


def _reads(body: k.Block, name: str) -> bool:
    """Whether the statements read the name, and no hold in them binds it anew there."""
    stack = list(body)
    while stack:
        statement = stack.pop()
        if name in walk.names(*walk.expressions(statement)):
            return True
        if not (isinstance(statement, k.Hold) and name in statement.bound):
            for block in k.blocks(statement):
                stack.extend(block)
    return False


def _live(expr: s.Expr, native: Use | None) -> str | None:
    """What an expression reads besides attributes and constants, as a message names it."""
    for node in walk.nodes(expr):
        if native is not None and not _brought_in(node.span, native):
            continue
        match node:
            case s.Call(name) if FUNCTIONS.get(name) in OBSERVABLES:
                return f"{name}(…)"
            case s.Reference() if (name := walk.dotted(node)) in CONTEXT or name == "cached":
                return name
            case _:
                pass
    return None


def _brought_in(span: Span, use: Use) -> bool:
    """Whether a use brought the text in."""
    here: Span | None = span
    while here is not None and here.used_at is not None:
        if here.used_at is use:
            return True
        here = here.used_at.span
    return False
