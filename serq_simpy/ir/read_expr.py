"""Expressions, references and resources read from JSON."""

from __future__ import annotations

from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import EXPRESSION_DEPTH
from serq_simpy.ir.jsontext import Node
from serq_simpy.ir.vocabulary import (
    AGGREGATE_WORDS,
    BINARY_SIGNS,
    CONTEXT_WORDS,
    FUNCTION_ARGUMENTS,
    LAW_WORDS,
    UNARY_SIGNS,
)

_FORMS = (
    "Cost",
    "Num",
    "Attr",
    "Ctx",
    "Sample",
    "Call",
    "Unary",
    "Binary",
    "Cond",
    "Agg",
    "Reg",
)


def expression(node: Node, level: int = 1) -> ir.Expr:
    """An expression of at most `EXPRESSION_DEPTH` levels; `level` is this node's."""
    if level > EXPRESSION_DEPTH:
        node.fail(f"an expression more than {EXPRESSION_DEPTH} levels deep")
    form, contents = node.variant(*_FORMS)
    if form in ("Num", "Attr", "Reg", "Ctx", "Agg"):
        return _leaf(form, contents)
    return _compound(form, contents, level + 1)


def expressions(node: Node, level: int = 1) -> tuple[ir.Expr, ...]:
    """A list of expressions."""
    return tuple([expression(item, level) for item in node.items()])


def _leaf(form: str, contents: Node) -> ir.Expr:
    match form:
        case "Num":
            return ir.Num(contents.extended())
        case "Attr":
            return ir.Attr(contents.whole())
        case "Reg":
            return ir.Reg(contents.whole())
        case "Ctx":
            return ir.Ctx(contents.word(*CONTEXT_WORDS))
        case _:
            aggregate, observe = contents.parts(2)
            return ir.Agg(aggregate.word(*AGGREGATE_WORDS), observe.whole())


def _compound(form: str, contents: Node, level: int) -> ir.Expr:
    match form:
        case "Binary":
            op, left, right = contents.parts(3)
            sign = op.word(*BINARY_SIGNS)
            return ir.Binary(sign, expression(left, level), expression(right, level))
        case "Unary":
            op, operand = contents.parts(2)
            return ir.Unary(op.word(*UNARY_SIGNS), expression(operand, level))
        case "Cond":
            test, yes, no = contents.parts(3)
            condition = expression(test, level)
            return ir.Cond(condition, expression(yes, level), expression(no, level))
        case "Call":
            function, args = contents.parts(2)
            name = function.word(*FUNCTION_ARGUMENTS)
            return ir.Call(name, tuple([_argument(arg, level) for arg in args.items()]))
        case "Sample":
            law, args = contents.parts(2)
            return ir.Sample(law.word(*LAW_WORDS), expressions(args, level))
        case _:
            of, value = contents.parts(2)
            return ir.Cost(resource(of), expression(value, level))


def _argument(node: Node, level: int) -> ir.Expr | ir.PoolRef | ir.StageRef:
    kind, contents = node.variant("Expr", "Pool", "Stage")
    match kind:
        case "Pool":
            return pool_ref(contents, level)
        case "Stage":
            return stage_ref(contents, level)
        case _:
            return expression(contents, level)


def pool_ref(node: Node, level: int = 1) -> ir.PoolRef:
    """A reference to a pool."""
    return ir.PoolRef(*_ref(node, level))


def stage_ref(node: Node, level: int = 1) -> ir.StageRef:
    """A reference to a stage."""
    return ir.StageRef(*_ref(node, level))


def _ref(node: Node, level: int) -> tuple[int, int, ir.Expr | None]:
    index = node.filled("index")
    member = None if index is None else expression(index, level + 1)
    return node.field("base").whole(), node.field("count").whole(), member


def resource(node: Node) -> ir.Resource:
    """The resource of a cost, in the order of pools, then stages, each once."""
    kind, contents = node.variant("Pool", "Stage", "Joint")
    if kind != "Joint":
        return _family(node)
    return ir.Joint(tuple([_family(part) for part in contents.items()]))


def _family(node: Node) -> ir.PoolFamily | ir.StageFamily:
    kind, contents = node.variant("Pool", "Stage")
    base, count = contents.field("base").whole(), contents.field("count").whole()
    return ir.PoolFamily(base, count) if kind == "Pool" else ir.StageFamily(base, count)
