"""The arguments of statement definitions: each means at its reads what it means at the use."""

from __future__ import annotations

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.problems import Refused
from serq_simpy.frontend.signs import CONTEXT, FUNCTIONS
from serq_simpy.ir.vocabulary import OBSERVABLES


def check_still(definition: s.Definition, args: tuple[s.Expr, ...], span: Span) -> None:
    """Refuse an argument whose value moves while the statements of the body run."""
    for (param, _), arg in zip(definition.params, args, strict=True):
        for node in walk.nodes(arg):
            match node:
                case s.Call(name) if FUNCTIONS.get(name) in OBSERVABLES:
                    moving = f"{name}(…)"
                case s.Reference() if walk.dotted(node) in CONTEXT:
                    moving = node.name
                case _:
                    continue
            raise Refused(
                span,
                f"the argument for `{param}` of `{definition.name}` reads `{moving}`, which "
                "changes while statements run: the body would read it where it reads the "
                "parameter, not here",
                f"`set` the value first (`set t = {moving};`) and pass the name",
            )


def check_unassigned(
    definition: s.Definition, args: tuple[s.Expr, ...], body: k.Block, span: Span
) -> None:
    """Refuse an argument that reads what the body assigns."""
    assigned = _assigned(body)
    for (param, _), arg in zip(definition.params, args, strict=True):
        for name in walk.names(arg):
            if name in assigned:
                raise Refused(
                    span,
                    f"the argument for `{param}` reads `{name}`, which `{definition.name}` "
                    f"assigns: it would read the body's `{name}`, not this one",
                    "`set` the value under another name first and pass that",
                )


def _assigned(body: k.Block) -> set[str]:
    names: set[str] = set()
    stack = list(body)
    while stack:
        statement = stack.pop()
        if isinstance(statement, s.Set | s.Choose):
            names.add(statement.name)
        elif isinstance(statement, k.Hold):
            names |= statement.bound
        for block in k.blocks(statement):
            stack.extend(block)
    return names
