"""Standard output and standard error, which may be closed, full or hung up."""

from __future__ import annotations

import os
import sys

from serq_simpy.errors import Diagnostic, UsageError


class Hangup(Exception):
    """Nobody reads standard output any more, as after `serq … | head`."""


def put(text: str) -> None:
    """Write `text` and a line end to standard output, now.

    Raises:
        Hangup: its reader has gone.
        UsageError: it is closed, or cannot take the text (a full disk).
    """
    if sys.stdout is None:
        raise UsageError(
            Diagnostic("standard output is closed", help="give it a file or a terminal")
        )
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        raise Hangup from None
    except OSError as error:
        _forget_output()
        raise UsageError(
            Diagnostic(
                f"cannot write to standard output: {error.strerror}",
                help="make room, or send the output elsewhere",
            )
        ) from None


def _forget_output() -> None:
    """Send what standard output still holds nowhere, or Python would try again at its exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def complain(text: str) -> None:
    """Write `text` and a line end to standard error, if that can be done."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        pass
