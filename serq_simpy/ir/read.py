"""JSON read as an IR: the shape of it, not what it means.

What is read has every field, every number in its kind and every tree within
bounds; that its numbers name something is for the checks.
"""

from __future__ import annotations

from typing import Literal, cast

from serq_simpy.errors import LinkError
from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import BLOCK_DEPTH, deep
from serq_simpy.ir.jsontext import Node, parse
from serq_simpy.ir.read_expr import expression, expressions, pool_ref, resource, stage_ref

_STATEMENTS = (
    "Turn",
    "Set",
    "Observe",
    "Hold",
    "Grow",
    "Load",
    "Drop",
    "Release",
    "Run",
    "Branch",
    "While",
    "Loop",
    "Choose",
    "Fork",
    "Join",
    "End",
)


def read_program(text: str) -> ir.Program:
    """The IR of a JSON text, whose references are not looked at yet.

    Raises `LinkError`, with one diagnostic, where the text is not JSON or not of
    the shape of an IR of this version. Unknown fields are passed over.
    """
    with deep():
        node = parse(text)
        _check_version(node)
        return _program(node)


def _check_version(node: Node) -> None:
    version = node.field("version").whole()
    if version != ir.IR_VERSION:
        raise LinkError(f"IR version {version} (this interpreter reads {ir.IR_VERSION})")


# --------------------------------------------------------------- statements


def _statement(node: Node) -> ir.Statement:
    name, contents = node.variant(*_STATEMENTS)
    match name:
        case "Turn":
            return ir.Turn()
        case "Join":
            return ir.Join()
        case "End":
            return ir.End()
        case "Loop":
            return ir.Loop(contents.whole())
        case "Fork":
            return ir.Fork(contents.whole())
        case "Drop":
            return ir.Drop(pool_ref(contents))
        case "Release":
            return ir.Release(pool_ref(contents))
        case "Hold":
            return _hold(contents)
        case "Run":
            return _run(contents)
        case "Choose":
            return _choose(contents)
        case "Branch":
            test, yes, no = contents.parts(3)
            return ir.Branch(expression(test), yes.whole(), no.whole())
        case _:
            return _pair(name, *contents.parts(2))


def _pair(name: str, first: Node, second: Node) -> ir.Statement:
    """A statement of two parts."""
    match name:
        case "Set":
            return ir.Set(first.whole(), expression(second))
        case "Observe":
            return ir.Observe(first.whole(), expression(second))
        case "Grow":
            return ir.Grow(pool_ref(first), expression(second))
        case "Load":
            return ir.Load(pool_ref(first), expression(second))
        case _:
            return ir.While(expression(first), second.whole())


def _hold(node: Node) -> ir.Hold:
    lease = node.filled("lease")
    return ir.Hold(
        pools=tuple([_request(part) for part in node.field("pools").items()]),
        reuse=_optional(node, "reuse"),
        body=node.field("body").whole(),
        cache=_optional(node, "cache"),
        lease=None if lease is None else _lease(*lease.parts(2)),
    )


def _request(node: Node) -> ir.HoldRequest:
    pool, units, reserve = node.parts(3)
    wanted = None if reserve.is_null else expression(reserve)
    return ir.HoldRequest(pool_ref(pool), expression(units), wanted)


def _lease(pool: Node, duration: Node) -> ir.Lease:
    return ir.Lease(pool_ref(pool), expression(duration))


def _run(node: Node) -> ir.Run:
    growing, also = node.filled("growing"), node.filled("also")
    mode = node.field("mode").word("Plain", "Prefill", "Decode")
    return ir.Run(
        stage=stage_ref(node.field("stage")),
        mode=cast(ir.Mode, mode),
        work=expression(node.field("work")),
        growing=None if growing is None else pool_ref(growing),
        also=() if also is None else tuple([stage_ref(stage) for stage in also.items()]),
    )


def _choose(node: Node) -> ir.Choose:
    return ir.Choose(
        slot=node.field("var").whole(),
        count=expression(node.field("count")),
        keys=expressions(node.field("key")),
    )


def _optional(node: Node, name: str) -> ir.Expr | None:
    found = node.filled(name)
    return None if found is None else expression(found)


def _optional_list(node: Node, name: str) -> tuple[ir.Expr, ...] | None:
    found = node.filled(name)
    return None if found is None else expressions(found)


