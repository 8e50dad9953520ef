"""Expressions and statements as text: the parentheses that are needed and no more."""

from __future__ import annotations

import pytest
from ir_building import text_of

from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import deep
from serq_simpy.ir.printing import Printer, number_text, value_text
from serq_simpy.ir.read import read_program

N = ir.Num
A, B = ir.Attr(9), ir.Attr(10)


def binary(op, left, right):
    return ir.Binary(op, left, right)


@pytest.fixture(scope="module")
def printer():
    return Printer(read_program(text_of("session-every_statement")))


def neg(operand):
    return ir.Unary("Neg", operand)


CHOICE = ir.Cond(A, N(1.0), N(2.0))
KV = ir.PoolRef(0, 1, None)

# What the reference implementation prints of the same expressions.
EXPRESSIONS = [
    (binary("Sub", binary("Add", N(2.0), binary("Sub", A, B)), N(0.0)), "2 + (x - k) - 0"),
    (binary("Mul", binary("Mul", N(2.0), N(3.0)), N(4.0)), "2 * 3 * 4"),
    (binary("Mul", N(2.0), binary("Mul", N(3.0), N(4.0))), "2 * (3 * 4)"),
    (binary("Div", N(2.0), binary("Mul", N(3.0), N(4.0))), "2 / (3 * 4)"),
    (binary("Pow", binary("Add", A, N(2.0)), binary("Pow", N(2.0), N(1.0))), "(x + 2) ^ 2 ^ 1"),
    (binary("Pow", binary("Pow", A, N(2.0)), N(1.0)), "(x ^ 2) ^ 1"),
    (binary("Add", neg(binary("Pow", A, N(2.0))), N(9.0)), "-x ^ 2 + 9"),
    (binary("Pow", neg(N(2.0)), N(2.0)), "(-2) ^ 2"),
    (binary("Pow", N(2.0), neg(N(1.0))), "2 ^ -1"),
    (neg(neg(N(2.0))), "--2"),
    (ir.Unary("Not", ir.Unary("Not", N(2.0))), "!!2"),
    (ir.Unary("Not", binary("Add", A, B)), "!(x + k)"),
    (binary("Add", N(2.0), binary("Lt", A, B)), "2 + (x < k)"),
    (binary("Eq", binary("Eq", A, B), N(2.0)), "(x == k) == 2"),
    (ir.Cond(N(1.0), CHOICE, CHOICE), "1 ? x ? 1 : 2 : x ? 1 : 2"),
    (ir.Cond(CHOICE, N(3.0), N(4.0)), "(x ? 1 : 2) ? 3 : 4"),
    (binary("Add", CHOICE, N(1.0)), "(x ? 1 : 2) + 1"),
    (binary("And", binary("Or", A, B), N(1.0)), "(x || k) && 1"),
    (binary("Or", binary("And", A, B), N(1.0)), "x && k || 1"),
    (ir.Call("Min", (N(2.0), binary("Add", A, N(3.0)))), "min(2, x + 3)"),
    (ir.Call("CachedIn", (KV,)), "cachedin(kv)"),
    (ir.Call("EstRho", (ir.StageRef(1, 2, binary("Add", A, N(1.0))),)), "est_rho(b[x + 1])"),
    (ir.Sample("H2", (N(2.0), N(1.0))), "~h2(2, 1)"),
    (ir.Ctx("Kvb"), "kv_decode"),
    (ir.Ctx("N"), "present"),
    (ir.Agg("PrefixTotal", 0), "prefix_total(o)"),
    (ir.Cost(ir.PoolFamily(0, 1), binary("Sub", N(0.0), ir.Attr(1))), "cost(kv, 0 - serial)"),
    (ir.Cost(ir.Joint((ir.StageFamily(0, 1), ir.StageFamily(1, 2))), N(3.0)), "cost(a, b, 3)"),
    (binary("Add", N(2.0), N(-3.0)), "2 + -3"),
    (binary("Mul", N(2.0), N(-3.0)), "2 * (-3)"),
    (binary("Pow", N(2.0), N(-3.0)), "2 ^ (-3)"),
    (neg(N(-3.0)), "-(-3)"),
    (N(float("-inf")), "-inf"),
]


@pytest.mark.parametrize(("expression", "text"), EXPRESSIONS, ids=[text for _, text in EXPRESSIONS])
def test_expressions(printer, expression, text):
    assert printer.expression(expression) == text


def test_statements(printer):
    loaded = read_program(text_of("session-every_statement"))
    server = [printer.statement(statement) for statement in loaded.blocks[2]]
    assert server[:9] == [
        "turn",
        "hold kv (cost(kv, 4 + serial)) reserve (cost(kv, 8)) reuse (cost(kv, cachedin(kv)))",
        "release kv",
        "fork",
        "join",
        "choose k in 3 by (k * 2, serial)",
        "while (k < 2)",
        "branch with (0.5)",
        "set w.d = cost(d, ~exp(2))",
    ]
    body = [printer.statement(statement) for statement in loaded.blocks[3]]
    assert body == [
        "set x = 4 + serial",
        "grow kv (cost(kv, 4))",
        "load kv (cost(kv, 2))",
        "observe o = x",
        "run a, b[serial] (cost(a, b, 3))",
        "release kv",
        "drop kv",
    ]


def test_a_run_on_an_engine():
    loaded = read_program(text_of("engines-every_place"))
    printer = Printer(loaded)
    runs = [s for block in loaded.blocks for s in block if isinstance(s, ir.Run)]
    assert (
        printer.statement(next(run for run in runs if run.growing))
        == "run e prefill (cost(e, 147)) growing kv"
    )


@pytest.mark.parametrize(
    ("value", "in_expression", "as_value"),
    [
        (0.0, "0", "0"),
        (1000000.0, "1000000", "1000000"),
        (1e14, "100000000000000", "100000000000000"),
        (1e15, "1e15", "1000000000000000"),
        (1.5e16, "1.5e16", "15000000000000000"),
        (1234567890123456.0, "1234567890123456", "1234567890123456"),
        (0.1, "0.1", "0.1"),
        (0.01, "0.01", "0.01"),
        (0.001, "1e-3", "0.001"),
        (1.23e-4, "1.23e-4", "0.000123"),
        (1 / 6, "0.166666666667", "0.16666666666666666"),
        (float("inf"), "inf", "inf"),
        (float("nan"), "NaN", "NaN"),
    ],
)
def test_numbers(value, in_expression, as_value):
    assert number_text(value) == in_expression
    assert value_text(value) == as_value


def test_a_deep_expression(printer):
    expression = N(0.0)
    for _ in range(4400):
        expression = binary("Add", expression, N(1.0))
    with deep():
        text = printer.expression(expression)
    assert text == "0" + " + 1" * 4400
