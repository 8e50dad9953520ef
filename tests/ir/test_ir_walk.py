"""Going over expressions and statements."""

from __future__ import annotations

import sys

from ir_building import text_of

from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import deep
from serq_simpy.ir.moments import Moment
from serq_simpy.ir.read import read_program
from serq_simpy.ir.walk import calls, draws, nodes, readings, references, same, sites

N, A = ir.Num(1.0), ir.Attr(9)
INDEXED = ir.Call("Used", (ir.PoolRef(0, 2, ir.Binary("Add", A, N)),))


def test_nodes_come_in_text_order():
    expression = ir.Cond(A, INDEXED, ir.Sample("Exp", (N,)))
    kinds = [type(node).__name__ for node in nodes(expression)]
    assert kinds == ["Cond", "Attr", "Call", "PoolRef", "Binary", "Attr", "Num", "Sample", "Num"]


def test_what_an_expression_does():
    assert draws(ir.Unary("Neg", ir.Sample("Det", (N,))))
    assert not draws(INDEXED)
    assert calls(INDEXED, "Free", "Used")
    assert not calls(INDEXED, "Free")


def test_written_the_same():
    assert same(INDEXED, ir.Call("Used", (ir.PoolRef(0, 2, ir.Binary("Add", A, N)),)))
    for other in (
        ir.Call("Used", (ir.PoolRef(0, 2, ir.Binary("Sub", A, N)),)),
        ir.Call("Used", (ir.PoolRef(0, 2, None),)),
        ir.Call("Used", (ir.PoolRef(1, 2, ir.Binary("Add", A, N)),)),
        ir.Call("Used", (ir.StageRef(0, 2, ir.Binary("Add", A, N)),)),
        ir.Call("Free", (ir.PoolRef(0, 2, ir.Binary("Add", A, N)),)),
        ir.Call("Used", (ir.PoolRef(0, 2, ir.Binary("Add", N, A)),)),
    ):
        assert not same(INDEXED, other)


def test_comparing_and_walking_deep_expressions_takes_no_stack():
    left, right = N, N
    for _ in range(50_000):
        left, right = ir.Unary("Neg", left), ir.Unary("Neg", right)
    assert same(left, right)
    assert sum(1 for _ in nodes(left)) == 50_001
    while isinstance(left, ir.Unary):
        left, right = left.operand, right.operand


def test_sites_in_text_order():
    loaded = read_program(text_of("session-every_statement"))
    found = list(sites(loaded, ir.SESSION))
    names = [type(site.statement).__name__ for site in found]
    assert names[:5] == ["Turn", "Hold", "Set", "Grow", "Load"]
    assert names[5:10] == ["Observe", "Run", "Release", "Drop", "Release"]
    grow = found[3]
    assert (grow.place.block, grow.place.index, grow.root) == (3, 1, ir.SESSION)
    assert [type(s).__name__ for _, s in grow.enclosing] == ["Hold"]
    end = next(site for site in found if isinstance(site.statement, ir.End))
    assert [type(s).__name__ for _, s in end.enclosing] == ["Branch", "Loop"]
    assert len(found) == sum(len(block) for block in loaded.blocks)


def test_the_expressions_of_a_hold():
    loaded = read_program(text_of("session-every_statement"))
    hold = loaded.blocks[2][1]
    assert [(r.role, r.moment) for r in readings(hold)] == [
        ("units", Moment.HEADER),
        ("reserve", Moment.HEADER),
        ("reuse", Moment.HEADER),
        ("cache", Moment.STATEMENT),
        ("lease", Moment.STATEMENT),
    ]
    assert references(hold) == (ir.PoolRef(0, 1, None), ir.PoolRef(0, 1, None))


def test_the_recursion_limit_is_given_back():
    before = sys.getrecursionlimit()
    try:
        with deep():
            assert sys.getrecursionlimit() > before
            raise KeyError
    except KeyError:
        pass
    assert sys.getrecursionlimit() == before
