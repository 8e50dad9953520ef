"""Devices, the engines that run on them, their schedules and their requests."""

from __future__ import annotations

from typing import Final

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.notation import Rule, given, named, pair, plain

_Word = tuple[str, Span]
_Taking = tuple[tuple[s.HoldRequest, ...], s.Expr | None]


# -------------------------------------------------------------------- schedules


def _advance(
    span: Span,
    only: s.Expr | None,
    order: tuple[str, tuple[s.Expr, ...]] | None,
    at_most: s.Expr | None,
) -> s.Advance:
    word, keys = order or (None, ())
    return s.Advance(only, word, keys, at_most, span)


def _admit(
    span: Span,
    only: s.Expr | None,
    gate: s.Expr | None,
    at_most: s.Expr | None,
    taking: _Taking | None,
) -> s.AdmitWaiting:
    requests, reuse = taking or ((), None)
    return s.AdmitWaiting(only, gate, at_most, requests, reuse, span)


def _schedule_branch(
    span: Span,
    test: s.Expr,
    yes: tuple[s.ScheduleStatement, ...],
    no: tuple[s.ScheduleStatement, ...] | None,
) -> s.ScheduleBranch:
    return s.ScheduleBranch(test, yes, no or (), span)


# --------------------------------------------------------------------- requests


def _request(
    span: Span,
    params: tuple[_Word, ...],
    before: tuple[s.Statement, ...],
    admission: s.AtAdmission | None,
    after: tuple[s.Statement, ...],
    cache: s.CacheItem | None,
) -> s.RequestDeclaration:
    written = (*before, admission, *after, cache)
    return s.RequestDeclaration(params, tuple(i for i in written if i is not None), span)


_REQUEST: Final = (
    "request <params> { <statement>* [ <admission-item> <statement>* ] [ <cache-item> ] }"
)

ENGINES: Final = (
    Rule("item", "device <word> <index>? { <resource>* }", named(s.DeviceDeclaration)),
    Rule("resource", "<word> <params> = <expr> ;", named(s.TimeResource)),
    Rule("resource", "<capacity>", given),
    Rule("capacity", "<word> <index>? cap <expr> ;", named(s.Capacity)),
    Rule(
        "item",
        "engine <word> <index>? on <reference> { <engine-item>* }",
        named(s.EngineDeclaration),
    ),
    Rule("engine-item", "<capacity>", given),
    Rule("engine-item", "tokens cap <expr> ;", plain(s.TokensCap)),
    Rule("engine-item", "granule <expr> ;", plain(s.Granule)),
    Rule("engine-item", "state <word> = <expr> ;", named(s.State)),
    Rule("engine-item", "execute ( <expr> ) ;", plain(s.Execute)),
    # --- what each iteration does
    Rule("engine-item", "schedule { <schedule-let>* <schedule-statement>+ }", plain(s.Schedule)),
    Rule("schedule-let", "let <word> = <expr> ;", named(s.Let)),
    Rule("schedule-statement", "advance running <only>? <order>? <at-most>? ;", _advance),
    Rule("schedule-statement", "admit waiting <only>? <gate>? <at-most>? <taking>? ;", _admit),
    Rule("schedule-statement", "exclusive prefill <at-most>? ;", plain(s.ExclusivePrefill)),
    Rule(
        "schedule-statement",
        "branch ( <expr> ) <schedule-block> <schedule-else>?",
        _schedule_branch,
    ),
    Rule("schedule-statement", "set <word> = <expr> ;", named(s.ScheduleSet)),
    Rule("schedule-block", "{ <schedule-statement>* }", given),
    Rule("schedule-else", "else <schedule-block>", given),
    Rule("only", "only ( <expr> )", given),
    Rule("gate", "while ( <expr> )", given),
    Rule("at-most", "each at most ( <expr> )", given),
    Rule("order", "admission", lambda _: ("admission", ())),
    Rule("order", "decode first", lambda _: ("decode first", ())),
    Rule("order", "by ( <expr>,+ )", lambda _, keys: ("by", keys)),
    Rule("taking", "taking <hold-request>,+ <reuse>?", pair),
    # --- what it does with one request
    Rule("engine-item", _REQUEST, _request),
    Rule("admission-item", "at admission { <admission-binding>* }", plain(s.AtAdmission)),
    Rule(
        "admission-binding",
        "NAME = <expr> ;",
        lambda span, name, value: s.Binding(name, value, span),
    ),
    Rule("cache-item", "cache ( <expr> ) ;", plain(s.CacheItem)),
)
