"""Whether an IR is a program: every rule of the language that the IR alone shows.

The same for a program linked from text, whose places `spans` knows, and for one
that came as JSON, which has none and is named by block and statement.
"""

from __future__ import annotations

from collections.abc import Callable

from serq_simpy.errors import Diagnostic
from serq_simpy.ir import model as ir
from serq_simpy.ir.checks_costs import check_costs
from serq_simpy.ir.checks_declarations import check_declarations
from serq_simpy.ir.checks_hidden import check_hidden
from serq_simpy.ir.checks_holds import check_holds
from serq_simpy.ir.checks_lints import check_lints
from serq_simpy.ir.checks_reads import check_reads
from serq_simpy.ir.checks_settings import check_arrival, check_settings
from serq_simpy.ir.checks_shape import check_shape
from serq_simpy.ir.checks_statements import check_statements
from serq_simpy.ir.checks_types import check_types
from serq_simpy.ir.depth import deep
from serq_simpy.ir.findings import Findings, Subject
from serq_simpy.ir.spans import Spans
from serq_simpy.ir.warnings import find_warnings

_CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_declarations,
    check_arrival,
    check_reads,
    check_types,
    check_costs,
    check_holds,
    check_statements,
    check_lints,
    check_hidden,
)

__all__ = ["check", "check_settings", "warnings"]


def check(program: ir.Program, spans: Spans | None = None) -> list[Diagnostic]:
    """What is wrong with the program, in the order of the text; empty if nothing is.

    The settings are checked apart, by `check_settings`. Where a number is out of
    range only such things are told: what it should name is not known.
    """
    findings = Findings(spans or Spans())
    with deep():
        if check_shape(program, findings):
            subject = Subject(program, findings)
            for rule in _CHECKS:
                rule(subject)
    return findings.in_order()


def warnings(program: ir.Program, spans: Spans | None = None) -> list[Diagnostic]:
    """What a program that passed `check` says to no use, in the order of the text."""
    findings = Findings(spans or Spans())
    with deep():
        find_warnings(Subject(program, findings))
    return findings.in_order()
