"""Short ways to run a program of one engine and to look at what came out."""

from __future__ import annotations

import serq_simpy
from serq_simpy import Report


def run(text: str, horizon: float = 100.0) -> Report:
    return serq_simpy.run(serq_simpy.compile(source=text, horizon=horizon))


def engine_program(
    items: str,
    server: str,
    *,
    device: str = "",
    pools: str = "",
    workload: str = "arrive batch(2);",
    more: str = "",
) -> str:
    """A program of an engine `llm` on `gpu`; each part may be several lines."""
    return f"""fn main() {{
  device gpu {{ {device} }}
  engine llm on gpu {{ {items} }}
  {pools}
  workload {{ {workload} }}
  server {{ {server} }}
  {more}
}}
"""


def seen(report: Report, name: str) -> list[float]:
    """The values of an observation, in the order recorded."""
    return list(report.observe(name).samples)


def idle(report: Report) -> bool:
    """Whether the report says, in each of its forms, that engine `llm` stands still."""
    said = "idle: engine llm has work" in str(report)
    assert said == report.stage("llm").idle_with_work
    return said
