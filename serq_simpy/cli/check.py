"""`serq check`: whether a program links, and what it is made of."""

from __future__ import annotations

from serq_simpy.cli.listing import input_lines, summary_lines
from serq_simpy.cli.programs import load
from serq_simpy.cli.settings import Settings
from serq_simpy.cli.streams import put

EXAMPLES = """\b
Examples:
  serq check mm1.sq
  serq check mm1.sq -- --rate 2
"""


def check(path: str, settings: Settings) -> None:
    """Say whether a program is right, what it is made of, what it takes."""
    program = load(path, settings.with_some_horizon())
    put("\n".join([f"{path}: ok", *summary_lines(program.ir), *input_lines(program.inputs)]))
