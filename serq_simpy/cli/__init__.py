"""The `serq` command: arguments in, text out, an exit status.

0: done. 1: the program or its input is wrong, or a session is stuck. 2: the
command cannot do what it is asked, whatever the program. 130: interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_simpy.errors import SerqError

DONE, WRONG, USAGE, INTERRUPTED = 0, 1, 2, 130

MOST_ERRORS = 20


def main(args: Sequence[str] | None = None) -> None:
    """Run the command with `args`, by default the process's own, and exit."""
    try:
        status = _run(args)
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def _said(error: SerqError) -> str:
    """The first diagnostics: a file of something else can break a rule on every line."""
    shown, more = error.diagnostics[:MOST_ERRORS], error.diagnostics[MOST_ERRORS:]
    counted = [f"and {len(more)} more errors"] if more else []
    return "\n\n".join([*map(str, shown), *counted])


def _run(args: Sequence[str] | None) -> int:
    from serq_simpy.cli.streams import Hangup, complain
    from serq_simpy.errors import SerqError, UsageError

    try:
        from serq_simpy.cli.app import app

        app(None if args is None else list(args), prog_name="serq")
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else DONE
    except Hangup:
        return DONE
    except SerqError as error:
        complain(_said(error))
        return USAGE if isinstance(error, UsageError) else WRONG
    except OSError as error:
        complain(f"serq: {error.strerror or error}")
        return USAGE
    except MemoryError:
        complain("serq: out of memory; shorten the run, or raise its warm-up to record less")
        return USAGE
    except Exception as error:
        if os.environ.get("SERQ_TRACEBACK"):
            raise
        complain(
            f"serq: a fault of serq itself, not of the program: {type(error).__name__}: {error}\n"
            "help: please report it with the program; SERQ_TRACEBACK=1 shows where it is"
        )
        return WRONG
    return DONE
