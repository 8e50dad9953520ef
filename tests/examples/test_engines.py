"""The engine examples: figures of the reference on the same seed, and what must follow.

The reference's figures are those of `examples/engines/vllm.sq` to 60, after a warm-up of 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import serq_simpy
from serq_simpy import Report

VLLM = Path(__file__).parents[2] / "examples" / "engines" / "vllm.sq"

Settings = tuple[tuple[str, float], ...]

PLAIN: Settings = ()
FEW_REQUESTS: Settings = (("rate", 2), ("budget", 256), ("requests", 16))
LITTLE_MEMORY: Settings = (("rate", 1), ("blocks", 300), ("chunk", 128))


@cache
def run(settings: Settings, horizon: float = 60, warmup: float = 10) -> Report:
    program = serq_simpy.compile(VLLM, horizon=horizon, warmup=warmup, sets=dict(settings))
    return serq_simpy.run(program)


def figures(report: Report) -> Mapping[str, float | None]:
    engine, kv = report.stage("vllm"), report.pool("kv")
    client = report.client
    return {
        "turns": report.turns,
        "hit": report.observe("hit").mean,
        "ttft": client["ttft"].mean,
        "ttft p99": client["ttft"].p99,
        "tpot": client["tpot"].mean,
        "response": client["response"].mean,
        "iterations": engine.iterations,
        "decode batch": engine.mean_decode_batch,
        "itl": engine.mean_itl,
        "itl p99": engine.itl_p99,
        "units used": kv.mean_used,
        "preemptions": kv.preemptions,
        "evicted": kv.evicted_units,
        "stuck": kv.stuck,
        "wait": report.pool("reqs").mean_wait,
        "running": report.gauge("running_requests").mean,
    }


REFERENCE: dict[Settings, dict[str, float]] = {
    PLAIN: {
        "turns": 85,
        "hit": 0.4829958577792219,
        "ttft": 0.01887962470007183,
        "ttft p99": 0.07008099284226432,
        "tpot": 0.010398916413440427,
        "response": 1.516435400606078,
        "iterations": 4404,
        "decode batch": 2.989221556886227,
        "itl": 0.010438180873747841,
        "itl p99": 0.010971272185494157,
        "units used": 1250.3775619671933,
        "preemptions": 0,
        "evicted": 0,
        "stuck": 0,
        "wait": 0.005187831758895249,
        "running": 2.6280576043865933,
    },
    FEW_REQUESTS: {
        "turns": 306,
        "hit": 0.29670594339105094,
        "ttft": 1.3905891202145237,
        "ttft p99": 4.514290415559017,
        "tpot": 0.012318647919536201,
        "response": 3.408439530271657,
        "iterations": 5000,
        "decode batch": 12.109708737864095,
        "itl": 0.01248231188275591,
        "itl p99": 0.02559999999999718,
        "units used": 7429.777970433275,
        "preemptions": 0,
        "evicted": 87872,
        "stuck": 0,
        "wait": 1.3601646407819004,
        "running": 12.624497121722747,
    },
    LITTLE_MEMORY: {
        "turns": 160,
        "hit": 0.1532123498428546,
        "ttft": 0.9836781658444018,
        "ttft p99": 7.342818790561459,
        "tpot": 0.0190688442541433,
        "response": 2.695003184821682,
        "iterations": 5149,
        "decode batch": 5.145987033310997,
        "itl": 0.011817637043787915,
        "itl p99": 0.026335276498248242,
        "units used": 2863.9170121403495,
        "preemptions": 60,
        "evicted": 73392,
        "stuck": 3,
        "wait": 0.8424027243815142,
        "running": 5.469260598948068,
    },
}


@pytest.mark.parametrize("settings", REFERENCE, ids=["plain", "few requests", "little memory"])
def test_vllm_has_the_figures_of_the_reference(settings: Settings) -> None:
    assert figures(run(settings)) == pytest.approx(REFERENCE[settings], rel=1e-9)


def test_a_budget_bounds_the_time_of_an_iteration() -> None:
    """256 tokens take 0.0256; no gap between tokens is longer where nobody is preempted."""
    report = run(FEW_REQUESTS)
    assert report.pool("kv").preemptions == 0
    assert report.stage("vllm").itl_p99 == pytest.approx(0.0256)


def test_the_request_cap_bounds_the_batch() -> None:
    assert run(FEW_REQUESTS).gauge("running_requests").max == 16


def test_a_cold_first_request_takes_what_the_device_says() -> None:
    """The first turn of the first chat runs alone, so its prompt is one iteration.

    Its first token comes after the greater of 0.0001 per token and 0.01 + 2e-7 per unit.
    """
    report = run((("turns", 1), ("rate", 0.001)), horizon=60, warmup=0)
    ttft = report.client["ttft"].samples[0]
    text = VLLM.read_text(encoding="utf-8").replace(
        "vllm (prompt, out);", "observe asked = prompt; vllm (prompt, out);"
    )
    program = serq_simpy.compile(source=text, horizon=1, sets={"turns": 1, "rate": 0.001})
    prompt = serq_simpy.run(program).observe("asked").samples[0]
    units = 16 * -(-prompt // 16)
    assert ttft == pytest.approx(max(0.0001 * prompt, 0.01 + 2e-7 * units))
