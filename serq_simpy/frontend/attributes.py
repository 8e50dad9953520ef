"""The attributes and observations of a program: their slots, and the attributes' types."""

from __future__ import annotations

from collections.abc import Iterator

from serq_simpy.errors import Span
from serq_simpy.frontend import kernel as k
from serq_simpy.frontend import syntax as s
from serq_simpy.ir import model as ir
from serq_simpy.ir.spans import Spans

_BUILT_IN_VALUES = (ir.CACHED, ir.COMPUTED)


def number(kernel: k.Program, spans: Spans) -> tuple[dict[str, int], dict[str, int]]:
    """Slots by attribute and numbers by observation, in the order of the text."""
    slots = {name: slot for slot, name in enumerate(ir.BUILT_IN)}
    observes: dict[str, int] = {}
    for block in (kernel.init, kernel.turn, kernel.session):
        for statement in _in_order(block):
            match statement:
                case s.Set() | s.Choose():
                    slot = slots.setdefault(statement.name, len(slots))
                    spans.attrs.setdefault(slot, statement.name_span)
                case s.Observe(name):
                    observes.setdefault(name, len(observes))
                case _:
                    pass
    return slots, observes


def _in_order(block: k.Block) -> Iterator[k.Statement]:
    stack = list(reversed(block))
    while stack:
        statement = stack.pop()
        yield statement
        for inner in reversed(k.blocks(statement)):
            stack.extend(reversed(inner))


# -------------------------------------------------------------------- types


def types(
    count: int,
    blocks: tuple[tuple[ir.Statement, ...], ...],
    sides: tuple[tuple[ir.Side, ...], ...],
) -> tuple[ir.AttrType, ...]:
    """The type of each of `count` attributes: what its first assignment gives it.

    A cost may be handed from attribute to attribute, against the order of the text
    too, so types are taken until none changes.
    """
    assignments = _first_assignments(blocks, sides)
    found: list[ir.AttrType] = [
        "Value" if slot in _BUILT_IN_VALUES else "Size" for slot in range(count)
    ]
    for _ in range(count + 1):
        changed = False
        for slot, (value, side) in assignments.items():
            cost = None if value is None else cost_of(value, found)
            of: ir.AttrType = cost or ("Size" if side == "Workload" else "Value")
            if slot >= len(ir.BUILT_IN) and found[slot] is not of and found[slot] != of:
                found[slot] = of
                changed = True
        if not changed:
            break
    return tuple(found)


_Assignment = tuple[ir.Expr | None, ir.Side]


def _first_assignments(
    blocks: tuple[tuple[ir.Statement, ...], ...], sides: tuple[tuple[ir.Side, ...], ...]
) -> dict[int, _Assignment]:
    first: dict[int, _Assignment] = {}
    for block, side_of in zip(blocks, sides, strict=True):
        for statement, side in zip(block, side_of, strict=True):
            match statement:
                case ir.Set(slot, value):
                    first.setdefault(slot, (value, side))
                case ir.Choose(slot):
                    first.setdefault(slot, (None, side))
                case _:
                    pass
    return first


def cost_of(expr: ir.Expr, found: list[ir.AttrType]) -> ir.Resource | None:
    """The resource an expression is a cost of, None for an ordinary quantity.

    Of wrong mixtures the first cost met counts: the checks refuse them.
    """
    stack: list[ir.Expr | ir.PoolRef | ir.StageRef] = [expr]
    while stack:
        match stack.pop():
            case ir.Cost(resource):
                return resource
            case ir.Attr(slot):
                of = found[slot]
                if not isinstance(of, str):
                    return of
            case ir.Unary("Neg", operand):
                stack.append(operand)
            case ir.Binary("Add" | "Sub" | "Mul" | "Div", left, right):
                stack += (right, left)
            case ir.Cond(_, yes, no):
                stack += (no, yes)
            case ir.Call("Abs" | "Floor" | "Ceil" | "Min" | "Max", args):
                stack.extend(reversed(args))
            case _:
                pass
    return None


def declared_costs(
    costs: list[tuple[str, Span]], slots: dict[str, int], found: tuple[ir.AttrType, ...]
) -> Iterator[tuple[str, Span]]:
    """The declarations `Cost x` of attributes that are no costs, each attribute once."""
    seen: set[str] = set()
    for name, span in costs:
        if name not in seen and isinstance(found[slots[name]], str):
            yield name, span
        seen.add(name)
