"""What is said about a text that is not of the grammar: the place, the words, the mend."""

import json
import random
from pathlib import Path

import pytest

from serq_simpy.errors import ProgramSyntaxError, SerqError, Source
from serq_simpy.frontend.parse import (
    parse_expression,
    parse_instance,
    parse_library,
    parse_program,
)

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(row) for row in (DATA / "syntax_errors.jsonl").read_text("utf-8").splitlines()]
PROGRAMS = sorted((DATA / "programs").glob("*.sq"))


def told(text, parse=parse_program):
    with pytest.raises(ProgramSyntaxError) as error:
        parse(Source("", text))
    return [
        f"{d.span.line}:{d.span.column}: {d.message}" + (f" / {d.help}" if d.help else "")
        for d in error.value.diagnostics
    ]


def told_of(statement):
    (only,) = told(f"fn main() {{ server {{ {statement} }} }}")
    return only.partition(": ")[2]


def told_of_item(item):
    (only,) = told(f"fn main() {{ {item} }}")
    return only.partition(": ")[2]


@pytest.mark.parametrize("row", ROWS, ids=[row["reference"][:60] for row in ROWS])
def test_a_wrong_text_is_wrong_where_the_reference_says(row):
    """`place` is the reference's, but for a few where the word before is the wrong one."""
    only = told(row["source"])
    assert len(only) == 1
    assert only[0].startswith(row["place"] + ": ")


def test_nearly_all_places_are_the_references():
    others = [r for r in ROWS if not r["reference"].startswith(r["place"] + ":")]
    assert len(ROWS) - len(others) > 90


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set x = 1 observe y = 2;", "expected `;`, found `observe`"),
        ("set x = ;", "expected an expression, found `;`"),
        ("set x == 1;", "expected `=`, found `==` / a value is given with `x = expr;`"),
        ("set x = 1 = 2;", "expected `;`, found `=` / equal is written `==`"),
        ("set x = a and b;", "expected `;`, found `and` / and is written `&&`"),
        ("set x = 2 ** 3;", "expected an expression, found `*` / a power is written `^`"),
        ("set x = f(1 2);", "expected `)` or `,`, found `2`"),
        ("foo 1;", "expected a statement or `}`, found `foo`"),
        (
            "obsreve x = 1;",
            "expected a statement or `}`, found `obsreve` / did you mean `observe`?",
        ),
        ("turn;;", "expected a statement or `}`, found `;` / delete the extra `;`"),
        (
            "if (x) { }",
            "expected a statement or `}`, found `if` / write `branch (test) { … } else { … }`",
        ),
        ("wait (1) turn;", "expected `;`, found `turn`"),
        ("branch (1) turn;", "expected `{`, found `turn`"),
        (
            "keep (1) }",
            "`keep` is a retired word: `keep (ℓ)` is now `cache (ℓ)` / write `cache (…)`",
        ),
        (
            "hold kv (1) { } keep (1) turn;",
            "`keep` is a retired word: `keep (ℓ)` is now `cache (ℓ)` / write `cache (…)`",
        ),
        (
            "request;",
            "`request` is replaced by `turn;` / a turn draws its attributes and waits for the"
            " server; gateway routing stands in `server { gw.route(); }`",
        ),
        (
            "set x = args.number(1, 2);",
            "`args.…` is the whole value of a `let` in `fn main()` / write"
            ' `let NAME = args.number("name", default);`',
        ),
    ],
)
def test_messages_about_statements(text, message):
    assert told_of(text.removesuffix(" }")) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pool p { cap 3 }", "expected `;`, found `}`"),
        ("pool p { evict fifo; }", "expected `by` or `lru`, found `fifo`"),
        ("claim c : always (1);", "expected `at`, `every` or `some`, found `always`"),
        (
            "workload { arrive; }",
            "expected `batch`, `closed`, `none`, `poisson` or `renewal`, found `;`",
        ),
        (
            "pool p { quue fifo; }",
            "expected a pool's option or `}`, found `quue` / did you mean `queue`?",
        ),
        (
            "def f(x) = x;",
            "expected `{`, found `=` / an expression is defined as `def name(…) { expression }`",
        ),
        (
            "def f() { 1; }",
            "expected `}`, found `;` / a definition that is an expression has no `;`",
        ),
        (
            "def f() { turn; x }",
            "expected a statement or `}`, found `x` / a definition holds either"
            " one expression, without `;`, or statements",
        ),
        (
            "stage s : lifo;",
            "expected a kind of stage (`fifo`, `ps` or `delay`), found `lifo` /"
            " did you mean `fifo`?",
        ),
        ("let x = 1\n let y = 2;", "expected `;`, found `let` / end line 1 with `;`"),
        (
            "engine e on d { schedule { } }",
            "a schedule needs a statement / vLLM's is `advance running; admit waiting …;`",
        ),
        (
            "engine e on d { request () { cache (1); turn; } }",
            "expected `}`, found `turn` / a request's `cache (e);` is its last item",
        ),
        (
            "queue q { let a = 1; }",
            "expected a part of a queue or `}`, found `let` / constants and"
            " definitions stand above the queue",
        ),
        (
            'let x = foo.number("a", 1);',
            'this is no function to call / an input is `let NAME = args.number("name", default);`',
        ),
    ],
)
def test_messages_about_declarations(text, message):
    assert told_of_item(text) == message


