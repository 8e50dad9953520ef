"""What the figures of a report mean, on runs small enough to work them out."""

from __future__ import annotations

import json
from math import inf, isinf, isnan, sqrt
from statistics import fmean, variance

import pytest
from watching import run, seen

SLOTS = """fn main() {
  stage desk : fifo;
  pool slots { cap 4; }
  workload { arrive batch(3); session { turn; turn; } }
  server { hold slots (cost(slots, 1)) { run desk (cost(desk, 1)); observe at = now; } }
  gauge crowd = queue(desk);
}"""
"""Three sessions of two turns, each turn a unit of one server: it is busy until 6."""


def test_a_warm_up_cuts_what_came_before() -> None:
    report = run(SLOTS, horizon=10, warmup=2)
    assert (report.arrivals, report.ended) == (3, 3)
    # Turns begin at 0 (three), 1, 2 and 3: two of them at 2 or later.
    assert report.turns == 2
    # Live: 3 until 4, 2 until 5, 1 until 6.
    assert report.mean_live == (2 * 3 + 2 + 1) / 8
    assert (report.observes["at"].count, report.observes["at"].mean) == (5, 4)
    assert seen(report, "at") == [2, 3, 4, 5, 6]
    # Answers at 2, 3 (first turns, since 0), 4, 5, 6 (second turns, since 1, 2, 3).
    response = report.client["response"]
    assert (response.count, response.mean) == (5, (2 + 3 + 3 + 3 + 3) / 5)
    assert report.gauges["crowd"].mean == (2 * 3 + 2 + 1) / 8
    (desk,), (slots,) = report.stages, report.pools
    assert (desk.completed, desk.throughput, desk.utilization) == (5, 5 / 8, 4 / 8)
    # Of those that end at 2 or later: waits 1, 2 and then 2 each.
    assert desk.mean_wait == (1 + 2 + 2 + 2 + 2) / 5
    assert slots.admissions == 6


def test_the_fields_of_a_report_and_their_order() -> None:
    found = json.loads(run(SLOTS, horizon=10).json())
    assert list(found) == [
        *("serq_version", "horizon", "end", "warmup", "seed", "events"),
        *("arrivals", "ended", "turns", "mean_live", "observes", "client", "gauges"),
        *("stages", "pools"),
    ]
    assert list(found["observes"]["at"]) == ["count", "mean", "ci", "cv2", "p99"]
    assert list(found["client"]) == ["ttft", "tpot", "response"]
    assert list(found["gauges"]["crowd"]) == ["mean", "ci", "min", "max"]
    # Fewer than 40 samples have no interval; nothing was prefilled, so nobody waited for it.
    assert found["observes"]["at"]["ci"] is None
    assert found["client"]["ttft"] == {
        "count": 0,
        "mean": None,
        "ci": None,
        "cv2": None,
        "p99": None,
    }
    assert found["stages"][0]["mean_itl"] is None


@pytest.mark.parametrize("count", [39, 40, 59, 60, 1000])
def test_the_statistics_of_samples(count: int) -> None:
    """The squares of 0, 1, …: batches of n / 20 of them, what is left over is not used."""
    report = run(
        f"""fn main() {{
          workload {{ arrive batch({count}); }}
          server {{ observe v = serial * serial; }}
        }}"""
    )
    values = [float(i * i) for i in range(count)]
    found = report.observes["v"]
    assert found.samples == values
    assert found.mean == pytest.approx(fmean(values), rel=1e-12)
    assert found.cv2 == pytest.approx(variance(values) / fmean(values) ** 2, rel=1e-12)
    assert found.p99 == values[-(-99 * count // 100) - 1]
    size = count // 20
    batches = [fmean(values[i * size : (i + 1) * size]) for i in range(20)] if size else []
    expected = 2.093 * sqrt(variance(batches) / 20) if count >= 40 else inf
    assert found.ci == pytest.approx(expected, rel=1e-12)


def test_statistics_of_next_to_nothing() -> None:
    report = run(
        """fn main() {
          workload { arrive batch(1); }
          server {
            observe one = 5;
            branch (serial) { observe none = 1; }
            observe zero = 0;
            observe zero = 0;
          }
        }"""
    )
    none, one, zero = (report.observes[name] for name in ("none", "one", "zero"))
    assert none.count == 0 and isnan(none.mean) and isinf(none.ci)
    assert (one.count, one.mean, one.p99) == (1, 5, 5) and isnan(one.cv2)
    assert (zero.count, zero.mean) == (2, 0) and isnan(zero.cv2)


def test_a_gauge_is_averaged_over_time() -> None:
    """One customer at a time in [1, 2], [3, 4], …, measured from 2 to 12."""
    report = run(
        """fn main() {
          stage desk : fifo;
          workload { arrive renewal(2); }
          server { run desk (cost(desk, 1)); }
          gauge busy_desk = busy(desk);
          gauge undefined = busy(desk) / 0 - busy(desk) / 0;
        }""",
        horizon=12,
        warmup=2,
    )
    found = report.gauges["busy_desk"]
    assert found.mean == 0.5
    assert (found.min, found.max) == (0, 1)
    assert (found.times[:4], found.values[:4]) == ([0, 2, 3, 4], [0, 1, 0, 1])
    # Twenty windows of half a unit, each all busy or all idle.
    assert found.ci == pytest.approx(2.093 * sqrt((20 * 0.25 / 19) / 20), rel=1e-12)
    assert isnan(report.gauges["undefined"].mean)
    assert '"undefined":{"mean":null,"ci":null,"min":null,"max":null}' in report.json()


def test_a_gauge_does_not_see_what_lasts_no_time() -> None:
    """The pool is full and empty again at one instant."""
    report = run(
        """fn main() {
          pool memory { cap 1; }
          stage walk : delay;
          workload { arrive renewal(1); }
          server {
            hold memory (cost(memory, 1)) { observe taken = used(memory); }
            run walk (cost(walk, 0.5));
          }
          gauge taken_units = used(memory);
        }""",
        horizon=5,
    )
    assert seen(report, "taken") == [1] * 5
    found = report.gauges["taken_units"]
    assert (found.times, found.values, found.max) == ([0], [0], 0)


def test_numbers_are_written_out() -> None:
    report = run(
        """fn main() {
          workload { arrive batch(1); }
          server { observe big = 1e21; observe small = 1.5e-7; observe minus = -3; }
        }"""
    )
    text = report.json()
    assert '"big":{"count":1,"mean":1000000000000000000000,' in text
    assert '"small":{"count":1,"mean":0.00000015,' in text
    assert '"minus":{"count":1,"mean":-3,' in text


def test_littles_law_holds_in_a_finished_run() -> None:
    """Everybody has left, so that the time in the system adds up to the time average."""
    report = run(
        """fn main() {
          stage desk : fifo;
          pool slots { cap 3; }
          workload { arrive poisson(0.8); }
          server {
            set came = now;
            hold slots (cost(slots, 1)) { run desk (cost(desk, ~exp(1))); }
            observe sojourn = now - came;
          }
        }""",
        horizon=10_000,
        arrivals=500,
    )
    rate = 500 / report.end
    assert report.mean_live == pytest.approx(rate * report.observes["sojourn"].mean, rel=1e-9)
    desk, slots = report.stages[0], report.pools[0]
    assert desk.mean_number == pytest.approx(rate * (desk.mean_wait + desk.mean_service), rel=1e-9)
    assert slots.mean_queue == pytest.approx(rate * slots.mean_wait, rel=1e-9)
