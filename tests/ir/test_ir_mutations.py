"""Broken IRs: whatever stands where, the answer is a program or a `LinkError`."""

from __future__ import annotations

import copy
import json
import random

import pytest
from ir_building import text_of

from serq_simpy.errors import LinkError
from serq_simpy.ir.checks import warnings
from serq_simpy.ir.json import from_json, to_json
from serq_simpy.ir.read import read_program

PROGRAMS = ("engines-every_place", "session-every_statement", "traces-hidden_out")
ODD = (
    None,
    True,
    -1,
    0,
    1,
    2.5,
    10**30,
    "inf",
    "",
    "End",
    [],
    {},
    [[]],
    {"Num": 1.0},
    {"Attr": 99},
)


def places(value, way=()):
    """The ways to everything in a JSON value."""
    found = [way] if way else []
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, below in steps:
        found += places(below, (*way, step)) if isinstance(below, dict | list) else [(*way, step)]
    return found


def at(value, way):
    for step in way:
        value = value[step]
    return value


def mutated(made, ways, choose):
    """The document with one place holding something else: of its own, odd, or nothing."""
    changed = copy.deepcopy(made)
    *above, last = choose.choice(ways)
    container = at(changed, above)
    kind = choose.random()
    if kind < 0.6:
        container[last] = copy.deepcopy(at(made, choose.choice(ways)))
    elif kind < 0.9:
        container[last] = copy.deepcopy(choose.choice(ODD))
    else:
        del container[last]
    return changed


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_mutation_escapes(name):
    choose = random.Random(name)
    made = json.loads(text_of(name))
    ways = places(made)
    verdicts = {"program": 0, "refused": 0}
    for _ in range(150):
        text = json.dumps(mutated(made, ways, choose))
        try:
            loaded = from_json(text)
        except LinkError as error:
            assert error.diagnostics
            assert all("\n" not in found.message for found in error.diagnostics)
            verdicts["refused"] += 1
        else:
            assert read_program(to_json(loaded)) == loaded
            warnings(loaded)
            verdicts["program"] += 1
    assert min(verdicts.values()) > 5
