"""`serq run`: simulate a program and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import serq_simpy
from serq_simpy.cli.programs import load
from serq_simpy.cli.progress import Progress
from serq_simpy.cli.settings import Settings
from serq_simpy.cli.streams import complain, put
from serq_simpy.errors import SerqError

if TYPE_CHECKING:
    from serq_simpy import Program, Report

EXAMPLES = """\b
Examples:
  serq run mm1.sq --horizon 10000 --warmup 1000
  serq run mm1.sq --horizon 10000 -- --rate 0.9
  serq run mm1.sq --horizon 10000 --seed 7 --json > report.json
  serq run mm1.sq --horizon 10000 --dump results
  serq run chat.sq --instance monday.inst --warmup 60

\b
Exit status: 0 done, 1 the program or its input is wrong or a session is stuck,
2 wrong usage, 130 interrupted.
"""


def run(
    path: str,
    settings: Settings,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    dump: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write samples and tables as CSV into this folder."),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Let --dump write beside files that are not its own."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    show_code: Annotated[
        bool,
        typer.Option("--show-code", help="Print the Python that the program becomes; run nothing."),
    ] = False,
) -> None:
    """Simulate a program and print its report."""
    program = load(path, settings)
    if show_code:
        put(program.source().rstrip())
        return
    if dump is not None:
        _check_folder(dump, program, overwrite)
    with Progress(program.ir.settings.horizon, shown=not quiet) as progress:
        report = serq_simpy.run(program, progress)
    failure = None if dump is None else _dump(report, dump, overwrite)
    put(report.json() if json else _text(report))
    if failure is not None:
        raise failure
    if any(pool.stuck for pool in report.pools):
        _tell_stuck(report)
        raise typer.Exit(1)


def _check_folder(folder: Path, program: Program, overwrite: bool) -> None:
    """Refuse a dump that cannot be made before anybody waits for the run."""
    from serq_simpy.report.dump import check_folder

    gauges = [gauge.name for gauge in program.ir.gauges]
    check_folder(folder, program.ir.observes, gauges, overwrite)


def _text(report: Report) -> str:
    from serq_simpy.report.text import text

    return text(report)


def _dump(report: Report, folder: Path, overwrite: bool) -> SerqError | None:
    """Write the report to files; the error if that fails, for after the report is printed."""
    from serq_simpy.report.dump import dump

    try:
        dump(report, folder, overwrite)
    except SerqError as error:
        return error
    return None


def _tell_stuck(report: Report) -> None:
    for pool in report.pools:
        if pool.stuck:
            complain(
                f"pool `{pool.name}`: {pool.stuck} session(s) stuck: preempted again and again "
                "without getting further\n"
                "help: give the pool more room, or let fewer sessions in at once"
            )
