"""What a program is made of: constants, definitions, pools, stages, the workload, claims."""

from __future__ import annotations

from typing import Any, Final, Literal

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.notation import Make, Rule, always, given, named, plain

_Word = tuple[str, Span]


def _input(
    span: Span, word: _Word, module: s.Reference, function: str, argument: str, default: s.Expr
) -> s.Input:
    if module.name != "args" or module.index is not None:
        help = 'an input is `let NAME = args.number("name", default);`'
        raise ProgramSyntaxError(Diagnostic("this is no function to call", module.span, help))
    return s.Input(word[0], function, argument, default, span, word[1])


# --------------------------------------------------------------- pools, stages


def _option(word: str, form: str = "") -> Make:
    """An option of a pool that carries its keys, none or several."""
    return lambda span, keys=(): s.PoolOption(word, form, keys, span)


def _option_of_one(word: str) -> Make:
    return lambda span, value: s.PoolOption(word, "", (value,), span)


def _preempt_by(
    span: Span, keys: tuple[s.Expr, ...], requeue: Literal["head", "tail"] | None
) -> s.PoolOption:
    return s.PoolOption("preempt", "by", keys, span, requeue=requeue)


def _spill(
    span: Span, tier: s.Reference, stage: s.Reference, work: s.Expr, when: s.Expr
) -> s.PoolOption:
    return s.PoolOption("spill", "", (work, when), span, spill=(tier, stage))


def _pool(span: Span, word: _Word, count: s.Expr | None, options: Any) -> s.PoolDeclaration:
    return s.PoolDeclaration(word[0], count, None, options, span, word[1])


def _pool_on(
    span: Span, word: _Word, count: s.Expr | None, owner: s.Reference, options: Any
) -> s.PoolDeclaration:
    return s.PoolDeclaration(word[0], count, owner, options, span, word[1])


def _kind(word: Literal["fifo", "ps", "delay"]) -> Make:
    return lambda span, argument=None: s.StageKind(word, argument, span)


# -------------------------------------------------------------------- workload


def _arrive(law: str) -> Make:
    return lambda span, argument=None: s.Arrive(law, argument, span)


def _trace(ordered: bool) -> Make:
    return lambda span, path: s.Trace(path, ordered, span)


# --------------------------------------------------------------- what is watched


def _claim(kind: Literal["every", "some"]) -> Make:
    def make(
        span: Span, word: _Word, given: s.Expr | None, stage: s.Reference, value: s.Expr
    ) -> s.ClaimDeclaration:
        return s.ClaimDeclaration(word[0], given, kind, stage, value, span, word[1])

    return make


def _claim_at_end(
    span: Span, word: _Word, given: s.Expr | None, value: s.Expr
) -> s.ClaimDeclaration:
    return s.ClaimDeclaration(word[0], given, "end", None, value, span, word[1])


DECLARATIONS: Final = (
    # --- names for values, texts and files
    Rule("item", "let <word> = <expr> ;", named(s.Let)),
    Rule("item", "let <word> = <member> . NAME ( STRING , <expr> ) ;", _input),
    Rule("item", "use STRING ;", plain(s.Use)),
    Rule("item", "def <word> <params> { <expr> }", named(s.Definition)),
    Rule("item", "def <word> <params> { <led> }", named(s.Definition)),
    Rule("item", "def <word> <params> <block>", named(s.Definition)),
    Rule("params", "( )", always(())),
    Rule("params", "( <word>,+ )", given),
    Rule("params", "( <word>,+ , )", given),
    # --- pools
    Rule("item", "pool <word> <index>? { <pool-option>* }", _pool),
    Rule("item", "pool <word> <index>? on <reference> { <pool-option>* }", _pool_on),
    Rule("pool-option", "cap <expr> ;", _option_of_one("cap")),
    Rule("pool-option", "block <expr> ;", _option_of_one("block")),
    Rule("pool-option", "evict lru ;", _option("evict", "lru")),
    Rule("pool-option", "evict by ( <expr>,+ ) ;", _option("evict", "by")),
    Rule("pool-option", "preempt none ;", _option("preempt", "none")),
    Rule("pool-option", "preempt lifo ;", _option("preempt", "lifo")),
    Rule("pool-option", "preempt by ( <expr>,+ ) <requeue>? ;", _preempt_by),
    Rule("requeue", "requeue head", always("head")),
    Rule("requeue", "requeue tail", always("tail")),
    Rule("pool-option", "queue fifo ;", _option("queue", "fifo")),
    Rule("pool-option", "queue by ( <expr>,+ ) ;", _option("queue", "by")),
    Rule("pool-option", "reserve held ;", _option("reserve", "held")),
    Rule(
        "pool-option",
        "spill <reference> via <reference> ( <expr> ) when ( <expr> ) ;",
        _spill,
    ),
    # --- stages
    Rule("item", "stage <word> <index>? : <kind> ;", named(s.StageDeclaration)),
    Rule("kind", "fifo", _kind("fifo")),
    Rule("kind", "fifo ( <expr> )", _kind("fifo")),
    Rule("kind", "ps ( <expr> )", _kind("ps")),
    Rule("kind", "delay", _kind("delay")),
    Rule("item", "share <policy> ;", plain(s.ShareDeclaration)),
    Rule("policy", "maxmin", always("maxmin")),
    Rule("policy", "bottleneck", always("bottleneck")),
    # --- the two sides
    Rule("item", "server <block>", plain(s.Server)),
    Rule("item", "workload { <workload-item>* }", plain(s.Workload)),
    Rule("workload-item", "arrive poisson ( <expr> ) ;", _arrive("poisson")),
    Rule("workload-item", "arrive renewal ( <expr> ) ;", _arrive("renewal")),
    Rule("workload-item", "arrive closed ( <expr> ) ;", _arrive("closed")),
    Rule("workload-item", "arrive batch ( <expr> ) ;", _arrive("batch")),
    Rule("workload-item", "arrive none ;", _arrive("none")),
    Rule("workload-item", "trace STRING ;", _trace(ordered=False)),
    Rule("workload-item", "trace STRING ordered ;", _trace(ordered=True)),
    Rule("workload-item", "init <block>", plain(s.Init)),
    Rule("workload-item", "turn <block>", plain(s.TurnBlock)),
    Rule("workload-item", "session <block>", plain(s.SessionBlock)),
    Rule("workload-item", "hidden <word>,+ ;", plain(s.Hidden)),
    # --- what is watched
    Rule("item", "gauge <word> = <expr> ;", named(s.GaugeDeclaration)),
    Rule(
        "item",
        "claim <word> <given>? : every iteration of <reference> ( <expr> ) ;",
        _claim("every"),
    ),
    Rule(
        "item",
        "claim <word> <given>? : some iteration of <reference> ( <expr> ) ;",
        _claim("some"),
    ),
    Rule("item", "claim <word> <given>? : at end ( <expr> ) ;", _claim_at_end),
    Rule("given", "given ( <expr> )", given),
)