def _optional_number(node: Node, name: str) -> int | None:
    found = node.filled(name)
    return None if found is None else found.whole()


# ------------------------------------------------------------ pools, stages


def _pool(node: Node) -> ir.Pool:
    block, spill = node.filled("block"), node.filled("spill")
    held = node.get("reserve_held")
    return ir.Pool(
        name=node.field("name").text(),
        index=_optional_number(node, "index"),
        cap=node.field("cap").extended(),
        block=None if block is None else block.real(),
        evict=_evict(node.field("evict")),
        preempt=_preempt(node.field("preempt")),
        queue=_optional_list(node, "queue"),
        spill=None if spill is None else _spill(spill),
        admit_via=_optional_number(node, "admit_via"),
        reserve_held=False if held is None else held.flag(),
    )


def _evict(node: Node) -> tuple[ir.Expr, ...] | None:
    kind, contents = node.variant("Lru", "By")
    return None if kind == "Lru" else expressions(contents)


def _preempt(node: Node) -> ir.PreemptBy | None:
    kind, contents = node.variant("None", "By")
    if kind == "None":
        return None
    tail = contents.get("tail")
    keys = expressions(contents.field("keys"))
    return ir.PreemptBy(keys, tail=False if tail is None else tail.flag())


def _spill(node: Node) -> ir.Spill:
    return ir.Spill(
        to=node.field("to").whole(),
        via=node.field("via").whole(),
        work=expression(node.field("work")),
        when=expression(node.field("when")),
    )


def _stage(node: Node) -> ir.Stage:
    return ir.Stage(
        name=node.field("name").text(),
        index=_optional_number(node, "index"),
        kind=_kind(node.field("kind")),
    )


def _kind(node: Node) -> ir.Fifo | ir.Ps | ir.Step:
    kind, contents = node.variant("Fifo", "Ps", "Step")
    match kind:
        case "Fifo":
            return ir.Fifo(contents.whole())
        case "Ps":
            return ir.Ps(expression(contents))
        case _:
            return _step(contents)


def _step(node: Node) -> ir.Step:
    iteration = node.filled("iteration")
    return ir.Step(
        budget=expression(node.field("budget")),
        cost=expression(node.field("cost")),
        chunk=expression(node.field("chunk")),
        granule=_optional(node, "granule"),
        serve=_serve(node.field("serve")),
        memory=_optional_number(node, "memory"),
        iteration=None if iteration is None else _iteration(iteration, 1),
    )


def _serve(node: Node) -> tuple[ir.Expr, ...] | None:
    kind, contents = node.variant("By", "ExclusivePrefill")
    return expressions(contents) if kind == "By" else None


def _iteration(node: Node, level: int) -> tuple[ir.IterationStatement, ...]:
    if level > BLOCK_DEPTH:
        node.fail(f"a schedule more than {BLOCK_DEPTH} branches deep")
    return tuple([_iteration_statement(item, level) for item in node.items()])


def _iteration_statement(node: Node, level: int) -> ir.IterationStatement:
    name, contents = node.variant("Serve", "Admit", "Branch", "Set")
    match name:
        case "Serve":
            return ir.Serve(_optional(contents, "only"), _optional_list(contents, "by"))
        case "Admit":
            return ir.Admit(_optional(contents, "only"), _optional(contents, "gate"))
        case "Branch":
            test, yes, no = contents.parts(3)
            arms = _iteration(yes, level + 1), _iteration(no, level + 1)
            return ir.IterationBranch(expression(test), *arms)
        case _:
            register, value = contents.parts(2)
            return ir.SetRegister(register.whole(), expression(value))


# ------------------------------------------------------------------ program


def _arrival(node: Node) -> ir.Arrival:
    names = ("Poisson", "Renewal", "Closed", "Batch", "Sessions", "None")
    name, contents = node.variant(*names)
    match name:
        case "Poisson":
            return ir.Poisson(contents.real())
        case "Renewal":
            return ir.Renewal(expression(contents))
        case "Closed":
            return ir.Closed(contents.whole())
        case "Batch":
            return ir.Batch(contents.whole())
        case "Sessions":
            return ir.Sessions(tuple([_explicit(item) for item in contents.items()]))
        case _:
            return ir.NoArrivals()


