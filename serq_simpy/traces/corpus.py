"""The trace of a program, as a run replays it."""

from __future__ import annotations

from pathlib import Path

import serq_simpy.ir.model as ir
from serq_simpy.traces.reading import read_trace


def read_corpus(program: ir.Program, folder: Path | None) -> list[list[ir.Presets]] | None:
    """The sessions of the program's trace: for every turn the slots and what they get.

    None for a program without a trace. A relative path is relative to `folder`, of a
    program given as text (None) to the current directory. Raises TraceError.
    """
    if program.trace is None:
        return None
    path = Path(program.trace) if folder is None else folder / program.trace
    return [
        [
            ((ir.NEW, new), (ir.OUT, out), (ir.THINK, think), (ir.FORCED, forced))
            for new, out, think, forced in session
        ]
        for session in read_trace(path)
    ]
