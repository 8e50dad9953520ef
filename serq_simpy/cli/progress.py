"""How far a run is, on a terminal, once it has taken a while."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 1.0
"""Seconds before anything is shown."""
INTERVAL = 0.1
"""Seconds between two looks of the bar."""


class Progress:
    """Called with the simulated time, shows it against the horizon and the time left.

    Nothing is shown in the first second, nor where standard error is no terminal.
    """

    def __init__(self, horizon: float, shown: bool) -> None:
        self._horizon = horizon
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._next = monotonic() + PATIENCE
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, now: float) -> None:
        """The run has reached the simulated time `now`."""
        if not self._shown or monotonic() < self._next:
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = _bar(self._horizon)
        self._bar.update(self._task, completed=now, refresh=True)
        self._next = monotonic() + INTERVAL


def _bar(horizon: float) -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    form = ",.0f" if 10 <= horizon < 1e12 else ".3g"
    bar = Bar(
        TextColumn(f"time {{task.completed:{form}}} of {{task.total:{form}}}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    bar.start()
    return bar, bar.add_task("", total=horizon)
