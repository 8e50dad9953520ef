"""What is written twice for speed gives equal results, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import serq_simpy
from serq_simpy.draws.streams import Streams
from serq_simpy.processes.simulation import Simulation
from serq_simpy.resources.cache import EvictionOrder
from serq_simpy.resources.fifo import Fifo
from serq_simpy.resources.stage import Stage
from serq_simpy.resources.waiting_line import KeyedLine, SettledLine

Setup = Callable[[pytest.MonkeyPatch], None]

QUEUES = """
fn main() {
  pool door { cap 2; preempt by (-serial); }
  stage a : fifo;
  stage b : fifo;
  workload { arrive poisson(0.7); turn { Size w = ~h2(1, 4); } session { turn; tool (2); turn; } }
  server {
    run a (cost(a, w / 2));
    observe left = work(a);  observe busy_now = busy(a);
    hold door (cost(door, 1)) {
      run b (cost(b, w / 2));
      branch (w > 2) { grow door (cost(door, 1)); run b (cost(b, 0.2)); }
    }
    observe done = now;  observe price_now = price(b, w, 1);
  }
}
"""

PRIORITIES = """
fn main() {
  pool door { cap 3; block 1; queue by (-class, w); }
  stage s : delay;
  workload { arrive poisson(2); init { set class = floor(~uniform(0, 3)); set w = ~exp(1.2); } }
  server {
    hold door (cost(door, 1 + class / 2)) { run s (cost(s, w)); }
    observe waited_for = now - w;
  }
}
"""

EVICTIONS = """
fn main() {
  pool kv { cap 40; block 2; evict by (floor(age / 3), -size, serial); }
  stage s : delay;
  workload { arrive poisson(1.5); session { turn; tool (~exp(4)); turn; tool (~exp(4)); turn; } }
  server {
    set need = 3 + floor(~exp(4));
    hold kv (cost(kv, min(need, 40))) {
      run s (cost(s, ~exp(1)));
      observe hit = cached;
    } cache (cost(kv, 30))
  }
}
"""

DRAWS = """
fn main() {
  stage s : delay;
  workload { arrive poisson(3); }
  server {
    branch with (0.3) { run s (cost(s, ~h2(1, 3))); } else { run s (cost(s, ~erlang(3, 1))); }
    observe u = ~uniform(0, 1);
  }
}
"""


def fifo_with_one_server(patch: pytest.MonkeyPatch) -> None:
    def fifo(self: Simulation, number: int, servers: int) -> Stage:
        stage = self.program.stages[number]
        return self._add(Fifo(self.clock, stage.name, stage.index, number, servers))

    patch.setattr(Simulation, "fifo", fifo)


def keys_read_anew(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("serq_simpy.processes.simulation.SettledLine", KeyedLine)


def keys_scanned(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        "serq_simpy.processes.simulation.EvictionOrder",
        lambda keys, stable: EvictionOrder(keys, stable=False),
    )


def whole_streams(patch: pytest.MonkeyPatch) -> None:
    class Whole(Streams):
        def __init__(self, seed: int) -> None:
            super().__init__(seed)
            self.few_statements = self.statements

    patch.setattr("serq_simpy.processes.simulation.Streams", Whole)


def outcome(program: serq_simpy.Program) -> tuple[str, list[list[float]]]:
    report = serq_simpy.run(program)
    everything = {**report.observes, **report.client}
    return report.json(), [[*one.times, *one.samples] for one in everything.values()]


@pytest.mark.parametrize(
    ("source", "other", "marker"),
    [
        (QUEUES, fifo_with_one_server, "run.fifo(0, 1)"),
        (PRIORITIES, keys_read_anew, SettledLine.__name__),
        (EVICTIONS, keys_scanned, "EvictionOrder(evict0, True)"),
        (DRAWS, whole_streams, "few_statements"),
    ],
    ids=["one server", "settled keys", "stable keys", "short streams"],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equal(source: str, other: Setup, marker: str, seed: int) -> None:
    program = serq_simpy.compile(source=source, horizon=300, warmup=10, seed=seed)
    assert marker in program.source(), "the fast path is taken"
    fast = outcome(program)
    assert json.loads(fast[0])["ended"] > 100
    with pytest.MonkeyPatch.context() as patch:
        other(patch)
        assert outcome(program) == fast