@pytest.mark.parametrize("word", ["step", "engine"])
def test_an_engine_is_no_kind_of_stage(word):
    message = told_of_item(f"stage s : {word};")
    assert f"`{word}`" in message
    assert "`engine NAME on D { tokens cap B; schedule { … } execute (T); }`" in message


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "",
            ["1:1: there is no `fn main()`: definitions do not run by themselves"],
        ),
        (
            "let a = 1;\n",
            ["1:11: there is no `fn main()`: definitions do not run by themselves"],
        ),
        ("stage s : fifo;", ["1:1: declarations stand inside `fn main() { … }`"]),
        (
            "gauge g = 1; fn main() { } share maxmin; fn main() { }",
            [
                "1:1: declarations stand inside `fn main() { … }`",
                "1:28: nothing stands after `fn main() { … }`",
                "1:45: a program has exactly one `fn main()`",
            ],
        ),
        ("fn main(x) { }", ["1:9: `fn main()` takes no parameters"]),
        ("fn foo() { } fn main() { }", ["1:4: `foo` is no entry point: that is `fn main()`"]),
        (
            "fn main() { fn f() { } }",
            ["1:13: a program has exactly one `fn main()`, and no other function"],
        ),
        (
            'let a = args.number("a", 1); fn main() { }',
            ["1:1: `args.number` is read by a `let` inside `fn main()`"],
        ),
        (
            "fn main() { server { }",
            ["1:23: expected a declaration or `}`, found the end of the text"],
        ),
        (
            "observe x = 1; fn main() { }",
            ["1:1: expected a declaration or the end of the text, found `observe`"],
        ),
    ],
)
def test_the_outermost_level(text, messages):
    assert [m.partition(" / ")[0] for m in told(text)] == messages


def test_what_is_left_open_is_named():
    assert told("fn main() {\n server {\n  set x = (1")[0].endswith("the `(` at 3:11 is not closed")


@pytest.mark.parametrize(
    ("text", "word"), [("let a = 1;", "let"), ("fn main() { }", "fn"), ("pool p { }", "pool")]
)
def test_a_library_holds_no_other_things(text, word):
    (only,) = told(f"def f() {{ 1 }}\n{text}", parse_library)
    assert only.startswith(f"2:1: a library holds definitions: found `{word}`")


# ----------------------------------------------------------- several mistakes at once


def test_independent_mistakes_are_told_together():
    text = """fn main() {
  let a = ;
  pool p { cap 1; evict fifo; block; }
  stage s : foo;
  workload { arrive batch 1; init { set x = 1 } }
  server {
    set y 2;
    hold p (1) { obsreve z = 1; run s (1); } cache (2)
    branch { } else { }
  }
}"""
    places = [m.partition(": ")[0] for m in told(text)]
    assert places == ["2:11", "3:25", "3:36", "4:13", "5:27", "5:47", "7:11", "8:18", "9:12"]


@pytest.mark.parametrize(
    "text",
    [
        "server { branch x { turn; } else { turn; } set y = 1; }",
        "server { Cost c = { s : 1, q :: 2 }; }",
        "server { hold p 1 { run s (1); } cache (2) lease p (1); }",
        "engine e on d { schedule { oops; } execute (1); }",
        "queue q : link { serve foo latency 3; transfer (n) { } }",
        "def f(x) = x; server { }",
        "server { set x = (1; }",
        "server { set x = 1); }",
        "server { turn; ",
        "server { } }",
    ],
)
def test_one_mistake_is_told_once(text):
    assert len(told(f"fn main() {{ {text} }}")) == 1


def test_a_mistake_before_a_character_that_is_none():
    assert told("fn main() { let = 1; let b = 2 % 3; }") == [
        "1:17: expected a name, found `=`",
        "1:32: unexpected character `%` / there is no remainder; write `x - y * floor(x / y)`",
    ]


def test_there_is_an_end_of_mistakes():
    assert len(told("fn main() {" + "let a = ;" * 1000 + "}")) == 20


# --------------------------------------------------------------- any text at all


def either(text):
    for parse in (parse_program, parse_library, parse_expression, parse_instance):
        try:
            parse(Source("", text))
        except SerqError as error:
            assert all(d.span is not None and d.message for d in error.diagnostics)
            assert str(error)


@pytest.mark.parametrize("path", PROGRAMS[::4], ids=lambda path: path.stem)
def test_a_text_cut_anywhere_is_read_or_refused(path):
    text = path.read_text("utf-8")
    for end in range(0, len(text), max(1, len(text) // 12)):
        either(text[:end])


def test_any_order_of_tokens_is_read_or_refused():
    pieces = [p for path in PROGRAMS for p in path.read_text("utf-8").split()]
    chance = random.Random(1)
    for _ in range(60):
        either("fn main() { " + " ".join(chance.choices(pieces, k=30)) + " }")


def test_any_characters_are_read_or_refused():
    chance = random.Random(2)
    signs = '(){}[]"/*,;:=+-^<>?~.!&|#é\n\0 19_ax'
    for _ in range(200):
        either("".join(chance.choices(signs, k=40)))


@pytest.mark.parametrize(
    "text", ["fn main() {" * 300_000, '"' * 999_999, "max " * 100_000, "!" * 10**6]
)
def test_a_long_senseless_text_is_refused_at_once(text):
    assert len(told(text)) <= 2
