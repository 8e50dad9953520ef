"""The report as JSON, against the reference's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_simpy._version import VERSION
from serq_simpy.report import REPORT_VERSION, Report
from serq_simpy.report.jsontext import decimal

NAMES = ("engine", "growing", "numbers", "nothing")


def approximate(tree: Any) -> Any:
    """The tree in its order, numbers to nine digits, what only rounding left as 0."""
    if isinstance(tree, dict):
        return [(key, approximate(value)) for key, value in tree.items()]
    if isinstance(tree, list):
        return [approximate(value) for value in tree]
    if isinstance(tree, float):
        return float(f"{tree:.9g}") if abs(tree) > 1e-12 else 0.0
    return tree


@pytest.mark.parametrize("name", NAMES)
def test_as_the_reference(
    name: str, report_of: Callable[..., Report], golden_json: Callable[[str], str]
) -> None:
    ours, theirs = json.loads(report_of(name).json()), json.loads(golden_json(name))
    assert ours.pop("serq_version") == VERSION
    del theirs["serq_version"]
    assert approximate(ours) == approximate(theirs)


@pytest.mark.parametrize("name", ["nothing", "growing"])
def test_to_the_letter(
    name: str, report_of: Callable[..., Report], golden_json: Callable[[str], str]
) -> None:
    assert report_of(name).json().replace(VERSION, "0.1.5-dev.74") == golden_json(name)


def test_version_of_the_names() -> None:
    assert REPORT_VERSION == 1


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (10.0, "10"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1e21, "1000000000000000000000"),
        (1.5e-10, "0.00000000015"),
        (1e22, "1" + 22 * "0"),
        (5e-324, "0." + 323 * "0" + "5"),
        (1.7976931348623157e308, "17976931348623157" + 292 * "0"),
        (2.0**53, "9007199254740992"),
        (math.nan, "null"),
        (math.inf, "null"),
        (-math.inf, "null"),
    ],
)
def test_numbers(number: float, written: str) -> None:
    assert decimal(number) == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact_and_without_exponent(number: float) -> None:
    written = decimal(number)
    assert float(written) == number
    assert "e" not in written and not written.endswith(".0")


def test_names_with_letters_of_any_script(
    report_of: Callable[..., Report], samples_of: Callable[..., Any]
) -> None:
    report = report_of("nothing", observations=(samples_of('ñ"', []),))
    assert '"ñ\\"":{"count":0' in report.json()
