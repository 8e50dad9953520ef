"""Claims on the path that is run, followed by hand; the reference gives the same rows."""

from __future__ import annotations

import json

import serq_simpy
from serq_simpy import Report

PROGRAM = """
fn main() {{
  device gpu {{ kv cap 100; }}
  engine e on gpu {{ tokens cap 8; schedule {{ {schedule} }} execute (0.5 * batch.tokens); }}
  pool kv on gpu {{ }}
  {state}
  workload {{ {workload} }}
  server {{ {server} }}
  {claims}
}}
"""
TWO = "run e prefill (cost(e, 8)); run e decode (cost(e, 2)); observe t = now;"
ROW = ("result", "checked", "failures", "first", "note")
Row = tuple[str, int, int, float | None, str | None]


def run(
    claims: str,
    *,
    server: str = TWO,
    schedule: str = "advance running;",
    state: str = "",
    workload: str = "arrive batch(2);",
    horizon: float = 50,
    warmup: float = 0,
) -> Report:
    parts = {"server": server, "schedule": schedule, "state": state, "workload": workload}
    source = PROGRAM.format(claims=claims, **parts)
    return serq_simpy.run(serq_simpy.compile(source=source, horizon=horizon, warmup=warmup))


def rows(report: Report) -> list[Row]:
    return [tuple(getattr(claim, field) for field in ROW) for claim in report.claims.values()]  # type: ignore[misc]


def test_every_iteration() -> None:
    """Tokens 8, 8, 2, 2 (both prefill, then both decode); they start at 0, 4, 8 and 9."""
    report = run(
        "claim few : every iteration of e (tokens <= 4);"
        "claim some : every iteration of e (tokens > 0);"
    )
    assert rows(report) == [("fails", 4, 2, 0, None), ("holds", 4, 0, None, None)]
    assert list(report.claims) == ["few", "some"]


def test_some_iteration() -> None:
    """Those after the witness are read too."""
    report = run(
        "claim two : some iteration of e (tokens == 2);"
        "claim nine : some iteration of e (tokens == 9);"
    )
    assert rows(report) == [("witnessed", 4, 2, 8, None), ("not_witnessed", 4, 4, None, None)]


def test_nan_is_true() -> None:
    assert rows(run("claim nan : every iteration of e (0 / 0);")) == [("holds", 4, 0, None, None)]


def test_given() -> None:
    """Nothing is read once a session has come of which the claim does not speak."""
    report = run(
        "claim a given (serial < 1) : every iteration of e (tokens > 0);"
        "claim b given (serial < 2) : at end (count(t) == 2);"
    )
    assert rows(report)[0] == ("out_of_scope", 0, 0, None, "session 1 fails `given`")
    assert rows(report)[1][0] == "holds"


def test_at_the_end() -> None:
    """Times 10, 10; the end is the horizon, also where the first samples are not recorded."""
    report = run(
        "claim sums : at end (count(t) == 2 && total(t) == 20 && largest(t) == 10"
        " && smallest(t) == 10 && prefix_total(t) == 30);"
        "claim wrong : at end (count(t) == 1);",
        warmup=20,
    )
    assert rows(report) == [("holds", 1, 0, None, None), ("fails", 1, 1, 50, None)]
    assert len(report.observes["t"].samples) == 0


def test_of_no_sample_all_is_0() -> None:
    report = run(
        "claim none : at end (total(t) + count(t) + largest(t) + smallest(t)"
        " + prefix_total(t) == 0);",
        server="run e prefill (cost(e, 1)); branch (serial > 5) { observe t = now; }",
    )
    assert rows(report) == [("holds", 1, 0, None, None)]


def test_at_the_end_with_sessions_living() -> None:
    report = run("claim drained : at end (count(t) == 2);", horizon=5)
    assert rows(report) == [("not_evaluated", 0, 0, None, "2 sessions live at the end")]


def test_without_claims_the_report_has_no_key() -> None:
    assert "claims" not in json.loads(run("").json())
