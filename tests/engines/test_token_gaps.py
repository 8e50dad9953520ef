"""Which of a turn's tokens follow one another; the figures are the reference implementation's."""

from __future__ import annotations

import serq_simpy

PROGRAM = """
fn main() {
  device gpu { }
  engine llm on gpu {
    tokens cap 4;
    schedule { advance running; admit waiting while (running.preempted == 0); }
    execute (1);
  }
  workload { arrive batch(1); }
  server {
    run llm prefill (cost(llm, 4));
    run llm decode (cost(llm, 2));
    run llm prefill (cost(llm, 8));
    run llm prefill (cost(llm, 12));
    run llm decode (cost(llm, 1));
  }
}
"""


def test_every_prefill_after_a_decode_follows_the_token_before() -> None:
    """Tokens at 1, 2, 3, 5, 8 and 9: five gaps that add up to 8."""
    report = serq_simpy.run(serq_simpy.compile(source=PROGRAM, horizon=30))
    stage = report.stages[0]
    assert (stage.mean_itl, stage.itl_p50, stage.itl_p99) == (1.6, 1.0, 3.0)
    assert report.client["ttft"].samples == [1.0]
    assert report.client["tpot"].samples == [1.6]
