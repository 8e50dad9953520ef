"""Short ways to link a program and to look at what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from serq_simpy.errors import Diagnostic, SerqError
from serq_simpy.frontend.load import Linked, load
from serq_simpy.ir import model as ir
from serq_simpy.ir.json import to_json


def link(
    text: str,
    sets: Mapping[str, float | str] | None = None,
    defs: Mapping[str, str] | None = None,
    trace: str | None = None,
) -> Linked:
    return load(None, text, sets or {}, defs or {}, ir.Settings(horizon=10.0), trace)


def refusals(text: str, **given: Any) -> tuple[Diagnostic, ...]:
    """The diagnostics of a program that must be refused."""
    with pytest.raises(SerqError) as refused:
        link(text, **given)
    return refused.value.diagnostics


def refusal(text: str, **given: Any) -> Diagnostic:
    """The only diagnostic of a program that must be refused."""
    (found,) = refusals(text, **given)
    return found


def at(diagnostic: Diagnostic) -> tuple[int, int]:
    """Line and column a diagnostic points at."""
    assert diagnostic.span is not None
    return diagnostic.span.line, diagnostic.span.column


def as_json(linked: Linked) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(to_json(linked.program))
    return parsed


SURROUNDINGS = """
  stage s : delay;
  pool p { cap 9; block 2; }
  pool q[2] { cap 9; }
"""


def server(statements: str, declarations: str = "", workload: str = "arrive batch(1);") -> str:
    """A program around server statements: stage `s`, pools `p` and `q[2]`."""
    return (
        f"fn main() {{ {SURROUNDINGS} {declarations}\n"
        f"workload {{ {workload} }}\nserver {{ {statements} }} }}"
    )
