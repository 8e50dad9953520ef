"""Statements that stand where they may not, and what they say that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.checks_holds import enclosing_holds, not_an_amount, preempting_pool
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.printing import value_text
from serq_simpy.ir.walk import Site

_LEG = "a leg is a part of the request beside it, and the session turns, ends, forks and joins"
_SHARED = (
    "is held with another stage by one run, so its capacity is shared: it must be `ps(φ)` with a "
    "constant φ above 0"
)
_TIME = "a `run`, a `hold` whose body does, or `end` on every path"


def check_statements(subject: Subject) -> None:
    """Report statements out of place, guards, amounts and loops that cannot be."""
    _check_share(subject)
    for site in subject.statements:
        for rule, problems in _RULES.items():
            for message in problems(subject, site):
                named = rule not in _SAID_BARE
                subject.findings.statement(site, message, rule=rule, named=named)
    _check_legs(subject)


def _workload_block(subject: Subject, site: Site) -> Iterator[str]:
    if site.root == ir.SESSION:
        return
    if isinstance(site.statement, ir.Turn):
        yield "a `turn` belongs to the session, which decides on its turns"
    elif not isinstance(site.statement, ir.Set | ir.Observe):
        yield "workload blocks may only `set` and `observe`"


def _side(subject: Subject, site: Site) -> Iterator[str]:
    """What the server does is all the server's, and `init` and `turn` all the workload's."""
    server = subject.side(site) == "Server"
    if site.root != ir.SESSION:
        if server:
            yield "init and turn belong to the workload"
        return
    if site.enclosing and not server:
        inside = site.enclosing[-1][0]
        if subject.program.sides[inside.block][inside.index] == "Server":
            yield "a server body cannot contain workload statements"
    if isinstance(site.statement, ir.Turn) and server:
        yield (
            "`turn` is the session's: the next turn is the workload's decision, not the server's"
        )


def _leg_statement(subject: Subject, site: Site) -> Iterator[str]:
    in_leg = any(isinstance(statement, ir.Fork) for _, statement in site.enclosing)
    if in_leg and isinstance(site.statement, ir.Turn | ir.End | ir.Fork | ir.Join):
        word = type(site.statement).__name__.lower()
        yield f"a `fork`'s leg may not `{word}`: {_LEG}"


def _fork_in_hold(subject: Subject, site: Site) -> Iterator[str]:
    if not isinstance(site.statement, ir.Fork):
        return
    for hold in enclosing_holds(site):
        pool = preempting_pool(subject, hold)
        if pool is not None:
            again = "the hold runs again from its start and forks a second leg"
            where = f"inside a hold of `{pool}`, which may preempt it"
            yield f"`fork` {where}: {again}; fork before the hold"
            return


# ------------------------------------------------------------------- guards


def _branch_test(subject: Subject, site: Site) -> Iterator[str]:
    """A test that folds to a constant is 0 or 1."""
    if not isinstance(site.statement, ir.Branch):
        return
    value = constant(site.statement.test)
    if value is None or value in (0, 1):
        return
    message = f"`{subject.printer.statement(site.statement)}` is not a test: a guard is 0 or 1"
    if 0 < value < 1:
        probability = "and a constant strictly between them is a probability"
        yield f"{message}, {probability}. Write `branch with ({value_text(value)})`."
    else:
        yield f"{message}."


def _while_test(subject: Subject, site: Site) -> Iterator[str]:
    """A guard that folds to a constant is 0 or 1."""
    if not isinstance(site.statement, ir.While):
        return
    value = constant(site.statement.test)
    if value is not None and value not in (0, 1):
        text = subject.printer.statement(site.statement)
        mend = "write `~bernoulli(p)` for a continuation probability"
        yield f"`{text}`: the guard is not 0 or 1; {mend}"


# ------------------------------------------------------------------ amounts


def _amount(subject: Subject, site: Site) -> Iterator[str]:
    """A constant work, growth or load is a number and not negative."""
    match site.statement:
        case ir.Run(stage):
            head, value = f"run {subject.printer.reference(stage)}", site.statement.work
        case ir.Grow(pool, value):
            head = f"grow {subject.printer.reference(pool)}"
        case ir.Load(pool, value):
            head = f"load {subject.printer.reference(pool)}"
        case _:
            return
    amount = constant(value)
    if amount is not None and not amount >= 0:
        yield not_an_amount(head, amount)


# -------------------------------------------------------------------- loops


def _loop(subject: Subject, site: Site) -> Iterator[str]:
    """A pass through a loop's body lets time pass, or it would never end."""
    match site.statement:
        case ir.Loop(body):
            word = "loop"
        case ir.While(_, body):
            word = "while"
        case _:
            return
    if not _passes_time(subject.program, body):
        rule = "must let time pass on every pass through its body"
        yield f"a `{word}` {rule}: {_TIME}"


