"""Reading a file or standard input as text."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path

from serq_simpy.errors import Diagnostic, ProgramSyntaxError, UsageError

STDIN = "-"


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises:
        UsageError: it cannot be read.
        ProgramSyntaxError: it is no text.
    """
    name = "standard input" if path == STDIN else f"`{path}`"
    try:
        return _read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ProgramSyntaxError(
            Diagnostic(f"{name} is not a text in UTF-8", help="give a program, not a binary file")
        ) from None
    except FileNotFoundError:
        raise UsageError(
            Diagnostic(f"cannot read {name}: there is no such file", help=_nearest(path))
        ) from None
    except IsADirectoryError:
        raise UsageError(
            Diagnostic(f"cannot read {name}: it is a folder", help="name a program in it")
        ) from None
    except PermissionError:
        raise UsageError(
            Diagnostic(
                f"cannot read {name}: permission denied",
                help="ask its owner, or copy it to where you may read it",
            )
        ) from None
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None


def _read_bytes(path: str) -> bytes:
    if "\0" in path:
        raise UsageError("cannot read a file whose name has a NUL in it")
    if path != STDIN:
        return Path(path).read_bytes()
    if sys.stdin is None:
        raise UsageError(
            Diagnostic("standard input is closed", help="name a file, or send the program to it")
        )
    return sys.stdin.buffer.read()


def _nearest(path: str) -> str:
    """What to do about a file that is not there: the name most like it beside it."""
    folder = Path(path).parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    nearest = get_close_matches(Path(path).name, names, n=1)
    return f"did you mean `{folder / nearest[0]}`?" if nearest else "check the path"
