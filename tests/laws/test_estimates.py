"""The exponentially weighted means behind `est_lambda`, `est_rho` and `est_wait`."""

from __future__ import annotations

import serq_simpy


def test_a_mean_is_rounded_as_two_products_added() -> None:
    """0.01 · 0.75 + 0.99 · 0.75 is not 0.75 in doubles: the reference's second gap shows it."""
    source = """
fn main() {
  stage s : delay;
  workload { arrive renewal(0.75); }
  server { run s (cost(s, 0.25)); }
  gauge rate = est_lambda(s);
}"""
    gauge = serq_simpy.run(serq_simpy.compile(source=source, horizon=4)).gauges["rate"]
    assert list(gauge.times) == [0.0, 1.75, 2.5]
    assert list(gauge.values) == [0.0, 4 / 3, 1.3333333333333335]
