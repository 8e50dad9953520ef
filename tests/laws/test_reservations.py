"""What is reserved: programs whose runs went wrong once, with the reference's numbers."""

from __future__ import annotations

import serq_simpy


def test_a_lease_reserves_no_more_than_it_has() -> None:
    """The lease has 1 of 4 units; of the 3 the hold reserved, the rest is free from 1 on."""
    source = """
fn main() {
  pool p { cap 4; reserve held; }
  stage s : delay;
  workload { arrive batch(2); }
  server {
    branch (serial == 0) {
      hold p (cost(p, 1)) reserve (cost(p, 3)) { run s (cost(s, 1)); } lease p (3)
      run s (cost(s, 5));
    } else {
      run s (cost(s, 1));
      hold p (cost(p, 2)) {
        observe at = now;
        run s (cost(s, 1));
        grow p (cost(p, 1));
        observe grew = now;
      }
    }
  }
}"""
    report = serq_simpy.run(serq_simpy.compile(source=source, horizon=10))
    assert list(report.observes["at"].samples) == [1.0]
    assert list(report.observes["grew"].samples) == [2.0]
