"""Constants fold as the language computes them."""

from __future__ import annotations

import math

import pytest

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant

INF, NAN = math.inf, math.nan


def binary(op, a, b):
    return constant(ir.Binary(op, ir.Num(a), ir.Num(b)))


def call(name, *args):
    return constant(ir.Call(name, tuple(ir.Num(arg) for arg in args)))


@pytest.mark.parametrize(
    ("op", "a", "b", "value"),
    [
        ("Div", 1.0, 0.0, INF),
        ("Div", -1.0, 0.0, -INF),
        ("Div", 1.0, -0.0, -INF),
        ("Div", 0.0, 0.0, NAN),
        ("Div", NAN, 0.0, NAN),
        ("Div", INF, 0.0, INF),
        ("Sub", INF, INF, NAN),
        ("Mul", 1e300, 1e300, INF),
        ("Pow", 0.0, 0.0, 1.0),
        ("Pow", 0.0, -1.0, INF),
        ("Pow", -0.0, -1.0, -INF),
        ("Pow", -0.0, -2.0, INF),
        ("Pow", -8.0, 1 / 3, NAN),
        ("Pow", -1.0, 0.5, NAN),
        ("Pow", 10.0, 400.0, INF),
        ("Pow", -10.0, 401.0, -INF),
        ("Pow", -10.0, 400.0, INF),
        ("Pow", NAN, 0.0, 1.0),
        ("Lt", NAN, 1.0, 0.0),
        ("Ne", NAN, NAN, 1.0),
        ("And", NAN, 2.0, 1.0),
        ("Or", 0.0, 0.0, 0.0),
    ],
)
def test_operators(op, a, b, value):
    assert binary(op, a, b) == pytest.approx(value, nan_ok=True, abs=0)


@pytest.mark.parametrize(
    ("name", "args", "value"),
    [
        ("Min", (NAN, 2.0), 2.0),
        ("Max", (2.0, NAN), 2.0),
        ("Max", (NAN, NAN), NAN),
        ("Floor", (-0.5,), -1.0),
        ("Ceil", (0.5,), 1.0),
        ("Floor", (INF,), INF),
        ("Sqrt", (-1.0,), NAN),
        ("Ln", (0.0,), -INF),
        ("Ln", (-1.0,), NAN),
        ("Exp", (1000.0,), INF),
        ("Pow", (2.0, 3.0), 8.0),
    ],
)
def test_functions(name, args, value):
    assert call(name, *args) == pytest.approx(value, nan_ok=True, abs=0)


def test_signs_of_zero():
    assert math.copysign(1.0, call("Ceil", -0.5)) == -1.0
    assert math.copysign(1.0, call("Min", 0.0, -0.0)) == -1.0
    assert math.copysign(1.0, call("Min", -0.0, 0.0)) == 1.0


def test_what_is_no_constant():
    attribute = ir.Attr(1)
    one = ir.Num(1.0)
    assert constant(attribute) is None
    assert constant(ir.Binary("Mul", ir.Num(0.0), attribute)) is None
    assert constant(ir.Sample("Det", (one,))) is None
    assert constant(ir.Call("Used", (ir.PoolRef(0, 1, None),))) is None
    assert constant(ir.Call("Price", (ir.StageRef(0, 1, None), one, one))) is None


def test_what_is_decided_leaves_the_rest_out():
    one, zero, attribute = ir.Num(1.0), ir.Num(0.0), ir.Attr(1)
    assert constant(ir.Binary("Or", one, attribute)) == 1.0
    assert constant(ir.Binary("And", zero, attribute)) == 0.0
    assert constant(ir.Binary("And", one, attribute)) is None
    assert constant(ir.Cond(one, ir.Num(3.0), attribute)) == 3.0
    assert constant(ir.Cost(ir.PoolFamily(0, 1), ir.Num(4.0))) == 4.0