def _explicit(node: Node) -> ir.ExplicitSession:
    turns = node.filled("turns")
    return ir.ExplicitSession(
        attrs=_presets(node.field("attrs")),
        turns=() if turns is None else tuple([_presets(turn) for turn in turns.items()]),
    )


def _presets(node: Node) -> ir.Presets:
    pairs = [item.parts(2) for item in node.items()]
    return tuple([(slot.whole(), value.real()) for slot, value in pairs])


def _attr_type(node: Node) -> ir.AttrType:
    kind, contents = node.variant("Size", "Value", "Cost")
    if kind == "Cost":
        return resource(contents)
    return cast(Literal["Size", "Value"], kind)


def _side(node: Node) -> ir.Side:
    return cast(ir.Side, node.word("Workload", "Server"))


def _gauge(node: Node) -> ir.Gauge:
    return ir.Gauge(node.field("name").text(), expression(node.field("expr")))


def _claim(node: Node) -> ir.Claim:
    return ir.Claim(
        name=node.field("name").text(),
        given=_optional(node, "given"),
        kind=_claim_kind(node.field("kind")),
        expr=expression(node.field("expr")),
    )


def _claim_kind(node: Node) -> ir.EveryIteration | ir.SomeIteration | ir.AtEnd:
    kind, contents = node.variant("EveryIteration", "SomeIteration", "AtEnd")
    match kind:
        case "EveryIteration":
            return ir.EveryIteration(contents.whole())
        case "SomeIteration":
            return ir.SomeIteration(contents.whole())
        case _:
            return ir.AtEnd()


def _register(node: Node) -> ir.Register:
    return ir.Register(
        name=node.field("name").text(),
        stage=node.field("stage").whole(),
        init=node.field("init").extended(),
    )


def _settings(node: Node) -> ir.Settings:
    return ir.Settings(
        horizon=node.field("horizon").real(),
        warmup=node.field("warmup").real(),
        seed=node.field("seed").whole(),
        arrivals=_optional_number(node, "arrivals"),
    )


_FIXED = {
    "init": ir.INIT,
    "turn": ir.TURN,
    "session": ir.SESSION,
    "slot_cached": ir.CACHED,
    "slot_serial": ir.SERIAL,
    "slot_turn": ir.TURN_NO,
    "slot_new": ir.NEW,
    "slot_out": ir.OUT,
    "slot_think": ir.THINK,
    "slot_more": ir.MORE,
    "slot_forced": ir.FORCED,
    "slot_computed": ir.COMPUTED,
}


def _check_fixed(node: Node) -> None:
    """The blocks and slots that every IR has stand where every linker puts them."""
    for name, number in _FIXED.items():
        found = node.field(name)
        if found.whole() != number:
            what = "attribute" if name.startswith("slot") else "block"
            found.fail(f"this {what} is number {number} in every program, found {found.value}")


def _program(node: Node) -> ir.Program:
    _check_fixed(node)
    trace, share = node.filled("trace"), node.filled("share")
    share_name = None if share is None else share.word("MaxMin", "Bottleneck")
    return ir.Program(
        attrs=tuple([name.text() for name in node.field("attrs").items()]),
        attr_types=tuple([_attr_type(item) for item in node.field("attr_types").items()]),
        sides=tuple(
            [tuple([_side(s) for s in block.items()]) for block in node.field("sides").items()]
        ),
        observes=tuple([name.text() for name in node.field("observes").items()]),
        pools=tuple([_pool(item) for item in node.field("pools").items()]),
        stages=tuple([_stage(item) for item in node.field("stages").items()]),
        arrival=_arrival(node.field("arrival")),
        trace=None if trace is None else trace.text(),
        trace_ordered=node.field("trace_ordered").flag(),
        blocks=tuple(
            [
                tuple([_statement(s) for s in block.items()])
                for block in node.field("blocks").items()
            ]
        ),
        settings=_settings(node),
        hidden=tuple([slot.whole() for slot in node.field("hidden").items()]),
        share=cast(ir.Share | None, share_name),
        gauges=tuple([_gauge(item) for item in _list(node, "gauges")]),
        claims=tuple([_claim(item) for item in _list(node, "claims")]),
        registers=tuple([_register(item) for item in _list(node, "registers")]),
    )


def _list(node: Node, name: str) -> list[Node]:
    found = node.filled(name)
    return [] if found is None else found.items()
