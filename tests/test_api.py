"""Arguments that are not what they should be, from Python."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest

import serq_simpy
from serq_simpy.errors import LinkError, SerqError, TraceError

SOURCE = """
use "std/args";
def twice(x) { 2 * x }
fn main() {
  let rate = args.number("rate", 1);
  stage desk : fifo;
  workload { arrive poisson(rate); }
  server { run desk (cost(desk, twice(0.2))); observe done = now; }
}
"""


def compiled(**given: Any) -> serq_simpy.Program:
    return serq_simpy.compile(**{"source": SOURCE, "horizon": 10, **given})


@pytest.mark.parametrize(
    "given",
    [
        {"source": 5},
        {"source": b"fn main() {}"},
        {"source": None, "path": 5},
        {"source": None, "path": b"q.sq"},
        {"horizon": "10"},
        {"horizon": 1j},
        {"warmup": []},
        {"seed": 1.5},
        {"seed": "1"},
        {"arrivals": 2.0},
        {"sets": [("rate", 1)]},
        {"sets": {1: 2}},
        {"sets": {"rate": None}},
        {"defs": {"twice": 1}},
        {"defs": {b"twice": "x"}},
        {"trace": 5},
        {"trace": b"t.csv"},
    ],
    ids=repr,
)
def test_a_wrong_type_names_its_argument(given: dict[str, Any]) -> None:
    (argument,) = given.keys() - {"source"} or {"source"}
    with pytest.raises(TypeError, match=f"^`{argument}"):
        compiled(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"arrivals": -1},
        {"horizon": 10**400},
        {"sets": {"rate": 10**400}},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_number_out_of_its_range_names_its_argument(given: dict[str, Any]) -> None:
    with pytest.raises(OverflowError, match=f"^`{next(iter(given))}"):
        compiled(**given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"horizon": float("nan")}, "the warm-up is 0, the horizon NaN"),
        ({"warmup": 10}, "the warm-up is 10, the horizon 10"),
        ({"arrivals": 0}, "arrivals must be positive"),
        ({"sets": {"rat": 2}}, "did you mean `rate`?"),
    ],
)
def test_a_wrong_setting_is_a_value_error(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("?", r"\?")) as raised:
        compiled(**given)
    assert isinstance(raised.value, LinkError)


def test_a_trace_that_is_no_path() -> None:
    source = (
        'fn main() { workload { arrive batch(1); trace "t.csv"; } server { observe x = out; } }'
    )
    with pytest.raises(TraceError):
        serq_simpy.run(compiled(source=source, trace="a\0b"))


def test_pickled_and_copied_things_are_the_same() -> None:
    program = compiled()
    report = serq_simpy.run(program)
    for again in (pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        assert serq_simpy.run(again).json() == report.json()
    for same in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert same.json() == report.json()
    with pytest.raises(SerqError) as raised:
        compiled(source="fn main() { stage x : ff; }")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (type(error), str(error)) == (type(raised.value), str(raised.value))


def test_threads_do_not_disturb_each_other() -> None:
    alone = [serq_simpy.run(compiled(seed=seed)).json() for seed in range(4)]
    together: dict[int, str] = {}

    def work(seed: int) -> None:
        together[seed] = serq_simpy.run(compiled(seed=seed)).json()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[seed] for seed in range(4)] == alone


def test_the_package_imports_what_is_asked_for() -> None:
    """The command can handle an interrupt before anything that takes time is imported."""
    code = """if True:
        import sys, serq_simpy.cli
        assert not {"serq_simpy.program", "numpy", "ply", "typer"} & {*sys.modules}
        assert set(dir(serq_simpy)) == set(serq_simpy.__all__)
        assert all(getattr(serq_simpy, name) for name in serq_simpy.__all__)
    """
    subprocess.run([sys.executable, "-c", code], check=True)
