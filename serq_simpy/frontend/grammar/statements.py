"""What a session, a server, an entry and a request do."""

from __future__ import annotations

from typing import Final, Literal

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.grammar.expressions import NO_CACHE
from serq_simpy.frontend.notation import Make, Rule, always, given, named, pair, plain

_Word = tuple[str, Span]
_Target = tuple[s.Reference, s.Expr]


def _set(kind: Literal["set", "Size", "Cost"]) -> Make:
    return lambda span, word, value: s.Set(kind, word[0], value, span, word[1])


def _hold(
    span: Span,
    requests: tuple[s.HoldRequest, ...],
    reuse: s.Expr | None,
    bindings: tuple[s.Binding, ...] | None,
    body: s.Block,
    cache: s.Expr | None,
    lease: _Target | None,
) -> s.Hold:
    return s.Hold(requests, reuse, bindings or (), body, cache, lease, span)


def _run(mode: s.Mode | None) -> Make:
    return lambda span, stages, work, growing: s.Run(stages, mode, work, growing, span)


def _run_own(span: Span, work: s.Expr, growing: s.Reference | None) -> s.Run:
    return s.Run((), None, work, growing, span)


def _phase(mode: s.Mode) -> Make:
    return lambda span, work, growing: s.Phase(mode, work, growing, span)


def _tool(
    span: Span, index: s.Expr | None, on: tuple[s.Reference, ...] | None, work: s.Expr
) -> s.Tool:
    return s.Tool(index, on or (), work, span)


def _transfer(
    span: Span,
    index: s.Expr | None,
    on: tuple[s.Reference, ...] | None,
    work: s.Expr,
    source: s.Reference | None,
    target: _Target | None,
) -> s.Transfer:
    return s.Transfer(index, on or (), work, source, target, span)


def _branch(draw: bool) -> Make:
    return lambda span, test, yes, no: s.Branch(test, yes, no, draw, span)


_HOLD: Final = (
    "hold <hold-request>,+ <reuse>? <at-admission>? <block> <cache> <lease>? <semicolon>?"
)

STATEMENTS: Final = (
    Rule("block", "{ <statement>* }", plain(s.Block)),
    Rule("word", "NAME", lambda span, name: (name, span)),
    Rule("statement", "turn ;", plain(s.Turn)),
    Rule("statement", "set <word> = <expr> ;", _set("set")),
    Rule("statement", "Size <word> = <expr> ;", _set("Size")),
    Rule("statement", "Cost <word> = <expr> ;", _set("Cost")),
    Rule("statement", "Cost <word> = { <cost-field>,+ } ;", named(s.CostRecord)),
    Rule("cost-field", "<reference> : <expr>", pair),
    Rule("statement", "observe <word> = <expr> ;", named(s.Observe)),
    # --- memory
    Rule("statement", _HOLD, lambda span, *parts: _hold(span, *parts[:-1])),
    Rule("hold-request", "<reference> ( <expr> ) <reserve>?", plain(s.HoldRequest)),
    Rule("reserve", "reserve ( <expr> )", given),
    Rule("reuse", "reuse ( <expr> )", given),
    Rule("at-admission", "at admission ( <binding>,+ )", given),
    Rule("binding", "NAME = <expr>", plain(s.Binding)),
    # A `cache` after a hold's block is the hold's, also where a request's could stand.
    Rule("cache", "cache ( <expr> )", given),
    Rule("cache", "", always(None), binds=NO_CACHE),
    Rule("lease", "lease <reference> ( <expr> )", pair),
    Rule("semicolon", ";", lambda _: None),
    Rule("statement", "grow <reference> ( <expr> ) ;", plain(s.Grow)),
    Rule("statement", "load <reference> ( <expr> ) ;", plain(s.Load)),
    Rule("statement", "drop <reference> ;", plain(s.Drop)),
    Rule("statement", "release <reference> ;", plain(s.Release)),
    # --- service
    Rule("statement", "run <reference>,+ ( <expr> ) <growing>? ;", _run(None)),
    Rule("statement", "run <reference>,+ prefill ( <expr> ) <growing>? ;", _run("prefill")),
    Rule("statement", "run <reference>,+ decode ( <expr> ) <growing>? ;", _run("decode")),
    Rule("statement", "run ( <expr> ) <growing>? ;", _run_own),
    Rule("statement", "prefill ( <expr> ) <growing>? ;", _phase("prefill")),
    Rule("statement", "decode ( <expr> ) <growing>? ;", _phase("decode")),
    Rule("growing", "growing <reference>", given),
    Rule("statement", "tool <index>? <on>? <expr> ;", _tool),
    Rule("statement", "transfer <index>? <on>? <expr> <from>? <to>? ;", _transfer),
    Rule("on", "on <reference>,+", given),
    Rule("from", "from <reference>", given),
    Rule("to", "to <reference> ( <expr> )", pair),
    # --- control
    Rule("statement", "branch ( <expr> ) <block> <else>?", _branch(draw=False)),
    Rule("statement", "branch with ( <expr> ) <block> <else>?", _branch(draw=True)),
    Rule("else", "else <block>", given),
    Rule("statement", "while ( <expr> ) <block>", plain(s.While)),
    Rule("statement", "loop <block>", plain(s.Loop)),
    Rule("statement", "fork <block>", plain(s.Fork)),
    Rule("statement", "join ;", plain(s.Join)),
    Rule("statement", "choose <word> in <expr> by ( <expr>,+ ) ;", named(s.Choose)),
    Rule("statement", "end ;", plain(s.End)),
    Rule("statement", "mark NAME ;", plain(s.Mark)),
    # --- calls
    Rule("statement", "NAME <args> ;", plain(s.Invoke)),
    Rule("statement", "<member> . NAME <args> <from>? <to>? ;", plain(s.EntryCall)),
)
