"""Wrong programs: each is refused, at the line the reference names or a better one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from linking import at, refusals

DATA = Path(__file__).parent / "data" / "refused.jsonl"
PROGRAMS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "case", PROGRAMS, ids=[f"{i}-{case['reference'][:40]}" for i, case in enumerate(PROGRAMS)]
)
def test_a_wrong_program_is_refused_where_it_is_wrong(case: dict[str, Any]) -> None:
    first, *others = refusals(case["source"], sets=case.get("sets", {}), defs=case.get("defs", {}))
    if case["placed"]:
        assert at(first)[0] == case["line"]
    assert "\n" not in first.message
    assert len(others) <= 2