def _passes_time(program: ir.Program, block: int) -> bool:
    for statement in program.blocks[block]:  # noqa: SIM110 - a plain loop may nest deeply
        if _statement_passes_time(program, statement):
            return True
    return False


def _statement_passes_time(program: ir.Program, statement: ir.Statement) -> bool:
    match statement:
        case ir.Run():
            return constant(statement.work) != 0
        case ir.Hold():
            return _passes_time(program, statement.body)
        case ir.Branch(_, yes, no):
            return _passes_time(program, yes) and _passes_time(program, no)
        case ir.Loop(body):
            return _passes_time(program, body)
        case ir.End():
            return True
        case _:
            return False


# --------------------------------------------------------------------- runs


def _run(subject: Subject, site: Site) -> Iterator[str]:
    run = site.statement
    if not isinstance(run, ir.Run):
        return
    is_engine = subject.is_engine(run.stage) and not run.also
    if (run.mode != "Plain") != is_engine:
        yield "`prefill`/`decode` are required on an engine and not allowed on another stage"
    elif run.growing is not None and not is_engine:
        yield "`growing` needs an engine"


def _flow(subject: Subject, site: Site) -> Iterator[str]:
    """A run over several stages: each once, all with a capacity to share."""
    run = site.statement
    if not isinstance(run, ir.Run) or not run.also:
        return
    families: set[int] = set()
    for stage in (run.stage, *run.also):
        name = subject.printer.stage(stage.base)
        if stage.base in families:
            yield f"stage `{name}` is named twice in one run"
        elif not all(_can_share(member.kind) for member in _members(subject.program, stage)):
            yield f"stage `{name}` {_SHARED}"
        families.add(stage.base)


def _members(program: ir.Program, ref: ir.StageRef) -> tuple[ir.Stage, ...]:
    return program.stages[ref.base : ref.base + ref.count]


def _can_share(kind: ir.Fifo | ir.Ps | ir.Step) -> bool:
    if not isinstance(kind, ir.Ps) or not isinstance(kind.capacity, ir.Num):
        return False
    return kind.capacity.value > 0


_RULES: dict[str, Callable[[Subject, Site], Iterator[str]]] = {
    "place": _workload_block,
    "side": _side,
    "leg": _leg_statement,
    "fork": _fork_in_hold,
    "test": _branch_test,
    "guard": _while_test,
    "amount": _amount,
    "loop": _loop,
    "run": _run,
    "flow": _flow,
}
_SAID_BARE = frozenset(("test", "flow"))
"""The rules whose messages name no root block: they speak of the program's text alone."""


# -------------------------------------------------------- the program as a whole


def _check_legs(subject: Subject) -> None:
    forks = [site for site in subject.session if isinstance(site.statement, ir.Fork)]
    joins = [site for site in subject.session if isinstance(site.statement, ir.Join)]
    if forks and not joins:
        message = (
            "a program that forks a leg and never joins: a session may not end while its leg runs"
        )
        subject.findings.statement(forks[0], message, rule="legs")
    if joins and not forks:
        message = "a `join` in a program that forks no leg waits for nothing"
        subject.findings.statement(joins[0], message, rule="legs")


def _check_share(subject: Subject) -> None:
    flows = [
        site
        for site in subject.session
        if isinstance(site.statement, ir.Run) and site.statement.also
    ]
    if subject.program.share is not None and not flows:
        subject.findings.share("`share` without a run over several stages")
    if subject.program.share is None and flows:
        words = "(`share maxmin;` or `share bottleneck;`)"
        message = f"a run over several stages needs the program's `share` {words}"
        subject.findings.statement(flows[0], message, rule="share", named=False)
