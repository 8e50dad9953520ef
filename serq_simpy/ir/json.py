"""The IR as JSON: what another program, or a file, keeps of a linked program."""

from __future__ import annotations

from serq_simpy.errors import LinkError
from serq_simpy.ir import model as ir
from serq_simpy.ir.checks import check, check_settings
from serq_simpy.ir.read import read_program
from serq_simpy.ir.write import to_json

__all__ = ["from_json", "to_json"]


def from_json(text: str) -> ir.Program:
    """The program of a JSON text, checked as a program text is.

    Raises `LinkError`: with one diagnostic, beginning with `IR`, where the text
    is not JSON or not of the shape of an IR; else with all that `check` and
    `check_settings` find.
    """
    program = read_program(text)
    wrong = check(program) + check_settings(program)
    if wrong:
        raise LinkError(wrong)
    return program
