"""How a function becomes a command on a program.

Every such command takes the program, the same settings in the same words, and
the program's inputs after `--`. They are declared here once; a command declares
what is its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from serq_simpy.cli.listing import list_inputs
from serq_simpy.cli.settings import Settings, gather
from serq_simpy.errors import Diagnostic, UsageError

Program = Annotated[
    str,
    typer.Argument(
        metavar="PROGRAM", help="A program, an IR as JSON, or - for either on standard input."
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- --NAME VALUE ...]", help="Inputs of the program; `-- --help` lists them."
    ),
]


OPTIONS: dict[str, Any] = {
    "horizon": Annotated[
        list[float] | None, typer.Option(metavar="T", help="The time at which the run ends.")
    ],
    "warmup": Annotated[
        list[float] | None,
        typer.Option(metavar="T", help="The time before which nothing is measured; else 0."),
    ],
    "seed": Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", min=0, max=2**64 - 1, help="The seed of the random streams; else 1."
        ),
    ],
    "arrivals": Annotated[
        list[int] | None,
        typer.Option(metavar="N", min=1, help="End when N sessions have come and all have ended."),
    ],
    "trace": Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Replay the sessions of this CSV file.")
    ],
    "set_": Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Give an input of the program a value."),
    ],
    "def_": Annotated[
        list[str] | None,
        typer.Option("--def", metavar="NAME=BODY", help="Replace the body of a definition."),
    ],
    "instance": Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Take inputs and settings from a file.")
    ],
}
"""The options that make up the settings, by the parameter's name. Each may be given
again: the last one counts."""

ORDER = "serq_simpy.order"


class OrderedCommand(TyperCommand):
    """A command that remembers in which order its options stood."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except Exception as error:
            option = getattr(error, "option_name", None)
            if option is None or not hasattr(error, "possibilities"):
                raise
            raise _unknown(
                option, getattr(error, "possibilities", None) or (), ctx.command_path
            ) from None
        ctx.meta[ORDER] = [parameter.name for parameter in order]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", "PROGRAM", "[-- --NAME VALUE ...]"]


def _unknown(option: str, nearest: Sequence[str], command: str) -> UsageError:
    meant = f"did you mean {' or '.join(nearest)}? " if nearest else ""
    mend = f"{meant}`{command} --help` lists the options; an input of the program goes after `--`"
    return UsageError(Diagnostic(f"no such option: {option}", help=mend))


def _in_order(ctx: typer.Context) -> Iterator[tuple[str, Any]]:
    """The options given, each with its value, as they stood on the command line."""
    values = {name: iter(ctx.params[name] or ()) for name in OPTIONS}
    for name in ctx.meta[ORDER]:
        if name in values:
            yield name, next(values[name])


def add(app: typer.Typer, body: Callable[..., None], examples: str) -> None:
    """Add a command to `app`: `body(program, settings, **its own options)`."""
    own = list(inspect.signature(body, eval_str=True).parameters.values())[2:]

    def command(ctx: typer.Context, program: str, inputs: list[str] | None, **options: Any) -> None:
        given = _in_order(ctx)
        if inputs and inputs[-1] in ("--help", "-h"):
            list_inputs(program, gather(given, inputs[:-1]))
        else:
            settings: Settings = gather(given, inputs or ())
            body(program, settings, **{p.name: options[p.name] for p in own})

    command.__signature__ = _signature(own)  # type: ignore[attr-defined]
    command.__annotations__ = {}
    app.command(body.__name__, cls=OrderedCommand, help=body.__doc__, epilog=examples)(command)


def _signature(own: list[inspect.Parameter]) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [
            inspect.Parameter("ctx", keyword, annotation=typer.Context),
            inspect.Parameter("program", keyword, annotation=Program),
            inspect.Parameter("inputs", keyword, annotation=Inputs, default=None),
            *(
                inspect.Parameter(name, keyword, annotation=annotation, default=None)
                for name, annotation in OPTIONS.items()
            ),
            *(p.replace(kind=keyword) for p in own),
        ]
    )
