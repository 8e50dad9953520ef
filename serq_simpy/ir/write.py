"""An IR as JSON text: the fields in order, two-space indents, what is absent omitted.

Real numbers are written with a fraction or an exponent (`3.0`, `1e+300`), the
infinities as `"inf"` and `"-inf"`. One exception to that: an infinite `block`,
horizon, rate or session value is written `null`, which a JSON reader takes for none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isinf
from typing import assert_never

from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import deep

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A JSON value; whole numbers are `int`, real ones `float`."""


def to_json(program: ir.Program) -> str:
    """The IR as JSON, version 13."""
    with deep():
        lines: list[str] = []
        _emit(_program(program), "\n", lines.append)
        return "".join(lines)


# --------------------------------------------------------------------- text


def _emit(value: Json, line: str, out: Callable[[str], None]) -> None:
    """Write a value; `line` is the line break and indent its parent stands at."""
    if isinstance(value, dict):
        _emit_object(value, line, out)
    elif isinstance(value, list):
        _emit_array(value, line, out)
    elif isinstance(value, float):
        out(_real(value))
    else:
        out(json.dumps(value, ensure_ascii=False))


def _emit_object(value: dict[str, Json], line: str, out: Callable[[str], None]) -> None:
    inner = line + "  "
    separator = "{" + inner
    for key, item in value.items():
        out(f'{separator}"{key}": ')
        _emit(item, inner, out)
        separator = "," + inner
    out(line + "}" if value else "{}")


def _emit_array(value: list[Json], line: str, out: Callable[[str], None]) -> None:
    inner = line + "  "
    separator = "[" + inner
    for item in value:
        out(separator)
        _emit(item, inner, out)
        separator = "," + inner
    out(line + "]" if value else "[]")


def _real(value: float) -> str:
    """The shortest digits: positional from 1e-5 up to below 1e16, else with an exponent."""
    text = repr(value)
    mantissa, has_exponent, exponent = text.partition("e")
    if not has_exponent:
        return text
    if exponent == "-05":
        sign = "-" if value < 0 else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}"


def _extended(value: float) -> Json:
    if isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _finite(value: float | None) -> Json:
    return None if value is None or isinf(value) else value


# -------------------------------------------------------------- expressions


def _expr(expr: ir.Expr) -> Json:
    match expr:
        case ir.Num(value):
            return {"Num": _extended(value)}
        case ir.Attr(slot):
            return {"Attr": slot}
        case ir.Reg(register):
            return {"Reg": register}
        case ir.Ctx(variable):
            return {"Ctx": variable}
        case ir.Binary(op, left, right):
            return {"Binary": [op, _expr(left), _expr(right)]}
        case ir.Unary(op, operand):
            return {"Unary": [op, _expr(operand)]}
        case ir.Cond(test, yes, no):
            return {"Cond": [_expr(test), _expr(yes), _expr(no)]}
        case ir.Cost(resource, value):
            return {"Cost": [_resource(resource), _expr(value)]}
        case ir.Call(function, args):
            return {"Call": [function, [_argument(arg) for arg in args]]}
        case ir.Sample(law, args):
            return {"Sample": [law, _exprs(args)]}
        case ir.Agg(aggregate, observe):
            return {"Agg": [aggregate, observe]}
        case _:
            assert_never(expr)


def _exprs(exprs: tuple[ir.Expr, ...]) -> list[Json]:
    return [_expr(expr) for expr in exprs]


def _optional(expr: ir.Expr | None) -> Json:
    return None if expr is None else _expr(expr)


def _argument(arg: ir.Expr | ir.PoolRef | ir.StageRef) -> Json:
    if isinstance(arg, ir.PoolRef):
        return {"Pool": _ref(arg)}
    if isinstance(arg, ir.StageRef):
        return {"Stage": _ref(arg)}
    return {"Expr": _expr(arg)}


def _ref(ref: ir.PoolRef | ir.StageRef) -> Json:
    return {"base": ref.base, "count": ref.count, "index": _optional(ref.index)}


def _resource(resource: ir.Resource) -> Json:
    match resource:
        case ir.PoolFamily(base, count):
            return {"Pool": {"base": base, "count": count}}
        case ir.StageFamily(base, count):
            return {"Stage": {"base": base, "count": count}}
        case ir.Joint(parts):
            return {"Joint": [_resource(part) for part in parts]}
        case _:
            assert_never(resource)


