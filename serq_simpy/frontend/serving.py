"""The serving forms: `tool` and `transfer` as the runs they are.

A form finds its stage among those declared above it: the stage that has the
role's name, or those written after `on`.
"""

from __future__ import annotations

from collections.abc import Collection

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.problems import Refused

ROLE_STAGES = {"tool": ("tool",), "transfer": ("link", "transfer")}
"""The stages that play a form's role, by name."""


def tool(statement: s.Tool, above: Collection[str]) -> list[s.Statement]:
    """`run tool (cost(tool, e));`."""
    stages = _stages("tool", statement, above)
    return [_run(stages, statement.work, statement.span)]


def transfer(statement: s.Transfer, above: Collection[str]) -> list[s.Statement]:
    """`run link (cost(link, e)); load Q (cost(Q, n)); release P;`."""
    stages = _stages("transfer", statement, above)
    if statement.source is None or statement.target is None:
        raise Refused(
            statement.span,
            "`transfer` without `from P to Q (n)`: a KV transfer leaves the lease (or hold) on P "
            "and enters the hold on Q",
            "run the link itself, `run link (cost(link, e));`, for work without a copy",
        )
    pool, amount = statement.target
    return [
        _run(stages, statement.work, statement.span),
        s.Load(pool, _cost((pool,), amount, statement.span), pool.span.to(amount.span)),
        s.Release(statement.source, statement.source.span),
    ]


def _stages(
    role: str, statement: s.Tool | s.Transfer, above: Collection[str]
) -> tuple[s.Reference, ...]:
    if statement.on:
        return statement.on
    playing = [name for name in ROLE_STAGES[role] if name in above]
    if len(playing) == 1:
        return (s.Reference(playing[0], statement.index, (), statement.span),)
    if playing:
        raise Refused(
            statement.span,
            f"several stages play `{role}` ({', '.join(playing)})",
            f"write `{role} on STAGE (…)`",
        )
    names = " or ".join(f"`{name}`" for name in ROLE_STAGES[role])
    raise Refused(
        statement.span,
        f"no stage declared above plays `{role}`",
        f"name a stage {names}, or write `{role} on STAGE (…)`",
    )


def _run(stages: tuple[s.Reference, ...], work: s.Expr, span: Span) -> s.Run:
    return s.Run(stages, None, _cost(stages, work, span), None, span)


def _cost(resources: tuple[s.Reference, ...], amount: s.Expr, span: Span) -> s.Expr:
    families = tuple(s.Reference(r.name, None, r.fields, r.span) for r in resources)
    return s.Call("cost", (*families, amount), span)
