"""Sums and means that are the reference implementation's to the last bit, so that ties are too."""

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


def test_a_shared_stage_finishes_at_the_references_instants_to_the_last_bit() -> None:
    """Virtual time goes on through idle times and is brought to the tag not quite reached."""
    source = """
fn main() {
  stage s : ps (2 * present);
  stage z : delay;
  workload { arrive closed(5); }
  server {
    run s (cost(s, ~uniform(0.3, 2.3)));
    observe done = now;
    run z (cost(z, ~uniform(0, 1)));
  }
}"""
    done = serq_simpy.run(serq_simpy.compile(source=source, horizon=60, seed=3)).observes["done"]
    assert list(done.samples[-2:]) == [59.38092932446395, 59.94411901285771]
