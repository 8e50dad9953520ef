"""Programs, libraries and instances: what each construct becomes, and where it stands."""

from dataclasses import fields
from pathlib import Path

import pytest

from serq_simpy.errors import ProgramSyntaxError, Source, Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.parse import (
    parse_expression,
    parse_instance,
    parse_library,
    parse_program,
)
from serq_simpy.frontend.words import KEYWORDS, STATEMENT_WORDS

PROGRAMS = sorted((Path(__file__).parent / "data/programs").glob("*.sq"))


def program(text):
    return parse_program(Source("", f"fn main() {{ {text} }}")).main


def item(text):
    (only,) = program(text)
    return only


def statements(text):
    return item(f"server {{ {text} }}").body.statements


def statement(text):
    (only,) = statements(text)
    return only


def shape(node):
    """A node as a tuple of its kind and its parts, without spans."""
    if isinstance(node, tuple):
        return tuple(shape(part) for part in node if not isinstance(part, Span))
    if not hasattr(node, "__dataclass_fields__"):
        return node
    parts = (shape(getattr(node, f.name)) for f in fields(node) if not f.name.endswith("span"))
    return (type(node).__name__, *parts)


def nodes(tree):
    """All nodes of a tree."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, tuple):
            left.extend(node)
        elif hasattr(node, "__dataclass_fields__") and not isinstance(node, Span):
            yield node
            left.extend(getattr(node, f.name) for f in fields(node))


def ref(name, index=None, *parts):
    return ("Reference", name, index, parts)


ONE, TWO = ("Number", 1.0), ("Number", 2.0)
KV, S = ref("kv"), ref("s")


# ------------------------------------------------------------------ whole programs


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_text_of_an_expression_reads_as_that_expression(path):
    """Which proves the places of all expressions, and so those of what holds them."""
    tree = parse_program(Source(path.name, path.read_text("utf-8")))
    expressions = [n for n in nodes((tree,)) if isinstance(n, s.Expr)]
    assert expressions
    for e in expressions:
        text = e.span.source.text[e.span.start : e.span.end]
        assert shape(parse_expression(Source("", text))) == shape(e)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_statement_and_a_declaration_span_their_text(path):
    tree = parse_program(Source(path.name, path.read_text("utf-8")))
    for node in nodes((tree,)):
        if isinstance(node, s.Statement | s.Item) and not isinstance(node, s.Hold):
            text = node.span.source.text[node.span.start : node.span.end]
            assert text[-1] in ";}"
            if getattr(node, "name", "") and hasattr(node, "name_span"):
                place = node.name_span
                assert place.source.text[place.start : place.end] == node.name


def test_what_stands_before_main():
    text = 'use "std/args"; let n = 1; def f() { } fn main() { let m = 2; }'
    file = parse_program(Source("p.sq", text))
    assert [type(i) for i in file.preamble] == [s.Use, s.Let, s.Definition]
    assert shape(file.main) == (("Let", "m", TWO),)
    assert program("") == ()


# ---------------------------------------------------------------- words as names


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_every_word_is_a_name_where_it_is_not_looked_for(word):
    text = f"let {word} = 1; pool {word} {{ cap {word}; }} stage {word}[{word}] : ps({word});"
    assert [i.name for i in program(text)] == [word] * 3
    text = f"set {word} = {word} + {word}[{word}].{word} * {word}({word}); run {word} ({word});"
    text += f" hold {word} ({word}) {{ }} choose {word} in {word} by ({word}); mark {word};"
    text += f" grow {word} ({word}); drop {word}; release {word}[{word}]; x.{word}({word});"
    text += f" transfer on {word}, {word} ({word}) from {word} to {word} ({word});"
    text += f" observe {word} = sum {word} in {word} ({word});"
    assert len(statements(text)) == 11


@pytest.mark.parametrize("word", STATEMENT_WORDS)
def test_a_definition_may_be_a_word_that_begins_statements(word):
    body = item(f"def f() {{ {word} }}").body if word not in ("tool", "transfer") else None
    assert body is None or shape(body) == ref(word)
    if body is not None:
        assert shape(item(f"def f() {{ {word} * 2 + 1 }}").body) == (
            "Binary",
            "+",
            ("Binary", "*", ref(word), TWO),
            ONE,
        )
    assert shape(item(f"def f() {{ ({word}) }}").body) == ref(word)


# ------------------------------------------------------------------- statements


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("turn;", ("Turn",)),
        ("set x = 1;", ("Set", "set", "x", ONE)),
        ("Size x = 1;", ("Set", "Size", "x", ONE)),
        ("Cost x = 1;", ("Set", "Cost", "x", ONE)),
        (
            "Cost c = { s : 1, p.kv : 2 };",
            ("CostRecord", "c", ((S, ONE), (ref("p", None, "kv"), TWO))),
        ),
        ("observe v = 1;", ("Observe", "v", ONE)),
        ("grow kv[1] (2);", ("Grow", ref("kv", ONE), TWO)),
        ("load kv (1);", ("Load", KV, ONE)),
        ("drop kv;", ("Drop", KV)),
        ("release kv;", ("Release", KV)),
        ("run s (1);", ("Run", (S,), None, ONE, None)),
        ("run (1);", ("Run", (), None, ONE, None)),
        ("run s, kv[1] (2);", ("Run", (S, ref("kv", ONE)), None, TWO, None)),
        ("run s prefill (1) growing kv;", ("Run", (S,), "prefill", ONE, KV)),
        ("run s decode (1);", ("Run", (S,), "decode", ONE, None)),
        ("run prefill prefill (1);", ("Run", (ref("prefill"),), "prefill", ONE, None)),
        ("prefill (1) growing kv;", ("Phase", "prefill", ONE, KV)),
        ("decode (1);", ("Phase", "decode", ONE, None)),
        ("tool 1;", ("Tool", None, (), ONE)),
        ("tool[2] (1);", ("Tool", TWO, (), ONE)),
        ("tool on s, kv 1;", ("Tool", None, (S, KV), ONE)),
        (
            "transfer 1 from kv to s (2);",
            ("Transfer", None, (), ONE, KV, (S, TWO)),
        ),
        (
            "transfer on s[1] (2) from kv to s (2);",
            ("Transfer", None, (ref("s", ONE),), TWO, KV, (S, TWO)),
        ),
        ("transfer (1);", ("Transfer", None, (), ONE, None, None)),
        ("branch (1) { }", ("Branch", ONE, ("Block", ()), None, False)),
        (
            "branch with (1) { } else { turn; }",
            ("Branch", ONE, ("Block", ()), ("Block", (("Turn",),)), True),
        ),
        ("while (1) { end; }", ("While", ONE, ("Block", (("End",),)))),
        ("loop { }", ("Loop", ("Block", ()))),
        ("fork { join; }", ("Fork", ("Block", (("Join",),)))),
        ("choose k in 2 by (1, 2);", ("Choose", "k", TWO, (ONE, TWO))),
        ("end;", ("End",)),
        ("mark m;", ("Mark", "m")),
        ("vllm (1, 2);", ("Invoke", "vllm", (ONE, TWO))),
        ("f();", ("Invoke", "f", ())),
        ("gw.route();", ("EntryCall", ref("gw"), "route", (), None, None)),
        (
            "D[1].decode (2) from P[2];",
            ("EntryCall", ref("D", ONE), "decode", (TWO,), ref("P", TWO), None),
        ),
        (
            "L.transfer (1) from kv to s (2);",
            ("EntryCall", ref("L"), "transfer", (ONE,), KV, (S, TWO)),
        ),
    ],
)
def test_statements(text, made):
    assert shape(statement(text)) == made


def test_a_hold_with_all_its_parts():
    text = (
        "hold kv (1) reserve (2), s[1] (2) reuse (1) at admission (x = 1, y = 2) { turn; }"
        " cache (1) lease kv (inf);"
    )
    assert shape(statement(text)) == (
        "Hold",
        (("HoldRequest", KV, ONE, TWO), ("HoldRequest", ref("s", ONE), TWO, None)),
        ONE,
        (("Binding", "x", ONE), ("Binding", "y", TWO)),
        ("Block", (("Turn",),)),
        ONE,
        (KV, ref("inf")),
    )


@pytest.mark.parametrize("end", ["", ";", " cache (1)", " cache (1);", " lease kv (1)"])
def test_the_end_of_a_hold_may_have_a_semicolon(end):
    first, second = statements(f"hold kv (1) {{ }}{end} turn;")
    assert (type(first), type(second)) == (s.Hold, s.Turn)
    assert first.span.source.text[first.span.end - 1] in "});"


# ------------------------------------------------------------------ declarations


def option(word, form="", keys=(), requeue=None, spill=None):
    return ("PoolOption", word, form, keys, requeue, spill)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("cap 1;", option("cap", keys=(ONE,))),
        ("block 2;", option("block", keys=(TWO,))),
        ("evict lru;", option("evict", "lru")),
        ("evict by (1, 2);", option("evict", "by", (ONE, TWO))),
        ("preempt none;", option("preempt", "none")),
        ("preempt lifo;", option("preempt", "lifo")),
        ("preempt by (1);", option("preempt", "by", (ONE,))),
        ("preempt by (1) requeue tail;", option("preempt", "by", (ONE,), "tail")),
        ("queue fifo;", option("queue", "fifo")),
        ("queue by (1, 2);", option("queue", "by", (ONE, TWO))),
        ("reserve held;", option("reserve", "held")),
        ("spill kv via s (1) when (2);", option("spill", "", (ONE, TWO), None, (KV, S))),
    ],
)
def test_options_of_a_pool(text, made):
    assert shape(item(f"pool p {{ {text} }}")) == ("PoolDeclaration", "p", None, None, (made,))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("let x = 1;", ("Let", "x", ONE)),
        ('let x = args.number("y", 1);', ("Input", "x", "number", "y", ONE)),
        ('use "lib.sq";', ("Use", "lib.sq")),
        ("def f(x, y,) { x }", ("Definition", "f", (("x",), ("y",)), ref("x"))),
        ("def f() { turn; }", ("Definition", "f", (), ("Block", (("Turn",),)))),
        ("def f() { g(1) }", ("Definition", "f", (), ("Call", "g", (ONE,)))),
        ("def f() { g(1); }", ("Definition", "f", (), ("Block", (("Invoke", "g", (ONE,)),)))),
        ("def f() { }", ("Definition", "f", (), ("Block", ()))),
        ("pool p[2] { }", ("PoolDeclaration", "p", TWO, None, ())),
        ("pool p on e.d { }", ("PoolDeclaration", "p", None, ref("e", None, "d"), ())),
        ("stage s : fifo;", ("StageDeclaration", "s", None, ("StageKind", "fifo", None))),
        ("stage s[2] : fifo(1);", ("StageDeclaration", "s", TWO, ("StageKind", "fifo", ONE))),
        ("stage s : ps(1);", ("StageDeclaration", "s", None, ("StageKind", "ps", ONE))),
        ("stage s : delay;", ("StageDeclaration", "s", None, ("StageKind", "delay", None))),
        ("share maxmin;", ("ShareDeclaration", "maxmin")),
        ("share bottleneck;", ("ShareDeclaration", "bottleneck")),
        ("gauge g = 1;", ("GaugeDeclaration", "g", ONE)),
        (
            "claim c : every iteration of s (1);",
            ("ClaimDeclaration", "c", None, "every", S, ONE),
        ),
        (
            "claim c given (2) : some iteration of s[1] (1);",
            ("ClaimDeclaration", "c", TWO, "some", ref("s", ONE), ONE),
        ),
        ("claim c : at end (1);", ("ClaimDeclaration", "c", None, "end", None, ONE)),
        ("D pull P share maxmin;", ("Relation", ("D",), "pull", ("P",), None, "maxmin")),
        (
            "P push D latency 1 share bottleneck;",
            ("Relation", ("P",), "push", ("D",), ONE, "bottleneck"),
        ),
    ],
)
def test_declarations(text, made):
    assert shape(item(text)) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("arrive poisson(1);", ("Arrive", "poisson", ONE)),
        ("arrive renewal(1);", ("Arrive", "renewal", ONE)),
        ("arrive closed(1);", ("Arrive", "closed", ONE)),
        ("arrive batch(1);", ("Arrive", "batch", ONE)),
        ("arrive none;", ("Arrive", "none", None)),
        ('trace "t.csv";', ("Trace", "t.csv", False)),
        ('trace "t.csv" ordered;', ("Trace", "t.csv", True)),
        ("init { }", ("Init", ("Block", ()))),
        ("turn { }", ("TurnBlock", ("Block", ()))),
        ("session { }", ("SessionBlock", ("Block", ()))),
        ("hidden a, b;", ("Hidden", (("a",), ("b",)))),
    ],
)
def test_parts_of_the_workload(text, made):
    assert shape(item(f"workload {{ {text} }}")) == ("Workload", (made,))


def test_a_device():
    device = item("device d[2] { f (x, y) = 1; g () = 2; kv cap 1; q[2] cap 2; }")
    assert shape(device) == (
        "DeviceDeclaration",
        "d",
        TWO,
        (
            ("TimeResource", "f", (("x",), ("y",)), ONE),
            ("TimeResource", "g", (), TWO),
            ("Capacity", "kv", None, ONE),
            ("Capacity", "q", TWO, TWO),
        ),
    )


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("reqs cap 1;", ("Capacity", "reqs", None, ONE)),
        ("reqs[2] cap 1;", ("Capacity", "reqs", TWO, ONE)),
        ("tokens cap 1;", ("TokensCap", ONE)),
        ("granule 1;", ("Granule", ONE)),
        ("state x = 1;", ("State", "x", ONE)),
        ("execute (1);", ("Execute", ONE)),
        (
            "schedule { let a = 1; advance running; }",
            ("Schedule", (("Let", "a", ONE),), (("Advance", None, None, (), None),)),
        ),
    ],
)
def test_parts_of_an_engine(text, made):
    assert shape(item(f"engine e[2] on d {{ {text} }}")) == (
        "EngineDeclaration",
        "e",
        TWO,
        ref("d"),
        (made,),
    )


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("advance running admission;", ("Advance", None, "admission", (), None)),
        ("advance running decode first;", ("Advance", None, "decode first", (), None)),
        (
            "advance running only (1) by (1, 2) each at most (2);",
            ("Advance", ONE, "by", (ONE, TWO), TWO),
        ),
        ("admit waiting;", ("AdmitWaiting", None, None, None, (), None)),
        (
            "admit waiting only (1) while (2) each at most (1) taking r (1), kv (2) reserve (1)"
            " reuse (2);",
            (
                "AdmitWaiting",
                ONE,
                TWO,
                ONE,
                (("HoldRequest", ref("r"), ONE, None), ("HoldRequest", KV, TWO, ONE)),
                TWO,
            ),
        ),
        ("exclusive prefill each at most (1);", ("ExclusivePrefill", ONE)),
        ("set x = 1;", ("ScheduleSet", "x", ONE)),
        (
            "branch (1) { set x = 1; } else { }",
            ("ScheduleBranch", ONE, (("ScheduleSet", "x", ONE),), ()),
        ),
    ],
)
def test_statements_of_a_schedule(text, made):
    engine = item(f"engine e on d {{ schedule {{ {text} }} }}")
    assert shape(engine.items[0].statements) == (made,)


def test_a_request_keeps_its_items_in_order():
    text = "turn; at admission { a = 1; b = 2; } hold kv (1) { } prefill (1); cache (2);"
    (request,) = item(f"engine e on d {{ request (x, y) {{ {text} }} }}").items
    assert shape(request.params) == (("x",), ("y",))
    assert [type(i).__name__ for i in request.items] == [
        "Turn",
        "AtAdmission",
        "Hold",
        "Phase",
        "CacheItem",
    ]
    assert shape(request.items[1].bindings) == (("Binding", "a", ONE), ("Binding", "b", TWO))


def test_a_cache_after_a_hold_is_the_holds_also_in_a_request():
    text = "request () { hold kv (1) { } cache (1); }"
    (request,) = item(f"engine e on d {{ {text} }}").items
    assert shape(request.items[0].cache) == ONE
    assert len(request.items) == 1


def test_a_queue_with_all_its_parts():
    text = """queue P[2] : prefill, decode {
        device gpu { kv cap 1; }  pool a { cap 1; }
        engine on gpu { tokens cap 1; }
        pool kv on gpu { }  pool reqs on P.gpu { }
        serve ps(1) latency 2;  nic ps(2);
        prefill (x) { }  decode (x) from Q { run (1); }  route { }
    }"""
    queue = item(text)
    assert shape(queue.roles) == (("prefill",), ("decode",))
    assert shape(queue.items) == (
        ("DeviceDeclaration", "gpu", None, (("Capacity", "kv", None, ONE),)),
        ("PoolDeclaration", "a", None, None, (option("cap", keys=(ONE,)),)),
        ("EngineDeclaration", "", None, ref("gpu"), (("TokensCap", ONE),)),
        ("PoolDeclaration", "kv", None, ref("gpu"), ()),
        ("PoolDeclaration", "reqs", None, ref("P", None, "gpu"), ()),
        ("Serve", ("StageKind", "ps", ONE), TWO),
        ("Nic", ("StageKind", "ps", TWO)),
        ("Entry", "prefill", (("x",),), None, ("Block", ())),
        (
            "Entry",
            "decode",
            (("x",),),
            ("Q",),
            ("Block", (("Run", (), None, ONE, None),)),
        ),
        ("Entry", "route", (), None, ("Block", ())),
    )


# -------------------------------------------------------- libraries and instances


def test_a_library_holds_definitions_and_imports():
    file = parse_library(Source("lib.sq", 'use "std/args"; def f(x) { x } def g() { turn; }'))
    assert [type(i) for i in file.preamble] == [s.Use, s.Definition, s.Definition]
    assert file.main is None
    assert parse_library(Source("", "// nothing")).preamble == ()


def test_an_instance():
    text = """let rate = 2 * 0.5;
    run { horizon 1e3; warmup 100; seed 18446744073709551615; arrivals 500; trace "t.csv"; }
    let n = 4;"""
    instance = parse_instance(Source("i.serq", text))
    assert [b.name for b in instance.bindings] == ["rate", "n"]
    assert [setting.word for setting in instance.settings] == [
        "horizon",
        "warmup",
        "seed",
        "arrivals",
        "trace",
    ]
    seed = instance.settings[2].value
    assert text[seed.span.start : seed.span.end] == "18446744073709551615"
    assert instance.settings[4].value == "t.csv"
    assert parse_instance(Source("", "")).settings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run { seed 1; seed 2; }", "1:15: `seed` is given twice in one instance"),
        ("run { seed 1; } run { seed 1; }", "1:23: `seed` is given twice in one instance"),
        ("let a = 1; let a = 1;", "1:12: `let a` is given twice in one instance"),
        ("run { horison 1; }", "1:7: expected a setting or `}`, found `horison`"),
        ("stage s : fifo;", "1:1: expected `let` or `run` or the end of the text, found `stage`"),
    ],
)
def test_what_is_no_instance(text, message):
    with pytest.raises(ProgramSyntaxError) as error:
        parse_instance(Source("", text))
    assert str(error.value).splitlines()[0] == message
