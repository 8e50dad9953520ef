"""Libraries: the definitions that `use "file.sq"` brings in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from serq_simpy.errors import ProgramSyntaxError, Source, Use, shown
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend.parse import parse_library
from serq_simpy.frontend.problems import Problems, Refused

STANDARD_ARGUMENTS = "std/args"


@dataclass(slots=True)
class Libraries:
    """Reads each library once, however many files use it."""

    problems: Problems
    _read: set[str]

    @staticmethod
    def of(program: Path | None, problems: Problems) -> Libraries:
        """The libraries of a program in a file, or given as text."""
        return Libraries(problems, set() if program is None else {_file(program)})

    def written_in(self, items: tuple[s.Item, ...], folder: Path | None) -> Iterator[s.Item]:
        """The items with each library's definitions in the place of its first `use`.

        `use "std/args"` stays. Paths are relative to `folder`, None for a program
        given as text, which has no libraries.
        """
        stack: list[tuple[Iterator[s.Item], Path | None]] = [(iter(items), folder)]
        while stack:
            waiting, where = stack[-1]
            item = next(waiting, None)
            if item is None:
                stack.pop()
            elif not isinstance(item, s.Use):
                yield item
            elif item.path != STANDARD_ARGUMENTS:
                with self.problems.catching():
                    path = _path(item, where)
                    stack.append((iter(self._items(item, path)), path.parent))
            elif len(stack) == 1:
                yield item

    def _items(self, use: s.Use, path: Path) -> tuple[s.Item, ...]:
        file = _file(path)
        if file in self._read:
            return ()
        self._read.add(file)
        text = read_text(path, use.path, use)
        try:
            return parse_library(Source(_shown(use, path), text)).preamble
        except ProgramSyntaxError as wrong:
            for diagnostic in wrong.diagnostics:
                span = diagnostic.span
                if span is not None:
                    span = replace(span, used_at=Use(shown(use.path), use.span))
                self.problems.error(replace(diagnostic, span=span))
            return ()


def _path(use: s.Use, folder: Path | None) -> Path:
    if folder is None:
        raise Refused(
            use.span,
            f'`use "{shown(use.path)}"` reads a file next to the program, and this program was '
            "given as text",
            "keep the program in a file, or write the definitions into it",
        )
    if "\0" in use.path:
        raise Refused(use.span, "the path of a library is no path: it has a NUL character in it")
    return folder / use.path


def _file(path: Path) -> str:
    """The file a path leads to, by a name of its own."""
    return os.path.realpath(path)


def _shown(use: s.Use, path: Path) -> str:
    """What messages call the library: its path as seen from the program."""
    program = Path(use.span.source.name)
    return use.path if Path(use.path).is_absolute() else str(program.parent / use.path)


def read_text(path: Path, named: str, use: s.Use) -> str:
    """The text of a library. Raises `Refused` at its `use`."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as failure:
        reason = failure.strerror or str(failure)
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    raise Refused(
        use.span,
        f"cannot read `{shown(named)}`: {reason}",
        "the path is relative to the file of the `use`",
    )
