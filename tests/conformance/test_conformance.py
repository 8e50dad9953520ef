"""Every program of this folder gives what the reference implementation gives."""

from __future__ import annotations

import re
from typing import Any

import pytest
from golden_comparing import first_difference
from golden_programs import Case, cases, outcome, outcome_from_ir

from serq_simpy.errors import Diagnostic, LinkError, ProgramSyntaxError, place

CASES = cases()
LINKED = [case for case in CASES if "ir" in case.golden]
REFUSED = [case for case in CASES if case.golden.get("error", {}).get("stage") == "compile"]

ABOUT_ARGUMENTS = {
    "errors/args_plain_let",
    "errors/args_unknown",
    "errors/defs_unknown",
    "errors/settings_arrivals_batch",
    "errors/settings_arrivals_zero",
    "errors/settings_horizon_negative",
}
"""Programs that are right: what is wrong is what `compile` was given beside them."""


def _named(case: Case) -> str:
    return case.name


@pytest.fixture(autouse=True)
def _in_its_folder(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program's traces and libraries lie beside it."""
    monkeypatch.chdir(case.path.parent)


@pytest.mark.parametrize("case", CASES, ids=_named)
def test_a_program_gives_what_the_reference_gives(case: Case) -> None:
    golden, ours = case.golden, outcome(case).result
    _same_end(golden, ours)
    if "ir" in golden:
        _no_difference(first_difference(golden["ir"], ours["ir"], "ir", exact=True))
    if "report" in golden:
        _no_difference(_in_figures(golden, ours))


@pytest.mark.parametrize("case", LINKED, ids=_named)
def test_the_reference_s_ir_runs_as_the_text_does(case: Case) -> None:
    ours, again = outcome(case), outcome_from_ir(case)
    _same_end(ours.result, again.result)
    assert again.report == ours.report
    for part in ("samples", "client", "gauges"):
        assert again.result.get(part) == ours.result.get(part)


@pytest.mark.parametrize("case", REFUSED, ids=_named)
def test_a_wrong_program_is_refused_at_its_mistake(case: Case) -> None:
    first = outcome(case).errors[0]
    message = case.golden["error"]["message"]
    if case.name in ABOUT_ARGUMENTS:
        assert first.span is None
        return
    assert first.span is not None, f"no place: {first.message}"
    assert outcome(case).kind in (LinkError, ProgramSyntaxError)
    where = re.match(r"((?:[\w/]+\.sq:)?\d+):\d+: ", message)
    if where is not None:
        assert place(first.span).removeprefix(f"{case.path.name}:").startswith(f"{where[1]}:")
    quoted = _quoted(message, case)
    assert not quoted or any(text in _said(first) for text in quoted), f"nothing about {quoted}"


def _same_end(golden: dict[str, Any], ours: dict[str, Any]) -> None:
    """Both ran, or both were refused at the same stage."""
    expected, found = golden.get("error", {}), ours.get("error", {})
    assert found.get("stage") == expected.get("stage"), (
        f"the golden: {expected.get('message', 'runs')}; we: {found.get('message', 'runs')}"
    )


def _in_figures(golden: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """The first difference of what two runs found; session and turn of a sample are exact."""
    return (
        first_difference(golden["report"], ours["report"], "report")
        or first_difference(golden["samples"], ours["samples"], "samples", whole=(1, 2))
        or first_difference(golden["client"], ours["client"], "client", whole=(1, 2))
        or first_difference(golden["gauges"], ours["gauges"], "gauges")
    )


def _no_difference(found: str | None) -> None:
    if found is not None:
        pytest.fail(found, pytrace=False)


def _quoted(message: str, case: Case) -> list[str]:
    """What a message of the reference is about: what it quotes from the program."""
    return [text for text in re.findall(r"`([^`]+)`", message) if text in case.source]


def _said(diagnostic: Diagnostic) -> str:
    """A diagnostic's words, and the line it points at."""
    assert diagnostic.span is not None
    source, line = diagnostic.span.source, diagnostic.span.line
    return f"{diagnostic.message}\n{source.line(line)}"
