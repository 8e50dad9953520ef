"""Small IRs for tests: the JSON of one, with parts replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from serq_simpy.ir import model as ir
from serq_simpy.ir.read import read_program

DATA = Path(__file__).parent / "data"
FILES = sorted(DATA.glob("*.json"))

NOWHERE = {"base": 0, "count": 1, "index": None}


def text_of(name: str) -> str:
    """The IR `name`, as the reference implementation wrote it."""
    return (DATA / f"{name}.json").read_text(encoding="utf-8")


def num(value: float | str) -> dict[str, Any]:
    return {"Num": value}


def ref(base: int = 0, count: int = 1, index: Any = None) -> dict[str, Any]:
    return {"base": base, "count": count, "index": index}


def document(**changes: Any) -> dict[str, Any]:
    """A program of one delay stage, one pool of 8 and the session `turn; end;`."""
    built_in = list(ir.BUILT_IN)
    made: dict[str, Any] = {
        "version": 13,
        "attrs": [*built_in, "x", "o"],
        "attr_types": ["Value", *["Size"] * 7, "Value", "Value", "Size"],
        "observes": ["seen"],
        "pools": [
            {
                "name": "p",
                "cap": 8.0,
                "block": None,
                "evict": "Lru",
                "preempt": "None",
                "queue": None,
                "spill": None,
                "admit_via": None,
            }
        ],
        "stages": [{"name": "d", "kind": {"Ps": {"Ctx": "N"}}}],
        "arrival": {"Batch": 1},
        "trace": None,
        "trace_ordered": False,
        "init": 0,
        "turn": 1,
        "session": 2,
        "blocks": [[], [], ["Turn", "End"]],
        "horizon": 10.0,
        "warmup": 0.0,
        "seed": 1,
        "slot_cached": 0,
        "slot_serial": 1,
        "slot_turn": 2,
        "slot_new": 3,
        "slot_out": 4,
        "slot_think": 5,
        "slot_more": 6,
        "slot_forced": 7,
        "slot_computed": 8,
        "hidden": [],
    }
    made |= changes
    made.setdefault("sides", [sides_of(block) for block in made["blocks"]])
    return made


def sides_of(block: list[Any]) -> list[str]:
    """The workload's are `turn;` and the session's `end;`."""
    return ["Workload" if statement in ("Turn", "End") else "Server" for statement in block]


def served(*statements: Any, bodies: tuple[list[Any], ...] = (), **changes: Any) -> dict[str, Any]:
    """A program whose server runs the statements; `bodies` are the blocks from 3 on."""
    blocks = [[], [], ["Turn", *statements, "End"], *bodies]
    return document(blocks=blocks, **changes)


def program(made: dict[str, Any]) -> ir.Program:
    """The program of a JSON document, its shape read and nothing checked."""
    return read_program(json.dumps(made))
