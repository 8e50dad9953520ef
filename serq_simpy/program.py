"""Programs and runs: what `serq_simpy.compile` and `serq_simpy.run` do."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, SupportsFloat, SupportsIndex

from serq_simpy.errors import Diagnostic, LinkError, UsageError
from serq_simpy.frontend.load import Linked, load
from serq_simpy.ir.checks import check_settings
from serq_simpy.ir.json import from_json, to_json
from serq_simpy.ir.model import Program as ProgramIR
from serq_simpy.ir.model import Settings
from serq_simpy.ir.spans import Spans

if TYPE_CHECKING:
    from serq_simpy.frontend.inputs import InputValue
    from serq_simpy.report.model import Report

PathLike = str | os.PathLike[str]


class Program:
    """A compiled program with its settings: made by `compile` or `from_json`.

    `inputs` are the program's inputs with the values they have here, `warnings` what
    looks like a slip without being an error.
    """

    def __init__(self, linked: Linked) -> None:
        self._linked = linked

    @property
    def ir(self) -> ProgramIR:
        """The program as data."""
        return self._linked.program

    @property
    def inputs(self) -> tuple[InputValue, ...]:
        """The inputs of the program; an IR has none."""
        return self._linked.inputs

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What does not stop the program from running, and is probably not meant."""
        return self._linked.warnings

    def to_json(self) -> str:
        """The IR as JSON, as `serq ir` prints it."""
        return to_json(self.ir)

    @staticmethod
    def from_json(s: str) -> Program:
        """The program of an IR written by `to_json`, ours or the reference's.

        A relative trace in it is read against the current directory. Raises `LinkError`
        where the text is no IR or breaks a rule of the language.
        """
        if not isinstance(s, str):
            raise TypeError(f"an IR is text, not {type(s).__name__}")
        return Program(Linked(from_json(s), Spans(), None, (), ()))

    def with_settings(
        self,
        *,
        seed: SupportsIndex | None = None,
        horizon: SupportsFloat | None = None,
        warmup: SupportsFloat | None = None,
        arrivals: SupportsIndex | None = None,
        trace: PathLike | None = None,
    ) -> Program:
        """The same program under other settings; what is None stays as it is.

        Raises as `compile` does for settings that do not suit.
        """
        changed = replace(
            self.ir, settings=_settings(self.ir.settings, seed, horizon, warmup, arrivals)
        )
        folder = self._linked.folder
        if trace is not None:
            changed, folder = replace(changed, trace=_path("trace", trace)), None
        wrong = check_settings(changed)
        if wrong:
            raise LinkError(wrong)
        return Program(replace(self._linked, program=changed, folder=folder))

    def source(self) -> str:
        """The Python module that the program is compiled to, as `--show-code` prints it."""
        from serq_simpy.compiler.module import source

        return source(self.ir)

    def run(self, progress: Callable[[float], None] | None = None) -> Report:
        """Run the program; see `serq_simpy.run`."""
        from serq_simpy.compiler.module import compiled
        from serq_simpy.processes.simulation import Simulation
        from serq_simpy.report.model import Report
        from serq_simpy.traces.corpus import read_corpus

        corpus = read_corpus(self.ir, self._linked.folder)
        simulation = Simulation(self.ir, compiled(self.ir), self._linked.spans, corpus)
        return Report(simulation.run(progress))


def compile(
    path: PathLike | None = None,
    *,
    source: str | None = None,
    sets: Mapping[str, float | str] | None = None,
    defs: Mapping[str, str] | None = None,
    seed: SupportsIndex | None = None,
    horizon: SupportsFloat | None = None,
    warmup: SupportsFloat | None = None,
    arrivals: SupportsIndex | None = None,
    trace: PathLike | None = None,
) -> Program:
    """Compile a program, from the file `path` or from the text `source`.

    Args:
        sets: values of the program's inputs (`args.number`): numbers, or constant
            expressions as text.
        defs: bodies for its expression definitions, by name.
        seed: of the random streams, a whole number from 0 below 2**64; 1 when absent.
        horizon: when the run ends, in the program's unit of time. Required.
        warmup: when measuring starts, 0 when absent.
        arrivals: how many sessions of an open workload come; the run then ends when the
            last of them has left.
        trace: a trace in place of the program's.

    Raises:
        SerqError: the file cannot be read, the program is wrong, or the settings are.
        TypeError, OverflowError: an argument is of a wrong type or size.
    """
    if (path is None) == (source is None):
        raise UsageError("compile takes exactly one of a path and a source")
    if source is not None and not isinstance(source, str):
        raise TypeError(f"`source` is text, not {type(source).__name__}")
    settings = _settings(Settings(horizon=float("nan")), seed, horizon, warmup, arrivals)
    if horizon is None:
        raise UsageError(
            Diagnostic(
                "no horizon: nothing says when the run ends",
                help="supply `horizon=…`, on the command line --horizon T or --instance FILE",
            )
        )
    return Program(
        load(
            None if path is None else Path(_path("path", path)),
            source,
            _texts_or_numbers(sets or {}),
            _texts(defs or {}),
            settings,
            None if trace is None else _path("trace", trace),
        )
    )


def run(program: Program, progress: Callable[[float], None] | None = None) -> Report:
    """Run a program to its end and report.

    `progress` is told the simulated time now and then, never more often than some thousand
    events apart. Raises `RunError` where the program breaks a rule while it runs, and
    `TraceError` where its trace cannot be read.
    """
    if not isinstance(program, Program):
        raise TypeError(f"run takes a Program, not {type(program).__name__}")
    return program.run(progress)


def _settings(
    settings: Settings,
    seed: SupportsIndex | None,
    horizon: SupportsFloat | None,
    warmup: SupportsFloat | None,
    arrivals: SupportsIndex | None,
) -> Settings:
    """The settings with what is given put in place."""
    if seed is not None:
        settings = replace(settings, seed=_whole("seed", seed))
    if horizon is not None:
        settings = replace(settings, horizon=_real("horizon", horizon))
    if warmup is not None:
        settings = replace(settings, warmup=_real("warmup", warmup))
    if arrivals is not None:
        settings = replace(settings, arrivals=_whole("arrivals", arrivals))
    return settings


def _whole(name: str, value: SupportsIndex) -> int:
    """A whole number of 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` is a whole number, not {type(value).__name__}") from None
    if not 0 <= number < 2**64:
        raise OverflowError(f"`{name}` is {number}: a whole number from 0 to 2**64 - 1")
    return number


def _real(name: str, value: object) -> float:
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"`{name}` is a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise OverflowError(f"`{name}` is more than a number of 64 bits holds") from None


def _path(name: str, value: PathLike) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise TypeError(f"`{name}` is a path, text or os.PathLike, not {type(path).__name__}")
    return path


def _texts(values: Mapping[str, str]) -> dict[str, str]:
    for name, value in _items("defs", values):
        if not isinstance(value, str):
            raise TypeError(f"`defs[{name!r}]` is text, not {type(value).__name__}")
    return dict(values)


def _texts_or_numbers(values: Mapping[str, float | str]) -> dict[str, float | str]:
    return {
        name: value if isinstance(value, str) else _real(f"sets[{name!r}]", value)
        for name, value in _items("sets", values)
    }


def _items(argument: str, values: Mapping[str, object]) -> list[tuple[str, object]]:
    if not isinstance(values, Mapping):
        raise TypeError(f"`{argument}` is a mapping of names, not {type(values).__name__}")
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"`{argument}`: a name is text, not {type(name).__name__}")
    return list(values.items())
