"""Names: one word means one thing; what is unknown is told with what was meant."""

from __future__ import annotations

import pytest
from linking import at, link, refusal, refusals, server


@pytest.mark.parametrize(
    ("statements", "declarations", "says"),
    [
        ("set v = 1; observe v = 2;", "", "`v` is an attribute the program sets"),
        ("observe v = 2;", "gauge v = 1;", "`v` is a gauge"),
        ("set v = 2;", "claim v : at end (1);", "`v` is a claim"),
        ("", "gauge v = 1; claim v : at end (1);", "`v` is a gauge"),
        ("", "gauge v = 1; gauge v = 2;", "gauge `v` is declared twice, first at 5:"),
        ("", "let v = 1; gauge v = 2;", "`v` is a `let` constant"),
        ("set v = 2;", "def v() { 1 }", "`v` is a definition"),
        ("choose p in 2 by (1);", "", "`p` is a pool"),
        ("set admit = 1;", "", "is a retired word"),
        ("choose where in 2 by (1);", "", "is a retired word"),
        ("", "def fit() { 1 }", "is a retired word"),
        ("observe now = 1;", "", "the language supplies"),
        ("observe think = 1;", "", "is a built-in attribute"),
        ("observe v = sum s in 2 (1);", "", "`sum s in`: `s` is also a stage"),
        ("observe v = sum now in 2 (1);", "", "`now` is also a name the language supplies"),
        ("set w = 1; observe v = sum w in 2 (w);", "", "is also a session attribute"),
    ],
)
def test_names_that_collide(statements: str, declarations: str, says: str) -> None:
    assert says in refusal(server(statements, declarations)).message


@pytest.mark.parametrize(
    ("statements", "declarations"),
    [
        ("observe admit = 1;", "stage hold : delay; pool turn { } gauge server = 1;"),
        ("observe v = sum j in 2 (j); observe j = 1;", ""),
        ("observe v = sum j in 2 (sum j in 2 (j));", "gauge k = 1;"),
        ("set run = 1; observe v = run + max; set max = 2; choose fifo in 2 by (1);", ""),
        ("observe v = 1; observe v = 2;", ""),
    ],
)
def test_words_are_not_reserved(statements: str, declarations: str) -> None:
    link(server(statements, declarations))


@pytest.mark.parametrize(
    ("expr", "says", "help"),
    [
        ("serail", "unknown name `serail`", "did you mean `serial`?"),
        ("p", "`p` is a pool, which is no number", "read `used(p)`"),
        ("s + 1", "`s` is a stage, which is no number", "read `queue(s)`"),
        ("v", "`v` is an observation", "`set` an attribute"),
        ("f", "`f` is a definition", "use it as `f(…)`"),
        ("quue(s)", "unknown function `quue`", "did you mean `queue`?"),
        ("~expp(1)", "unknown distribution `expp`", "did you mean `exp`?"),
        ("~exp(1, 2)", "`~exp` takes 1 argument(s), got 2", None),
        ("max(1)", "`max` takes 2 argument(s), got 1", None),
        ("used(s)", "unknown pool `s`", "`s` is a stage"),
        ("queue(1)", "`queue` expects a stage name here", None),
        ("used(q)", "pool `q` is a family of 2; index it", "name a member"),
        ("used(q[2])", "pool `q[2]` is out of range", None),
        ("blocksize(q[0])", "pool `q` has no `block`", "give the pool a `block`"),
        ("cost(s)", "`cost` requires at least one resource", None),
        ("cost(z, 1)", "unknown cost resource `z`", None),
        ("cost(q[2], 1)", "pool `q[2]` is out of range", None),
        ("running.count", "is a value of an engine", None),
        ("c.z", "unknown name `c.z`", None),
        ("self", "`self` is a queue entry's word", None),
    ],
)
def test_what_is_unknown(expr: str, says: str, help: str | None) -> None:
    diagnostic = refusal(server(f"observe v = {expr};", "def f() { 1 }"))
    assert says in diagnostic.message
    assert at(diagnostic)[0] == 7
    if help is not None:
        assert help in (diagnostic.help or "")


def test_a_family_of_one_is_indexed_too() -> None:
    link(server("observe v = used(w[0]) + used(p[0]);", "pool w[1] { }"))
    found = refusal(server("observe v = used(w);", "pool w[1] { }"))
    assert found.message == "pool `w` is a family of 1; index it"


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("turn;", "`turn` is the session's"),
        ("Size k = 1;", "a server cannot declare a request Size"),
        ("run (1);", "`run` names a stage"),
        ("prefill (1);", "is the mode of a `run` on an engine"),
        ("mark m;", "`mark` is a queue entry's statement"),
        ("p.prefill (1);", "no queue `p` is declared"),
        ("hold p (cost(p, 1)) { end; }", "`end` inside a `hold` in a server"),
        ("fork { end; } join;", "`end` inside a `fork` in a server"),
        ("Cost c = { p : 1, p : 2 };", "repeats resource `p`"),
        ("Cost c = { q[1] : 1 };", "without a member index"),
        ("Cost c = 1;", "`c` is declared Cost, but what it is assigned is no cost"),
        ("tool (1);", "no stage declared above plays `tool`"),
        ("tool on later (1);", "no stage `later` is declared above"),
        ("transfer on s (1);", "`transfer` without `from P to Q (n)`"),
        ("nothing (1);", "unknown statement `nothing`"),
    ],
)
def test_statements_out_of_place(statement: str, says: str) -> None:
    assert says in refusals(server(statement))[0].message


def test_several_stages_play_a_role() -> None:
    text = server("transfer (1) from p to p (1);", "stage link : fifo; stage transfer : fifo;")
    assert "(link, transfer)" in refusal(text).message


def test_the_workload_s_own_tool_is_declared_by_nothing_else() -> None:
    text = server("", workload="session { turn; tool (1); }")
    assert [stage.name for stage in link(text).program.stages] == ["s", "tool"]
    for declaration in ("stage tool : fifo;", "gauge tool = 1;"):
        below = text[:-1] + declaration + "}"
        assert "that it brings with it, and `tool` is a" in refusal(below).message


def test_a_workload_and_a_server_go_together() -> None:
    assert "needs a `server` block" in refusal("fn main() { workload { } }").message
    assert "`server` needs a `workload`" in refusal("fn main() { server { } }").message
    assert link("fn main() { }").program.blocks == ((), (), ())


def test_what_is_not_part_of_this_version_is_told_once_at_its_place() -> None:
    text = "fn main() {\n  queue llm { serve delay; }\n" + server("run llm (1);")[11:]
    diagnostic = refusal(text)
    assert at(diagnostic) == (2, 3)
    assert diagnostic.message == "queues are not part of this version"


def test_hidden_names_an_attribute() -> None:
    assert "hidden `zz`" in refusal(server("", workload="hidden zz;")).message


def test_an_attribute_may_be_called_tool() -> None:
    program = link(
        server("", workload="init { set tool = 1; } session { turn; tool (1); }")
    ).program
    assert program.stages[-1].name == "tool"
    assert "tool" in program.attrs