# --------------------------------------------------------------- statements


def _statement(statement: ir.Statement) -> Json:
    match statement:
        case ir.Turn() | ir.Join() | ir.End():
            return type(statement).__name__
        case ir.Set(slot, value):
            return {"Set": [slot, _expr(value)]}
        case ir.Observe(observe, value):
            return {"Observe": [observe, _expr(value)]}
        case ir.Hold():
            return {"Hold": _hold(statement)}
        case ir.Grow(pool, amount):
            return {"Grow": [_ref(pool), _expr(amount)]}
        case ir.Load(pool, amount):
            return {"Load": [_ref(pool), _expr(amount)]}
        case ir.Drop(pool):
            return {"Drop": _ref(pool)}
        case ir.Release(pool):
            return {"Release": _ref(pool)}
        case ir.Run():
            return {"Run": _run(statement)}
        case ir.Branch(test, yes, no):
            return {"Branch": [_expr(test), yes, no]}
        case ir.While(test, body):
            return {"While": [_expr(test), body]}
        case ir.Loop(body):
            return {"Loop": body}
        case ir.Choose(slot, count, keys):
            return {"Choose": {"var": slot, "count": _expr(count), "key": _exprs(keys)}}
        case ir.Fork(body):
            return {"Fork": body}
        case _:
            assert_never(statement)


def _hold(hold: ir.Hold) -> Json:
    return {
        "pools": [[_ref(r.pool), _expr(r.units), _optional(r.reserve)] for r in hold.pools],
        "reuse": _optional(hold.reuse),
        "body": hold.body,
        "cache": _optional(hold.cache),
        "lease": None
        if hold.lease is None
        else [_ref(hold.lease.pool), _expr(hold.lease.duration)],
    }


def _lease(lease: ir.Lease) -> Json:
    return [_ref(lease.pool), _expr(lease.duration)]


def _run(run: ir.Run) -> Json:
    out: dict[str, Json] = {
        "stage": _ref(run.stage),
        "mode": run.mode,
        "work": _expr(run.work),
        "growing": None if run.growing is None else _ref(run.growing),
    }
    if run.also:
        out["also"] = [_ref(stage) for stage in run.also]
    return out


# ------------------------------------------------------------ pools, stages


def _named(name: str, index: int | None) -> dict[str, Json]:
    return {"name": name} if index is None else {"name": name, "index": index}


def _pool(pool: ir.Pool) -> Json:
    out = _named(pool.name, pool.index)
    out["cap"] = _extended(pool.cap)
    out["block"] = _finite(pool.block)
    out["evict"] = "Lru" if pool.evict is None else {"By": _exprs(pool.evict)}
    out["preempt"] = "None" if pool.preempt is None else {"By": _preempt(pool.preempt)}
    out["queue"] = None if pool.queue is None else _exprs(pool.queue)
    out["spill"] = None if pool.spill is None else _spill(pool.spill)
    out["admit_via"] = pool.admit_via
    if pool.reserve_held:
        out["reserve_held"] = True
    return out


def _preempt(preempt: ir.PreemptBy) -> Json:
    out: dict[str, Json] = {"keys": _exprs(preempt.keys)}
    if preempt.tail:
        out["tail"] = True
    return out


def _spill(spill: ir.Spill) -> Json:
    return {
        "to": spill.to,
        "via": spill.via,
        "work": _expr(spill.work),
        "when": _expr(spill.when),
    }


def _stage(stage: ir.Stage) -> Json:
    return _named(stage.name, stage.index) | {"kind": _kind(stage.kind)}


def _kind(kind: ir.Fifo | ir.Ps | ir.Step) -> Json:
    match kind:
        case ir.Fifo(servers):
            return {"Fifo": servers}
        case ir.Ps(capacity):
            return {"Ps": _expr(capacity)}
        case ir.Step():
            return {"Step": _step(kind)}
        case _:
            assert_never(kind)


def _step(step: ir.Step) -> Json:
    out: dict[str, Json] = {
        "budget": _expr(step.budget),
        "cost": _expr(step.cost),
        "chunk": _expr(step.chunk),
    }
    if step.granule is not None:
        out["granule"] = _expr(step.granule)
    out["serve"] = "ExclusivePrefill" if step.serve is None else {"By": _exprs(step.serve)}
    out["memory"] = step.memory
    if step.iteration is not None:
        out["iteration"] = _iteration(step.iteration)
    return out


