"""Decodes whose progress is counted for all of them together.

In a batch that has room for every decode, each gains a token an iteration: how far one is,
when its allocation needs a block and when it ends are functions of the iteration's
number. So nothing is done for it in between. That is exact while its numbers are whole,
which is asked of it, and while the order among decodes does not matter, which whoever
forms the iteration sees to; else the group is dissolved, and every run stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_simpy.engines.run import EngineRun
    from serq_simpy.resources.pool import Pool

_Due = dict[int, list["EngineRun"]]


class SteadyDecodes:
    """A group of decodes that had a token in the latest iteration and have one in the next.

    `count` is how many they are; `started` and `committed` tell the iterations that gave
    them tokens, and differ while one is running. `held` is what the group has of the
    engine's memory, `last_time` when it had its latest tokens.

    A run that grows in a memory without blocks does so for every token from some iteration
    on: it `creeps`, and its units too are a function of the iterations since.
    """

    __slots__ = (
        "_creeping",
        "_crept",
        "_ending",
        "_growing",
        "_since",
        "committed",
        "count",
        "held",
        "last_time",
        "started",
    )

    def __init__(self) -> None:
        self._since: dict[EngineRun, int] = {}
        self.count = 0
        self.started = 0
        self.committed = 0
        self.held = 0.0
        self.last_time = 0.0
        self._ending: _Due = {}
        self._growing: _Due = {}
        self._creeping: dict[EngineRun, int] = {}
        self._crept = 0

    # ------------------------------------------------------ joining, leaving

    def add(self, run: EngineRun, held: float) -> None:
        """Count for a run from the next iteration on; `held` is what it has of the memory."""
        self._since[run] = self.started
        self.count += 1
        run.steady = True
        self.held += held
        self._ending.setdefault(self.started + int(run.remaining) - 1, []).append(run)
        allocation = run.allocation
        if allocation is not None:
            room = int(allocation.units - allocation.position)
            if room < run.remaining:
                self._grow_in(self.started + max(0, room), [run])

    def remove(self, run: EngineRun) -> None:
        """Let a run stand alone again, with its own figures up to now."""
        self._bring_up_to_date(run, self._since.pop(run))
        self.count -= 1

    def dissolve(self) -> list[EngineRun]:
        """Let all runs stand alone; the runs."""
        runs = list(self._since)
        for run, since in self._since.items():
            self._bring_up_to_date(run, since)
        self._since.clear()
        self._ending.clear()
        self._growing.clear()
        self.count = 0
        self.held = 0.0
        return runs

    def _bring_up_to_date(self, run: EngineRun, since: int) -> None:
        run.steady = False
        if run.allocation is not None:
            run.allocation.position += self.started - since
            if run in self._creeping:
                run.allocation.units += self._crept - self._creeping.pop(run)
        tokens = self.committed - since
        if tokens:
            run.remaining -= tokens
            run.customer.turn_tokens.further += tokens
            run.last_token.time = self.last_time

    def remaining(self, run: EngineRun) -> float:
        """The tokens that a run of the group has left."""
        return run.remaining - (self.committed - self._since[run])

    # ------------------------------------------------------------ iterations

    def undisturbed(self) -> bool:
        """Whether the next iteration's token makes no run of the group grow or end."""
        number = self.started
        return not (self._creeping or number in self._ending or number in self._growing)

    def ending(self) -> list[EngineRun]:
        """The runs whose last token the next iteration gives."""
        due = self._ending.pop(self.started, None)
        return [run for run in due if run.steady] if due else []

    def growing(self, memory: Pool | None) -> list[EngineRun]:
        """The runs that must grow for the next iteration's token, but for those that creep."""
        due = self._growing.pop(self.started, None)
        if not due:
            return []
        runs = [run for run in due if run.steady]
        if memory is not None and memory.block is None:
            self._creeping.update(dict.fromkeys(runs, self._crept))
            return []
        return runs

    @property
    def creeping(self) -> int:
        """How many runs grow by a unit for every token."""
        return len(self._creeping)

    def grow(self, memory: Pool, runs: list[EngineRun]) -> None:
        """Let `runs` have a block each, and those that creep a unit; all of it fits."""
        units = float(self.creeping)
        if units:
            self._crept += 1
        if runs:
            block = memory.block
            assert block is not None
            units += len(runs) * block
            for run in runs:
                run.allocation.units += block  # type: ignore[union-attr]
            self._grow_in(self.started + int(block), runs)
        memory.enlarge_holds(units)
        self.held += units

    def _grow_in(self, iteration: int, runs: list[EngineRun]) -> None:
        due = self._growing.get(iteration)
        if due is None:
            self._growing[iteration] = runs
        else:
            due += runs


def is_whole(run: EngineRun, memory: Pool | None, held: float) -> bool:
    """Whether a decode may be counted steadily: it grows in the memory alone, by whole numbers."""
    if not run.remaining.is_integer() or not held.is_integer():
        return False
    allocation = run.allocation
    if allocation is None:
        return True
    return (
        allocation.pool is memory
        and allocation.position.is_integer()
        and allocation.units.is_integer()
        and (memory.block is None or memory.block.is_integer())
    )
