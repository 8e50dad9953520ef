"""What the check of moments says, where a moment has its own reason to refuse a value."""

from __future__ import annotations

from serq_simpy.ir import model as ir
from serq_simpy.ir.moments import Moment

_SAMPLE_FIRST = "sample into an attribute first"
_EVENT = "an engine whose `schedule` schedules nothing waits for an event, and the clock moving"

DRAW = {
    Moment.HEADER: "{clause} may not draw; " + _SAMPLE_FIRST,
    Moment.QUEUE_KEY: "a queue key may not draw; " + _SAMPLE_FIRST,
    Moment.PREEMPT_KEY: "a preempt key may not draw (`~`): it is read for every candidate at every "
    "growth that does not fit; " + _SAMPLE_FIRST,
    Moment.ONLY: "an `only` may not draw (`~`): it is read for every resident at every iteration",
    Moment.SERVE_KEY: "an `advance running by (…)` key may not draw (`~`): it is read for every "
    "resident at every iteration, and the order would change under the scheduler's feet",
    Moment.SCHEDULE: "{clause} may not draw (`~`): it is read at every iteration",
    Moment.GAUGE: "a gauge may not draw (`~`): it reads the state, and a draw would move the "
    "run's streams",
}
DRAW |= dict.fromkeys(
    (Moment.ITERATION, Moment.END, Moment.GIVEN),
    "a claim may not draw (`~`): it reads and does not act, and a draw would move the run's "
    "streams",
)

NOW = {
    Moment.ONLY: "an `only` may not read `now` or `work(…)`: an engine whose requests it all "
    "excludes waits for the next event, and time passing is not one",
    Moment.SCHEDULE: "{clause} may not read `now` or `work(…)`: " + _EVENT + " is none",
    Moment.GAUGE: "a gauge may not read `now`: it changes between events, and a gauge is held "
    "constant between them",
    Moment.GIVEN: "a claim's `given` may not read `now`: it is a condition on one session's "
    "attributes",
}

NO_SESSION = {
    Moment.CAPACITY: "a ps stage's capacity has no session",
    Moment.BUDGET: "an engine's `tokens cap` or `each at most` has no session",
    Moment.EXECUTE: "an engine's `execute` has no session",
    Moment.SCHEDULE: "an engine's `schedule` has no session",
    Moment.GAUGE: "a gauge has no session",
    Moment.ITERATION: "a claim over iterations reads the engine, not a session",
    Moment.END: "a claim `at end` reads the run, not a session",
}

FUNCTION: dict[tuple[Moment, str | None], str] = {
    (Moment.ONLY, "Work"): NOW[Moment.ONLY],
    (Moment.SCHEDULE, "Work"): NOW[Moment.SCHEDULE],
    (Moment.PREEMPT_KEY, "BudgetLeft"): "a preempt key may not read `budget_left(…)`: a victim is "
    "chosen while the iteration that would answer it is being planned",
    (Moment.BUDGET, "BudgetLeft"): "an engine's `tokens cap` or `each at most` may not read "
    "`budget_left(…)`: budget_left plans an iteration from a `tokens cap`, so a `tokens cap` that "
    "reads it can read itself",
    (Moment.GAUGE, "Work"): "a gauge may not read `work(…)`: the work left drains between events, "
    "and a gauge is held constant between them",
    (Moment.GAUGE, "CachedIn"): "`cachedin` is the session's own cached prefix, and a gauge has no "
    "session",
    (Moment.GAUGE, "BudgetLeft"): "a gauge may not read `budget_left(…)`: it plans the next "
    "iteration, which evaluates the engine's `tokens cap` and may draw",
    (Moment.ITERATION, None): "a claim over iterations may not read `{function}(…)`: it reads the "
    "deployment as the iteration starts through `queue`, `busy`, `used`, `free`, `holders` and "
    "`queued` (`work` drains between events, `budget_left` plans an iteration, `cachedin` is a "
    "session's)",
    (Moment.END, None): "`{function}(…)` reads the deployment's state, and a claim `at end` reads "
    "the constants, `now` and the aggregates of the observations",
    (Moment.GIVEN, None): "`{function}(…)` reads the deployment's state, and a claim's `given` "
    "reads the session's attributes and the constants",
}
"""By moment and function; None is any function the moment refuses."""

PREEMPT_KEY_COMPUTED = (
    "a preempt key reads `computed`, the position at the session's last preemption (0 for one "
    "never preempted); a preempt key reads `position`, where the candidate is now"
)

REGISTER_APART = (
    "`{register}` is engine `{engine}`'s register, and {clause} would read it apart from "
    "`{engine}`'s iteration, in an order the declarations would decide; a register is read by its "
    "engine, the keys of a pool it admits, the header of a hold whose first pool (where it waits) "
    "it admits, a gauge or a claim"
)


def stage_kind(kind: ir.Fifo | ir.Ps | ir.Step) -> str:
    """The word for a stage's kind."""
    match kind:
        case ir.Fifo():
            return "fifo"
        case ir.Ps(ir.Ctx("N")):
            return "delay"
        case ir.Ps():
            return "ps"
        case ir.Step():
            return "step"
