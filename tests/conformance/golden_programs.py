"""The programs of this folder, what the reference made of them, and what we make of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import serq_simpy
from serq_simpy.errors import Diagnostic, SerqError
from serq_simpy.program import Program
from serq_simpy.report.model import Gauge, Observe, Report

ROOT = Path(__file__).parent
HEAD = 200
"""Samples of an observation and change points of a gauge that a golden has."""
DEFAULTS: dict[str, Any] = {"horizon": 100}
"""The compile arguments of a program without a file of them."""


@dataclass(frozen=True)
class Case:
    """A program and its golden: `path` is the program's file."""

    path: Path

    @property
    def name(self) -> str:
        """`GROUP/NAME`."""
        return self.path.relative_to(ROOT).with_suffix("").as_posix()

    @property
    def source(self) -> str:
        """The program's text."""
        return self.path.read_text(encoding="utf-8")

    @property
    def args(self) -> dict[str, Any]:
        """The keyword arguments of `serq_simpy.compile`."""
        file = self.path.with_suffix(".args.json")
        given: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return DEFAULTS | given

    @property
    def golden(self) -> dict[str, Any]:
        """What the reference made of it: see README.md."""
        parsed: dict[str, Any] = json.loads(self.path.with_suffix(".golden.json").read_text())
        return parsed


@dataclass(frozen=True)
class Outcome:
    """What we made of a program: `result` has a golden's shape, `errors` what was refused."""

    result: dict[str, Any]
    report: str = ""
    errors: tuple[Diagnostic, ...] = ()
    kind: type[SerqError] | None = None


def cases() -> list[Case]:
    """Every program with a golden, in the order of their names."""
    goldens = sorted(ROOT.glob("*/*.golden.json"))
    return [Case(file.with_name(file.name.replace(".golden.json", ".sq"))) for file in goldens]


@cache
def outcome(case: Case) -> Outcome:
    """Compile and run a program from its text; the current directory is its folder."""
    try:
        program = serq_simpy.compile(case.path.name, **case.args)
    except SerqError as error:
        return _refused("compile", error, {})
    ir = json.loads(program.to_json())
    try:
        report = serq_simpy.run(program)
    except SerqError as error:
        return _refused("run", error, {"ir": ir})
    return Outcome({"ir": ir, **figures(report)}, report.json())


@cache
def outcome_from_ir(case: Case) -> Outcome:
    """Run a program from the golden's IR; the current directory is its folder."""
    program = Program.from_json(json.dumps(case.golden["ir"]))
    try:
        report = serq_simpy.run(program)
    except SerqError as error:
        return _refused("run", error, {})
    return Outcome(figures(report), report.json())


def figures(report: Report) -> dict[str, Any]:
    """What a golden has of a run: report, and heads of samples and gauges."""
    return {
        "report": json.loads(report.json()),
        "samples": {name: _samples(found) for name, found in report.observes.items()},
        "client": {name: _samples(found) for name, found in report.client.items()},
        "gauges": {name: _changes(found) for name, found in report.gauges.items()},
    }


def _refused(stage: str, error: SerqError, result: dict[str, Any]) -> Outcome:
    message = str(error).partition("\n")[0]
    return Outcome(
        {"error": {"stage": stage, "message": message}, **result},
        errors=error.diagnostics,
        kind=type(error),
    )


def _samples(found: Observe) -> dict[str, Any]:
    rows = zip(found.times, found.sessions, found.turns, found.samples, strict=True)
    return {"n": found.count, "head": list(_written(rows))}


def _changes(found: Gauge) -> list[list[Any]]:
    return list(_written(zip(found.times, found.values, strict=True)))


def _written(rows: Iterable[tuple[float, ...]]) -> Iterator[list[Any]]:
    """The first rows as a golden has them: NaN is null and an infinity is text."""
    for row in islice(rows, HEAD):
        yield [_number(value) for value in row]


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
