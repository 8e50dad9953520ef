"""What a run says when the program breaks a rule while it runs."""

from __future__ import annotations

from math import floor, inf, isnan
from typing import TYPE_CHECKING, NoReturn, TypeVar

from serq_simpy.errors import Diagnostic, RunError
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import Printer, value_text
from serq_simpy.ir.spans import Spans
from serq_simpy.processes.leg import Leg
from serq_simpy.resources.hold import Hold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serq_simpy.clock import Clock
    from serq_simpy.engines.engine import Timeless
    from serq_simpy.resources.customer import Customer
    from serq_simpy.resources.hold import Allocation
    from serq_simpy.resources.pool import Pool

Member = TypeVar("Member")

Place = tuple[int, int]
"""A statement: its block and its number there."""


class Faults:
    """Makes the errors of one program's runs: with the statement, the session and the time."""

    def __init__(self, program: ir.Program, spans: Spans, clock: Clock) -> None:
        self._program = program
        self._clock = clock
        self._spans = spans
        self._printer = Printer(program)

    def error(
        self, customer: Customer, place: Place | None, message: str, help: str | None = None
    ) -> RunError:
        """The error of a customer at a statement, where that is known."""
        span = None if place is None else self._spans.statements.get(place)
        where = "" if span or place is None else f"block {place[0]}, statement {place[1]}: "
        now = value_text(customer.env.now)
        notes = (f"session {customer.serial}, at time {now}",)
        return RunError(Diagnostic(where + message, span, help, notes))

    def grow_outside(self, customer: Customer, block: int, index: int, pool: Pool) -> RunError:
        """A `grow` where no open hold has units of the pool any more."""
        return self.error(
            customer,
            (block, index),
            f"grow outside a hold of pool `{pool.name}`",
            "its units were given back by a `release` before",
        )

    def load_outside(self, customer: Customer, block: int, index: int, pool: Pool) -> RunError:
        """A `load` where no open hold has units of the pool any more."""
        return self.error(
            customer,
            (block, index),
            f"load outside a hold of pool `{pool.name}`",
            "its units were given back by a `release` before",
        )

    def load_over(
        self,
        customer: Customer,
        block: int,
        index: int,
        allocation: Allocation,
        amount: float,
    ) -> RunError:
        """A `load` beyond what is allocated."""
        pool = allocation.pool.name
        return self.error(
            customer,
            (block, index),
            f"`load {pool} ({value_text(amount)})`: the hold has {value_text(allocation.units)} "
            f"allocated and {value_text(allocation.position)} computed; a load must fit the "
            "allocation (grow first)",
        )

    def leaves_legs(self, session: Customer) -> RunError:
        """A session that ends while a leg of it runs."""
        now = value_text(self._clock.now)
        return self.error(
            session,
            None,
            f"session {session.serial} ends at t = {now} while a leg it forked runs",
            "wait for its legs before the end: `join;`",
        )

    def deadlock(self, waiting: Sequence[Customer]) -> RunError:
        """Sessions and legs that wait for each other when the run ends."""
        what = "; ".join(_waits_at(customer) for customer in waiting)
        message = (
            f"the run ends with sessions that wait for each other: {what}. A leg waits for "
            "units that are held until its session goes on, and the session waits for the leg"
        )
        help = "let the session join outside the hold, or give the lease a finite time"
        return RunError(Diagnostic(message, None, help))

    def _statement(self, place: Place) -> str:
        block, index = place
        return self._printer.statement(self._program.blocks[block][index])

    def member(
        self,
        family: Sequence[Member],
        index: float,
        text: str,
        customer: Customer | None = None,
        block: int = 0,
        number: int = 0,
    ) -> Member:
        """The member of a family that an index names; `text` is the index as written."""
        if 0.0 <= index < len(family) and index == floor(index):
            return family[int(index)]
        message = (
            f"index `{text}` is {value_text(index)}: a member of an array of {len(family)} is "
            f"0 to {len(family) - 1}"
        )
        if customer is None:
            raise RunError(message)
        raise self.error(customer, (block, number), message)

    def wrong_amount(self, customer: Customer, block: int, index: int, value: float) -> NoReturn:
        """An amount that is negative or NaN."""
        raise self.error(
            customer,
            (block, index),
            f"`{self._statement((block, index))}`: the amount is {value_text(value)}, not a number "
            "of units, tokens or seconds",
            "bound it from below: `max(0, …)`" if value < 0.0 else None,
        )

    def wrong_guard(self, customer: Customer, block: int, index: int, value: float) -> NoReturn:
        """A guard that is neither 0 nor 1."""
        statement = self._program.blocks[block][index]
        branch = isinstance(statement, ir.Branch)
        raise self.error(
            customer,
            (block, index),
            f"`{self._statement((block, index))}`: the guard is {value_text(value)}, not 0 or 1"
            + ("; a draw is written `branch with (p)`" if branch else ""),
            "compare it with something, as in `(x > 0)`",
        )

    def wrong_test(self, stage: int, where: str, value: float) -> NoReturn:
        """A guard of an engine's schedule that is neither 0 nor 1."""
        raise self._engine_error(
            stage,
            f"`{where}` in its `schedule` read {value_text(value)}, not 0 or 1",
            "compare it with something, as in `(x > 0)`",
        )

    def timeless(self, error: Timeless) -> RunError:
        """An iteration with tokens that would not last a positive time."""
        return self._engine_error(
            error.engine.order,
            f"its `execute` is {value_text(error.duration)} for an iteration of "
            f"{value_text(error.tokens)} tokens; an iteration that schedules tokens lasts a "
            "positive time",
        )

    def _engine_error(self, stage: int, message: str, help: str | None = None) -> RunError:
        """The error of an engine, at its declaration."""
        engine = self._program.stages[stage].name
        notes = (f"at time {value_text(self._clock.now)}",)
        span = self._spans.stages.get(stage)
        return RunError(Diagnostic(f"engine `{engine}`: {message}", span, help, notes))

    def choices(self, customer: Customer, block: int, index: int, value: float) -> int:
        """The number of candidates of a `choose`: rounded down, none below 1."""
        if isnan(value) or value in (inf, -inf):
            raise self.error(
                customer,
                (block, index),
                f"`{self._statement((block, index))}`: the number of candidates is "
                f"{value_text(value)}, not a whole number",
            )
        return max(0, floor(value))

    def different_members(
        self, block: int, index: int
    ) -> Callable[[Customer, Sequence[Pool]], None]:
        """The check that a hold's indices name different members, when it is reached."""
        hold = self._program.blocks[block][index]
        assert isinstance(hold, ir.Hold)
        names = [self._printer.reference(asked.pool) for asked in hold.pools]

        def check(customer: Customer, pools: Sequence[Pool]) -> None:
            for later, pool in enumerate(pools):
                if pool in pools[:later]:
                    first = names[pools.index(pool)]
                    raise self.error(
                        customer,
                        (block, index),
                        f"`{first}` and `{names[later]}` name the same member, "
                        f"`{pool.name}[{pool.index}]`: a hold takes each pool once",
                    )

        return check

    def unsettled(self, customer: Customer, times: int) -> RunError:
        """A customer that becomes ready for ever at one instant."""
        now = value_text(customer.env.now)
        return self.error(
            customer,
            None,
            f"the instant t = {now} does not settle: session {customer.serial} became ready "
            f"{times} times without time passing (a `run` of zero work, or a `hold` admitted and "
            "released, inside a loop)",
        )


def _waits_at(customer: Customer) -> str:
    leg = "a leg of " if isinstance(customer, Leg) else ""
    target = customer._target
    where = "a `join`"
    if isinstance(target, Hold):
        pool = target.pools[0]
        where = f"`{pool.name}`" if pool.index is None else f"`{pool.name}[{pool.index}]`"
    return f"{leg}session {customer.serial} waits at {where}"
