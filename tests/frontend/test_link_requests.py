"""An engine's request: what a call stands for, and what the request may see."""

from __future__ import annotations

import pytest
from linking import as_json, at, link, refusal, refusals

from serq_simpy.ir import model as ir


def request(body: str, server: str = "e (2);", taking: str = "reqs (1)", more: str = "") -> str:
    taken = f"taking {taking}" if taking else ""
    return (
        "fn main() { pool other { } stage d : delay; device gpu { kv cap 64; }\n"
        "engine e on gpu { reqs cap 4; tokens cap 8;\n"
        f"request (n) {{ {body} }}\n"
        f"schedule {{ advance running; admit waiting while (running.preempted == 0) {taken}; }}\n"
        "execute (1); } pool kv on gpu { block 4; } pool reqs on e { }\n"
        f"{more} workload {{ arrive batch(1); hidden o; init {{ set o = 3; set w = 2; }} }}\n"
        f"server {{ {server} }} }}"
    )


def test_a_call_is_the_hold_a_server_would_write() -> None:
    called = link(
        request(
            "set a = n; at admission { k = max(a, computed + 1); } set b = k;"
            " prefill (k) growing kv; mark first; decode (o); cache (n + o);",
            "e (w + 1); observe t = e.first;",
            "reqs (1), kv (k) reserve (k + 1) reuse (a)",
        )
    )
    written = link(
        "fn main() { pool other { } stage d : delay; device gpu { kv cap 64; }\n"
        "engine e on gpu { reqs cap 4; tokens cap 8;"
        " schedule { advance running; admit waiting while (running.preempted == 0); }"
        " execute (1); } pool kv on gpu { block 4; } pool reqs on e { }"
        " workload { arrive batch(1); hidden o; init { set o = 3; set w = 2; } }"
        " server { set a = w + 1;"
        " hold reqs (cost(reqs, 1)), kv (cost(kv, k)) reserve (cost(kv, k + 1))"
        "   reuse (cost(reqs, kv, a)) at admission (k = max(a, computed + 1)) {"
        "   set b = k; run e prefill (cost(e, k)) growing kv; set first = now;"
        "   run e decode (cost(e, o));"
        " } cache (cost(reqs, kv, w + 1 + o))"
        " observe t = first; } }"
    )
    expected = as_json(written)
    expected["attrs"] = [{"first": "e.first"}.get(name, name) for name in expected["attrs"]]
    assert as_json(called) == expected


def test_without_taking_there_is_no_hold() -> None:
    program = link(request("prefill (n); decode (1);", taking="")).program
    assert [type(statement) for statement in program.blocks[ir.SESSION]] == [
        ir.Turn,
        ir.Run,
        ir.Run,
        ir.End,
    ]


def test_an_argument_means_at_each_read_what_it_means_there() -> None:
    body = "set a = n; at admission { k = n; } prefill (k);"
    program = link(request(body, "e (used(other));", "reqs (k)")).program
    used = ir.Call("Used", (ir.PoolRef(0, 1, None),))
    (hold,) = [s for s in program.blocks[ir.SESSION] if isinstance(s, ir.Hold)]
    cost = hold.pools[0].units
    assert isinstance(cost, ir.Cost)
    assert cost.value == used
    first = program.blocks[hold.body][0]
    assert isinstance(first, ir.Set)
    assert first.value == used


def test_a_request_may_call_one_of_an_engine_above() -> None:
    text = (
        "fn main() { device a { } device b { }"
        " engine f on a { tokens cap 4; request (n) { set x = n; prefill (x); mark m; }"
        "   schedule { advance running; } execute (1); }"
        " engine e on b { tokens cap 4; request (n) { set y = n; f (y + 1); prefill (y); }"
        "   schedule { advance running; } execute (1); }"
        " workload { arrive none; } server { e (1); observe t = f.m; } }"
    )
    assert link(text).program.attrs[9:] == ("y", "x", "f.m")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("set n = 1;", "`e.request` sets its parameter `n`"),
        ("set a = w;", "reads `w`, a session attribute set outside it"),
        ("set a = serial;", "reads `serial`, a session attribute"),
        ("set a = nope;", "reads `nope`, which nothing sets"),
        ("set a = used(kv);", "`e.request` reads `kv`, which is not a pool or stage"),
        ("set a = queue(d);", "`e.request` reads `d`"),
        ("hold other (cost(other, 1)) { }", "holds `other`, which its `taking` does not take"),
        ("grow kv (cost(kv, 1));", "holds `kv`, which its `taking` does not take"),
        ("prefill (n) growing kv;", "holds `kv`, which its `taking` does not take"),
        ("end;", "`end` in an engine's request"),
        ("turn;", "`turn` is the session's"),
        ("mark m; set a = e.m;", "`e.request` reads `e.m`: what it marks is for the caller"),
        ("e (1);", "the request of `e` calls itself"),
    ],
)
def test_what_a_request_may_not_say(body: str, says: str) -> None:
    found = refusals(request(body, server=""))
    assert says in found[0].message
    assert at(found[0])[0] == 3


@pytest.mark.parametrize(
    ("taking", "says"),
    [
        ("reqs (w)", "reads `w`: it sees the request's parameters"),
        ("reqs (now)", "reads `now`: it sees the request's parameters"),
        ("reqs (late)", "reads `late`, which the request does not set above"),
        ("reqs (half)", "reads `half`, which the request does not set above"),
        ("reqs (used(other))", "`e.request` reads `other`"),
        ("other (1)", "names `other`, which is no capacity of the engine or its device"),
        ("reqs (1), reqs (2)", "`taking` names `reqs` twice"),
        ("reqs[0] (1)", "without a `[member]`"),
    ],
)
def test_what_an_admission_may_not_read(taking: str, says: str) -> None:
    body = "branch (n > 1) { set half = 1; } at admission { k = n; } set late = 1; prefill (n);"
    assert says in refusals(request(body, taking=taking))[0].message


def test_what_both_arms_set_is_known_at_the_admission() -> None:
    arms = "branch (n > 1) { set half = 1; } else { set half = 2; }"
    link(request(f"{arms} at admission {{ k = half; }} prefill (n);", taking="reqs (k)"))


@pytest.mark.parametrize(
    ("server", "says"),
    [
        ("e (1, 2);", "`e.request` takes 1 argument(s), got 2"),
        ("e (~exp(1));", "the argument for `n` draws a sample"),
        ("e (1); set a = 2;", "`a` is engine `e`'s request's own"),
        ("e (a);", "`a` is engine `e`'s request's own"),
        ("e (1); observe t = e.frist;", "`e.frist`: no request that the server calls marks"),
    ],
)
def test_what_a_caller_may_not_say(server: str, says: str) -> None:
    assert says in refusals(request("set a = n; prefill (a); mark first;", server))[0].message


def test_a_request_is_the_server_s_to_call() -> None:
    text = request("prefill (n);", server="").replace(
        "hidden o;", "hidden o; session { turn; e (1); }"
    )
    assert "which a `server` does" in refusal(text).message


def test_two_requests_share_no_name() -> None:
    more = (
        "device g2 { } engine f on g2 { tokens cap 4; request (m) { set a = m; prefill (a); }"
        " schedule { advance running; } execute (1); }"
    )
    found = refusal(request("set a = n; prefill (a);", "e (1); f (1);", more=more))
    assert "`a` is engine `e`'s request's own, at 3:" in found.message