def _iteration(statements: tuple[ir.IterationStatement, ...]) -> list[Json]:
    return [_iteration_statement(statement) for statement in statements]


def _iteration_statement(statement: ir.IterationStatement) -> Json:
    match statement:
        case ir.Serve(only, by):
            serve = {} if only is None else {"only": _expr(only)}
            return {"Serve": serve if by is None else serve | {"by": _exprs(by)}}
        case ir.Admit(only, gate):
            admit = {} if only is None else {"only": _expr(only)}
            return {"Admit": admit if gate is None else admit | {"gate": _expr(gate)}}
        case ir.IterationBranch(test, yes, no):
            return {"Branch": [_expr(test), _iteration(yes), _iteration(no)]}
        case ir.SetRegister(register, value):
            return {"Set": [register, _expr(value)]}
        case _:
            assert_never(statement)


# ------------------------------------------------------------------ program


def _arrival(arrival: ir.Arrival) -> Json:
    match arrival:
        case ir.Poisson(rate):
            return {"Poisson": _finite(rate)}
        case ir.Renewal(gap):
            return {"Renewal": _expr(gap)}
        case ir.Closed(population):
            return {"Closed": population}
        case ir.Batch(size):
            return {"Batch": size}
        case ir.Sessions(sessions):
            return {"Sessions": [_explicit(session) for session in sessions]}
        case ir.NoArrivals():
            return "None"
        case _:
            assert_never(arrival)


def _explicit(session: ir.ExplicitSession) -> Json:
    out: dict[str, Json] = {"attrs": _presets(session.attrs)}
    if session.turns:
        out["turns"] = [_presets(turn) for turn in session.turns]
    return out


def _presets(presets: ir.Presets) -> Json:
    return [[slot, _finite(value)] for slot, value in presets]


def _attr_type(attr_type: ir.AttrType) -> Json:
    return attr_type if isinstance(attr_type, str) else {"Cost": _resource(attr_type)}


def _claim(claim: ir.Claim) -> Json:
    out: dict[str, Json] = {"name": claim.name}
    if claim.given is not None:
        out["given"] = _expr(claim.given)
    match claim.kind:
        case ir.EveryIteration(stage):
            out["kind"] = {"EveryIteration": stage}
        case ir.SomeIteration(stage):
            out["kind"] = {"SomeIteration": stage}
        case ir.AtEnd():
            out["kind"] = "AtEnd"
    out["expr"] = _expr(claim.expr)
    return out


def _slots() -> dict[str, Json]:
    return {
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


def _program(program: ir.Program) -> Json:
    return (
        {"version": ir.IR_VERSION}
        | _model(program)
        | _settings(program.settings)
        | _slots()
        | {"hidden": list(program.hidden)}
        | _extras(program)
    )


def _model(program: ir.Program) -> dict[str, Json]:
    return {
        "attrs": list(program.attrs),
        "attr_types": [_attr_type(t) for t in program.attr_types],
        "sides": [list(sides) for sides in program.sides],
        "observes": list(program.observes),
        "pools": [_pool(pool) for pool in program.pools],
        "stages": [_stage(stage) for stage in program.stages],
        "arrival": _arrival(program.arrival),
        "trace": program.trace,
        "trace_ordered": program.trace_ordered,
        "init": ir.INIT,
        "turn": ir.TURN,
        "session": ir.SESSION,
        "blocks": [[_statement(s) for s in block] for block in program.blocks],
    }


def _settings(settings: ir.Settings) -> dict[str, Json]:
    out: dict[str, Json] = {
        "horizon": _finite(settings.horizon),
        "warmup": _finite(settings.warmup),
        "seed": settings.seed,
    }
    if settings.arrivals is not None:
        out["arrivals"] = settings.arrivals
    return out


def _extras(program: ir.Program) -> dict[str, Json]:
    out: dict[str, Json] = {}
    if program.share is not None:
        out["share"] = program.share
    if program.gauges:
        out["gauges"] = [{"name": g.name, "expr": _expr(g.expr)} for g in program.gauges]
    if program.claims:
        out["claims"] = [_claim(claim) for claim in program.claims]
    if program.registers:
        out["registers"] = [
            {"name": r.name, "stage": r.stage, "init": _extended(r.init)} for r in program.registers
        ]
    return out
