"""The command and its subcommands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from serq_simpy._version import VERSION
from serq_simpy.cli import check, ir, run
from serq_simpy.cli.command import add
from serq_simpy.cli.streams import put

EXAMPLES = """\b
Examples:
  serq run mm1.sq --horizon 10000 --warmup 1000
  serq check mm1.sq
  serq run --help
"""

app = typer.Typer(
    epilog=EXAMPLES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        put(f"serq {VERSION}")
        raise typer.Exit


@app.callback()
def serq(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Simulate LLM serving: programs of queues, memory and sessions."""


add(app, run.run, run.EXAMPLES)
add(app, check.check, check.EXAMPLES)
add(app, ir.ir, ir.EXAMPLES)
