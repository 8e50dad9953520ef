"""Decodes counted together and served one by one give the same run, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serq_simpy
from serq_simpy.compiler.module import compiled
from serq_simpy.engines.engine import Engine, Rules
from serq_simpy.errors import SerqError
from serq_simpy.ir import model as ir
from serq_simpy.ir.read import read_program
from serq_simpy.ir.spans import Spans
from serq_simpy.measure.record import RunRecord
from serq_simpy.processes.simulation import Simulation

CONFORMANCE = Path(__file__).parents[1] / "conformance"

VLLM = """
fn main() {{
  let bs = 16;
  device gpu {{ kv cap {units}; }}
  engine llm on gpu {{
    reqs cap {reqs};
    tokens cap {budget};
    request (prompt, output) {{
      set kept = prompt;
      at admission {{
        known = max(kept, computed + 1);
        reused = min(cachedin(kv), floor((known - 1) / bs) * bs);
      }}
      set kept = known;
      set c = min(cached, floor((known - 1) / bs) * bs);
      prefill (known - c) growing kv;
      decode (output - 1 - (known - prompt)) growing kv;
      cache (prompt + output);
    }}
    schedule {{
      advance running each at most (40);
      admit waiting while (running.preempted == 0) each at most (40)
        taking reqs (1), kv (min(known, reused + budget_left(llm))) reserve (known);
    }}
    execute (0.01 + 0.0001 * batch.tokens + 0.000001 * (batch.kv_decode + batch.kv_prefill));
  }}
  pool kv on gpu {{ {block} evict lru; preempt {preempt}; }}
  pool reqs on llm {{ }}
  workload {{
    arrive poisson(4);
    hidden o;
    init {{ Size k = 0; }}
    turn {{ Size p = k + floor(~uniform(10, 90)); Size o = 2 + floor(~exp(50)); }}
    session {{ turn; while (k < 200) {{ set k = p + o; tool (~exp(2)); turn; }} }}
  }}
  server {{ llm (p, o); observe work_left = work(llm); observe busy_now = busy(llm); }}
  gauge kv_used = used(kv);
}}
"""


def everything(program: ir.Program, *, steadily: bool) -> tuple[str, int]:
    """Every figure of a run, and how many iterations served decodes together."""
    with pytest.MonkeyPatch.context() as patch:
        if not steadily:

            def follow(self: Engine, rules: Rules) -> None:
                self.rules, self.granule = rules, rules.granule

            patch.setattr(Engine, "follow", follow)
        simulation = Simulation(program, compiled(program), Spans(), None)
        try:
            found = figures(simulation.run())
        except SerqError as error:
            found = str(error)
    engines = [stage for stage in simulation.stages if isinstance(stage, Engine)]
    return found, sum(engine.steady.started for engine in engines)


def figures(record: RunRecord) -> str:
    samples = [one.rows.tolist() for one in (*record.observations, *record.client)]
    gauges = [[*gauge.times, *gauge.values] for gauge in record.gauges]
    state = (record.stages, record.pools, record.claims, record.events, record.mean_live)
    return repr((state, samples, gauges))


def engine_programs() -> list[str]:
    found = []
    for file in sorted(CONFORMANCE.glob("*/*.golden.json")):
        golden = json.loads(file.read_text(encoding="utf-8"))
        program = golden.get("ir") or {}
        if "Step" in json.dumps(program.get("stages")) and program["trace"] is None:
            found.append(file.relative_to(CONFORMANCE).as_posix())
    return found


PROGRAMS = engine_programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal(name: str) -> None:
    golden = json.loads((CONFORMANCE / name).read_text(encoding="utf-8"))
    program = read_program(json.dumps(golden["ir"]))
    together, _ = everything(program, steadily=True)
    alone, never = everything(program, steadily=False)
    assert never == 0
    assert together == alone


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("units", "reqs", "budget", "block", "preempt"),
    [
        (4096, 64, 256, "block bs;", "lifo"),
        (640, 64, 256, "block bs;", "lifo"),
        (512, 64, 64, "block bs;", "by (1 - decoding, position) requeue tail"),
        (640, 16, 24, "block bs;", "lifo"),
        (700, 64, 256, "", "lifo"),
        (900, 64, 256, "block bs;", "none"),
        (640, 64, 256, "block bs; reserve held;", "lifo"),
    ],
)
def test_equal_under_pressure(
    units: int, reqs: int, budget: int, block: str, preempt: str, seed: int
) -> None:
    source = VLLM.format(units=units, reqs=reqs, budget=budget, block=block, preempt=preempt)
    program = serq_simpy.compile(source=source, horizon=30, warmup=3, seed=seed).ir
    together, steady = everything(program, steadily=True)
    alone, _ = everything(program, steadily=False)
    assert together == alone
    assert (steady > 100) is ("reserve held" not in block)


def test_most_programs_have_steady_decodes() -> None:
    """Or the comparison would say little."""
    steady = 0
    for name in PROGRAMS:
        golden = json.loads((CONFORMANCE / name).read_text(encoding="utf-8"))
        steady += everything(read_program(json.dumps(golden["ir"])), steadily=True)[1] > 0
    assert steady >= 25
