"""What a program is made of, and what it takes, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serq_simpy.cli.programs import load
from serq_simpy.cli.settings import Settings
from serq_simpy.cli.streams import put
from serq_simpy.frontend.inputs import InputValue
from serq_simpy.ir import model

ARRIVALS = {
    model.Poisson: "poisson arrivals",
    model.Renewal: "renewal arrivals",
    model.Closed: "a closed population",
    model.Batch: "a batch at time 0",
    model.Sessions: "given sessions",
    model.NoArrivals: "no arrivals",
}


def list_inputs(path: str, settings: Settings) -> None:
    """Print the inputs of the program at `path` with their defaults and values."""
    program = load(path, settings.with_some_horizon())
    lines = list(input_lines(program.inputs))
    put("\n".join(lines) if lines else f"{path} has no inputs: nothing of `args.number`")


def input_lines(inputs: Sequence[InputValue]) -> Iterator[str]:
    """The inputs one a line, with the default and, where another was given, the value."""
    if not inputs:
        return
    width = max(len(given.name) for given in inputs)
    yield "inputs (-- --NAME VALUE):"
    for given in inputs:
        now = "" if given.value == given.default else f"   now {given.value:g}"
        yield f"  --{given.name:<{width}}  default {given.default:g}{now}"


def summary_lines(program: model.Program) -> Iterator[str]:
    """Pools, stages, workload and statements, a line each."""
    yield f"  pools       {_names(program.pools)}"
    yield f"  stages      {_names(program.stages)}"
    trace = f", sessions of {program.trace}" if program.trace else ""
    yield f"  workload    {ARRIVALS[type(program.arrival)]}{trace}"
    sides = [side for block in program.sides for side in block]
    yield f"  statements  {sides.count('Workload')} workload, {sides.count('Server')} server"
    if program.observes:
        yield f"  observes    {', '.join(program.observes)}"
    if program.gauges:
        yield f"  gauges      {', '.join(gauge.name for gauge in program.gauges)}"


def _names(members: Sequence[model.Pool] | Sequence[model.Stage]) -> str:
    """Every name once, with the size of its family."""
    sizes: dict[str, int] = {}
    for member in members:
        sizes[member.name] = 0 if member.index is None else member.index + 1
    return ", ".join(f"{name}[{n}]" if n else name for name, n in sizes.items()) or "none"
