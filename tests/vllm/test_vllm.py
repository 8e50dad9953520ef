"""vLLM's scheduler as a program: the same steps, preemptions and cache hits as vLLM's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import serq_simpy
from serq_simpy import Program, Report

Scenario = dict[str, Any]
Row = list[float]

SCENARIOS: dict[str, Scenario] = json.loads(
    (Path(__file__).parent / "scenarios.json").read_text(encoding="utf-8")
)

TEMPLATE = """
fn main() {{
  let bs = {block_size};
  device gpu {{ kv cap {units}; }}
  engine vllm on gpu {{
    reqs cap {max_num_seqs};
    tokens cap {max_num_batched_tokens};
    {granule}
    request (prompt, output, shared) {{
      set kept = prompt;
      set again = 0;
      at admission {{
        known = max(kept, computed + 1);
        limit = {caching} * floor(
          (again > 0 || computed > 0 ? known - 1 : min(shared, known - 1)) / bs) * bs;
        reused = min(cachedin(kv), limit);
      }}
      set kept = known;
      set c = cached;
      observe hit = again > 0 ? -1 : c;
      set again = again + 1;
      observe passes = again;
      prefill (known - c) growing kv;
      observe first = again > 1 && known > prompt ? -1 : now;
      decode (output - 1 - (known - prompt)) growing kv;
      cache ({caching} * (prompt + output - 1));
    }}
    schedule {{
      let threshold = {threshold};
      advance running each at most (threshold);
      admit waiting while (running.preempted == 0) each at most (threshold)
        taking reqs (1), kv (min(known, reused + min(budget_left(vllm), {chunk})))
          reserve (known) reuse (limit);
    }}
    execute (1);
  }}
  pool reqs on vllm {{ queue by (-waited, rid); }}
  pool kv on vllm.gpu {{ block bs; evict lru; preempt lifo; }}
  stage gap : delay;
  workload {{
    arrive batch({sessions});
    hidden o;
    init {{
      Size start = 0; Size p = 0; Size o = 0; Size prefix = 0; Size wait = 0; Size rid = 0;
    }}
    session {{
      run gap (cost(gap, start));
      turn;
      while (more) {{ run gap (cost(gap, wait)); turn; }}
    }}
  }}
  server {{
    vllm (p, o, prefix);
    observe done = now;
    observe who = rid;
  }}
}}
"""


def program(scenario: Scenario, *, spare_alone: bool) -> Program:
    """The scenario with its sessions given in the IR.

    `spare_alone`: a step that starts with a single request does not cap its prefill.
    """
    config = scenario["config"]
    chunk = str(config["long_prefill_token_threshold"] or "inf")
    spared = f"running.count + waiting.count > 1 ? {chunk} : inf"
    sessions = by_session(scenario)
    text = TEMPLATE.format(
        **config,
        units=config["usable_blocks"] * config["block_size"],
        caching=int(config["enable_prefix_caching"]),
        chunk=chunk,
        threshold=spared if spare_alone and chunk != "inf" else chunk,
        granule="" if config["enable_chunked_prefill"] else "granule inf;",
        sessions=len(sessions),
    )
    ir = json.loads(serq_simpy.compile(source=text, horizon=1e9).to_json())
    slot = {name: number for number, name in enumerate(ir["attrs"])}
    ir["arrival"] = {"Sessions": [explicit(turns, slot) for turns in sessions]}
    return Program.from_json(json.dumps(ir))


def by_session(scenario: Scenario) -> list[list[tuple[int, Row]]]:
    """The requests of each session with their numbers, in the order the sessions come."""
    sessions: dict[int, list[tuple[int, Row]]] = {}
    for number, request in enumerate(scenario["requests"]):
        sessions.setdefault(request[0], []).append((number, request[1:]))
    return sorted(sessions.values(), key=lambda turns: (turns[0][1][0], turns[0][0]))


def explicit(turns: list[tuple[int, Row]], slot: dict[str, int]) -> dict[str, Any]:
    rows = []
    for place, (number, (_, prompt, output, shared, _)) in enumerate(turns):
        following = turns[place + 1][1] if place + 1 < len(turns) else None
        wait = max(0, (following[4] or 1) - 1) if following else 0
        values = {"p": prompt, "o": output, "prefix": shared, "wait": wait, "rid": number}
        rows.append([[slot[name], float(value)] for name, value in values.items()])
    return {"attrs": [[slot["start"], float(turns[0][1][0] - 1)]], "turns": rows}


def results(report: Report, requests: int) -> list[list[float | None]]:
    """First and last token's step, preemptions and first hit of every request."""
    observed = report.observes
    who = observed["who"]
    rid = dict(zip(zip(who.sessions, who.turns, strict=True), map(int, who.samples), strict=True))
    found: list[list[float | None]] = [[None, None, -1, None] for _ in range(requests)]
    for key, time in zip(rid, observed["done"].samples, strict=True):
        found[rid[key]][1] = time
    for name, column in (("first", 0), ("hit", 3)):
        one = observed[name]
        for key, value in zip(zip(one.sessions, one.turns, strict=True), one.samples, strict=True):
            if value >= 0:
                found[rid[key]][column] = value
    passes = observed["passes"]
    for key in zip(passes.sessions, passes.turns, strict=True):
        count = found[rid[key]][2]
        assert count is not None
        found[rid[key]][2] = count + 1
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_as_vllm(name: str) -> None:
    scenario = SCENARIOS[name]
    report = program(scenario, spare_alone=False).run()
    assert results(report, len(scenario["requests"])) == scenario["results"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_as_later_vllm(name: str) -> None:
    scenario = SCENARIOS[name]
    report = program(scenario, spare_alone=True).run()
    expected = scenario.get("results33", scenario["results"])
    assert results(report, len(scenario["requests"])) == expected
