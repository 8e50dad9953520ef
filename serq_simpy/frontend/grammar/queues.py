"""Stations: a queue with its pools, its stage and its entries, and who reads whose KV."""

from __future__ import annotations

from typing import Any, Final, Literal

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.notation import Make, Rule, given, named, plain

_Word = tuple[str, Span]


def _pool(span: Span, word: _Word, options: Any) -> s.PoolDeclaration:
    return s.PoolDeclaration(word[0], None, None, options, span, word[1])


def _pool_on(span: Span, word: _Word, owner: s.Reference, options: Any) -> s.PoolDeclaration:
    return s.PoolDeclaration(word[0], None, owner, options, span, word[1])


def _device(span: Span, word: _Word, resources: Any) -> s.DeviceDeclaration:
    return s.DeviceDeclaration(word[0], None, resources, span, word[1])


def _engine(
    span: Span, device: s.Reference, items: tuple[s.EngineItem, ...]
) -> s.EngineDeclaration:
    return s.EngineDeclaration("", None, device, items, span, span)


def _entry(
    span: Span,
    verb: str,
    params: tuple[_Word, ...] | None,
    source: _Word | None,
    body: s.Block,
) -> s.Entry:
    return s.Entry(verb, params or (), source, body, span)


def _relation(verb: Literal["pull", "push"]) -> Make:
    def make(
        span: Span, left: _Word, right: _Word, latency: s.Expr | None, policy: Any
    ) -> s.Relation:
        return s.Relation(left, verb, right, latency, policy, span)

    return make


QUEUES: Final = (
    Rule(
        "item", "queue <word> <index>? [ : <word>,+ ] { <queue-item>* }", named(s.QueueDeclaration)
    ),
    Rule("queue-item", "pool <word> { <pool-option>* }", _pool),
    Rule("queue-item", "pool <word> on <reference> { <pool-option>* }", _pool_on),
    Rule("queue-item", "device <word> { <resource>* }", _device),
    Rule("queue-item", "engine on <reference> { <engine-item>* }", _engine),
    Rule("queue-item", "serve <kind> <latency>? ;", plain(s.Serve)),
    Rule("queue-item", "nic <kind> ;", plain(s.Nic)),
    Rule("queue-item", "NAME <params>? <entry-source>? <block>", _entry),
    Rule("entry-source", "from <word>", given),
    Rule("latency", "latency <expr>", given),
    Rule("item", "<word> pull <word> <latency>? share <policy> ;", _relation("pull")),
    Rule("item", "<word> push <word> <latency>? share <policy> ;", _relation("push")),
)
