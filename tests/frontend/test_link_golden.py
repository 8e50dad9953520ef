"""Programs and the IR that the reference implementation links them to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from linking import as_json

from serq_simpy.frontend.load import load
from serq_simpy.ir import model as ir

DATA = Path(__file__).parent / "data" / "linked.jsonl"
PROGRAMS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
ALONE = [case for case in PROGRAMS if not case["files"]]
"""Those that use no library."""


def _settings(args: dict[str, Any]) -> ir.Settings:
    return ir.Settings(
        float(args.get("horizon", 100)),
        float(args.get("warmup", 0)),
        args.get("seed", 1),
        args.get("arrivals"),
    )


@pytest.mark.parametrize("case", PROGRAMS, ids=[case["name"] for case in PROGRAMS])
def test_the_ir_is_the_reference_s(case: dict[str, Any], tmp_path: Path) -> None:
    program = tmp_path / "program.sq"
    for path, text in {"program.sq": case["source"], **case["files"]}.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    args = case["args"]
    linked = load(
        program,
        None,
        args.get("sets", {}),
        args.get("defs", {}),
        _settings(args),
        args.get("trace"),
    )
    assert as_json(linked) == case["ir"]
    assert linked.folder == tmp_path


@pytest.mark.parametrize("case", ALONE, ids=[case["name"] for case in ALONE])
def test_every_statement_has_a_place(case: dict[str, Any]) -> None:
    args = case["args"]
    linked = load(
        None,
        case["source"],
        args.get("sets", {}),
        args.get("defs", {}),
        _settings(args),
        None,
    )
    blocks = linked.program.blocks
    added = (ir.SESSION, len(blocks[ir.SESSION]) - 1)
    for number, block in enumerate(blocks):
        for index in range(len(block)):
            assert (number, index) in linked.spans.statements or (number, index) == added
    assert set(linked.spans.pools) == set(range(len(linked.program.pools)))
