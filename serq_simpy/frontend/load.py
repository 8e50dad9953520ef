"""The door to the frontend: a program's text in, its checked IR out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from serq_simpy.errors import Diagnostic, LinkError, Source, UsageError
from serq_simpy.frontend.declarations import FirstPass
from serq_simpy.frontend.inputs import InputValue
from serq_simpy.frontend.libraries import Libraries
from serq_simpy.frontend.link import link
from serq_simpy.frontend.parse import parse_program
from serq_simpy.frontend.problems import Problems, TooLarge
from serq_simpy.ir import model as ir
from serq_simpy.ir.checks import check, check_settings, warnings
from serq_simpy.ir.depth import deep
from serq_simpy.ir.spans import Spans


@dataclass(frozen=True, slots=True)
class Linked:
    """A program that may be run.

    `folder` is the one its file is in, which a relative `trace` of the program starts
    from; None for a program given as text. A `trace` given from outside is as given.
    """

    program: ir.Program
    spans: Spans
    folder: Path | None
    inputs: tuple[InputValue, ...]
    warnings: tuple[Diagnostic, ...]


def load(
    path: Path | None,
    text: str | None,
    sets: Mapping[str, float | str],
    defs: Mapping[str, str],
    settings: ir.Settings,
    trace: str | None = None,
) -> Linked:
    """The program in the file `path`, or the one given as `text`.

    `sets` are values for its inputs, numbers or constant expressions; `defs` bodies for
    its expression definitions; `trace` a path in place of the program's trace.
    Raises `UsageError` if the file cannot be read, `ProgramSyntaxError`, and
    `LinkError` with all that is wrong.
    """
    source = _source(path, text)
    with deep():
        return _load(source, path, sets, defs, settings, trace)


def _source(path: Path | None, text: str | None) -> Source:
    if path is None:
        if text is None:
            raise UsageError("give a program: a path, or its text")
        return Source("", text)
    if "\0" in str(path):
        raise UsageError("the program's path is no path: it has a NUL character in it")
    try:
        return Source(str(path), path.read_text(encoding="utf-8"))
    except OSError as failure:
        raise UsageError(f"cannot read {path}: {failure.strerror or failure}") from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from None


def _load(
    source: Source,
    path: Path | None,
    sets: Mapping[str, float | str],
    defs: Mapping[str, str],
    settings: ir.Settings,
    trace: str | None,
) -> Linked:
    file = parse_program(source)
    folder = None if path is None else path.parent
    problems = Problems()
    libraries = Libraries.of(path, problems)
    preamble = tuple(libraries.written_in(file.preamble, folder))
    main = tuple(libraries.written_in(file.main or (), folder))
    first = FirstPass(sets, defs, problems)
    try:
        first.read((*preamble, *main), inside_main=len(preamble))
        if first.unsupported:
            raise LinkError(problems.errors)
        program, spans = link(first, settings)
    except TooLarge:
        raise LinkError(problems.errors) from None
    if trace is not None:
        program = replace(program, trace=trace)
    errors = (*problems.errors, *check_settings(program))
    if not problems.errors:
        errors = (*errors, *check(program, spans))
    if errors:
        raise LinkError(errors)
    return Linked(
        program,
        spans,
        folder,
        tuple(first.inputs.values),
        (*problems.warnings, *warnings(program, spans)),
    )
