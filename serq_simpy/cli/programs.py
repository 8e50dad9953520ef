"""Reading what a command is given: a program or an IR."""

from __future__ import annotations

from pathlib import Path

import serq_simpy
from serq_simpy import Program
from serq_simpy.cli.reading import STDIN, read_text
from serq_simpy.cli.settings import Settings
from serq_simpy.cli.streams import complain
from serq_simpy.errors import Diagnostic, UsageError


def load(path: str, settings: Settings) -> Program:
    """The program at `path` under `settings`; its warnings go to standard error.

    A text that begins with `{` is an IR as JSON, any other a program.

    Raises:
        SerqError: it cannot be read, does not link, or the settings do not suit it.
    """
    text = read_text(path)
    try:
        program = _compile(path, text, settings)
    except OverflowError as error:
        raise UsageError(str(error)) from None
    for warning in program.warnings:
        complain(f"warning: {warning}")
    return program


def _compile(path: str, text: str, settings: Settings) -> Program:
    if text.lstrip().startswith("{"):
        return _from_ir(text, settings)
    # What can be read only once, as a pipe, has been read, and stands beside no library.
    if path != STDIN and Path(path).is_file():
        return serq_simpy.compile(path, sets=settings.sets, defs=settings.defs, **settings.run)
    return serq_simpy.compile(source=text, sets=settings.sets, defs=settings.defs, **settings.run)


def _from_ir(text: str, settings: Settings) -> Program:
    if settings.sets or settings.defs:
        raise UsageError(
            Diagnostic(
                "an IR has no inputs and no definitions any more",
                help="give the program's text, or make the IR with these values",
            )
        )
    return Program.from_json(text).with_settings(**settings.run)
