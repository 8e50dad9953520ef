"""Each value is read only where it exists: the table of moments, applied."""

from __future__ import annotations

from collections.abc import Iterator

from serq_simpy.ir import model as ir
from serq_simpy.ir.arithmetic import constant
from serq_simpy.ir.declared import Clause, pool_clauses, stage_clauses
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.moments import (
    AGGREGATES_AT,
    ATTRIBUTES_AT,
    CONTEXT_AT,
    DRAWS_AT,
    ENGINE_CLAUSES,
    FUNCTIONS_AT,
    HIDDEN_AT,
    REGISTERS_AT,
    Moment,
    places_of,
)
from serq_simpy.ir.printing import Printer
from serq_simpy.ir.reads_text import (
    DRAW,
    FUNCTION,
    NO_SESSION,
    NOW,
    PREEMPT_KEY_COMPUTED,
    REGISTER_APART,
    stage_kind,
)
from serq_simpy.ir.vocabulary import AGGREGATE_WORDS, CONTEXT_WORDS, FUNCTION_WORDS, OBSERVABLES
from serq_simpy.ir.walk import Part, Reading, Site, indices, nodes, readings

_FIXED_INDEX = frozenset((Moment.GAUGE, Moment.ITERATION))
_OF_ONE_ENGINE = frozenset(
    (
        Moment.HEADER,
        Moment.QUEUE_KEY,
        Moment.EVICTION,
        Moment.PREEMPT_KEY,
        Moment.CAPACITY,
        Moment.BUDGET,
        Moment.ONLY,
        Moment.SERVE_KEY,
        Moment.SCHEDULE,
        Moment.EXECUTE,
        Moment.ITERATION,
    )
)
"""The moments that are an engine's: its clauses, and those of what it admits."""

_ROLES = {"units": "a hold's units", "reserve": "a hold's `reserve`", "reuse": "a hold's `reuse`"}


class _Reader:
    """What may not be read in the expressions of one place.

    `clause` is how messages call that place where a rule speaks of it, `engine`
    the engine that reads there or admits the pool that does, if one.
    """

    def __init__(self, subject: Subject, moment: Moment, clause: str, engine: int | None) -> None:
        self._program = subject.program
        self._hidden = subject.hidden
        self._printer: Printer = subject.printer
        self._moment = moment
        self._clause = clause
        self._engine = engine

    def wrong(self, expr: Part) -> Iterator[str]:
        """What is wrong with the values an expression reads, in text order."""
        for node in nodes(expr):
            match node:
                case ir.Ctx(variable):
                    yield from self._context(variable)
                case ir.Attr(slot):
                    yield from self._attribute(slot)
                case ir.Sample() if self._moment not in DRAWS_AT:
                    yield DRAW[self._moment].format(clause=self._clause)
                case ir.Call(function, args) if function in OBSERVABLES:
                    yield from self._observable(function, args)
                case ir.Agg(aggregate):
                    yield from self._aggregate(aggregate)
                case ir.Reg(register):
                    yield from self._register(register)
                case ir.PoolRef() | ir.StageRef() if self._moment in _FIXED_INDEX:
                    yield from self._index(node)

    def _context(self, variable: str) -> Iterator[str]:
        if self._moment in CONTEXT_AT[variable]:
            return
        if variable == "Now":
            yield NOW[self._moment].format(clause=self._clause)
        else:
            word, here = CONTEXT_WORDS[variable], self._moment.place
            yield f"`{word}` is read in {here}, but it exists only in {places_of(variable)}"

    def _attribute(self, slot: int) -> Iterator[str]:
        name = self._printer.attribute(slot)
        if self._moment not in ATTRIBUTES_AT:
            yield f"`{name}` is a session attribute, and {NO_SESSION[self._moment]}"
        elif slot in self._hidden and self._moment not in HIDDEN_AT:
            yield f"`{name}` is hidden from the scheduler, but is read in {self._moment.place}"
        elif slot == ir.COMPUTED and self._moment is Moment.PREEMPT_KEY:
            yield PREEMPT_KEY_COMPUTED

    def _observable(self, function: str, args: tuple[Part, ...]) -> Iterator[str]:
        stage = args[0]
        if function == "BudgetLeft" and isinstance(stage, ir.StageRef):
            kind = self._program.stages[stage.base].kind
            own = self._engine is not None and stage.base == self._engine
            if not isinstance(kind, ir.Step):
                name, what = self._printer.stage(stage.base), stage_kind(kind)
                shown = self._printer.reference(stage)
                only = "only an engine has a token budget (`tokens cap`)"
                yield f"`budget_left({shown})`: `{name}` is a {what} stage; {only}"
            elif self._moment is Moment.SCHEDULE and own:
                plan = "it plans an iteration, and the schedule is the plan"
                yield f"{self._clause} may not read this engine's `budget_left(…)`: {plan}"
        if self._moment not in FUNCTIONS_AT[function]:
            yield self._refused(function)

    def _refused(self, function: str) -> str:
        word = FUNCTION_WORDS[function]
        special = FUNCTION.get((self._moment, function))
        message = special if special is not None else FUNCTION[self._moment, None]
        return message.format(function=word, clause=self._clause)

    def _aggregate(self, aggregate: str) -> Iterator[str]:
        if self._moment not in AGGREGATES_AT:
            what = "aggregates the run's observations and is read only by a claim `at end`"
            here = self._moment.place
            yield f"`{AGGREGATE_WORDS[aggregate]}(…)` {what}, but is read in {here}"

    def _register(self, number: int) -> Iterator[str]:
        register = self._program.registers[number]
        if self._moment in _OF_ONE_ENGINE:
            if register.stage != self._engine:
                engine = self._printer.stage(register.stage)
                yield REGISTER_APART.format(
                    register=register.name, engine=engine, clause=self._reader()
                )
        elif self._moment not in REGISTERS_AT:
            what = "is an engine's register (`state`), which its schedule reads"
            yield f"`{register.name}` {what}; it is read in {self._moment.place}"

    def _reader(self) -> str:
        """Who reads there, as a message names it."""
        if self._moment is Moment.HEADER:
            return "a hold's header"
        if self._moment in ENGINE_CLAUSES and self._engine is not None:
            return f"engine `{self._printer.stage(self._engine)}`"
        return self._clause

    def _index(self, ref: ir.PoolRef | ir.StageRef) -> Iterator[str]:
        if ref.index is None or constant(ref.index) is not None:
            return
        who = "gauge" if self._moment is Moment.GAUGE else "claim"
        what = "pool" if isinstance(ref, ir.PoolRef) else "stage"
        number = "a number in range (`kv[0]`, or an aggregate's `kv[k]`)"
        yield f"a {who}'s {what} index is {number}, not one read from the state"


def check_reads(subject: Subject) -> None:
    """Report values that are read where they do not exist, and draws where none may be."""
    for site in subject.statements:
        _check_statement(subject, site)
    for i, pool in enumerate(subject.program.pools):
        _check_pool(subject, i, pool)
    for i, stage in enumerate(subject.program.stages):
        _check_stage(subject, i, stage)
    _check_gauges(subject)
    _check_claims(subject)
    _check_arrival(subject)


def _check_statement(subject: Subject, site: Site) -> None:
    for reading in readings(site.statement):
        reader = _statement_reader(subject, site, reading)
        for message in reader.wrong(reading.expr):
            subject.findings.statement(site, message, rule="read")
    at_statement = _Reader(subject, Moment.STATEMENT, "", None)
    for index in indices(site.statement):
        for message in at_statement.wrong(index):
            subject.findings.statement(site, message, rule="read")


def _statement_reader(subject: Subject, site: Site, reading: Reading) -> _Reader:
    if reading.moment is Moment.STATEMENT or not isinstance(site.statement, ir.Hold):
        return _Reader(subject, reading.moment, "", None)
    first = subject.program.pools[site.statement.pools[0].pool.base]
    return _Reader(subject, reading.moment, _ROLES[reading.role], first.admit_via)


def _check_pool(subject: Subject, number: int, pool: ir.Pool) -> None:
    for clause in pool_clauses(pool):
        reader = _Reader(subject, clause.moment, f"pool `{pool.name}`'s keys", pool.admit_via)
        for message in reader.wrong(clause.expr):
            subject.findings.pool(number, pool, message)
            break


def _check_stage(subject: Subject, number: int, stage: ir.Stage) -> None:
    for clause in stage_clauses(subject.program, stage):
        for message in _clause_reader(subject, number, stage, clause).wrong(clause.expr):
            subject.findings.stage(number, stage, message)
            break


def _clause_reader(subject: Subject, number: int, stage: ir.Stage, clause: Clause) -> _Reader:
    if isinstance(stage.kind, ir.Ps):
        return _Reader(subject, clause.moment, f"stage `{stage.name}`'s capacity", None)
    return _Reader(subject, clause.moment, clause.name, number)


def _check_gauges(subject: Subject) -> None:
    reader = _Reader(subject, Moment.GAUGE, "", None)
    for i, gauge in enumerate(subject.program.gauges):
        for message in reader.wrong(gauge.expr):
            subject.findings.gauge(i, gauge, message)
            break


def _check_claims(subject: Subject) -> None:
    given = _Reader(subject, Moment.GIVEN, "", None)
    for i, claim in enumerate(subject.program.claims):
        name = f"claim `{claim.name}`"
        if isinstance(claim.kind, ir.AtEnd):
            reader = _Reader(subject, Moment.END, name, None)
        else:
            reader = _Reader(subject, Moment.ITERATION, name, claim.kind.stage)
        wrong = list(reader.wrong(claim.expr))
        if claim.given is not None:
            wrong += given.wrong(claim.given)
        if wrong:
            subject.findings.claim(i, claim, wrong[0])


def _check_arrival(subject: Subject) -> None:
    arrival = subject.program.arrival
    if isinstance(arrival, ir.Renewal) and not all(map(_fixed_or_drawn, nodes(arrival.gap))):
        subject.findings.arrival("renewal arrival may use only constants and sampled distributions")


def _fixed_or_drawn(node: Part) -> bool:
    if isinstance(node, ir.Call):
        return node.function not in OBSERVABLES
    return not isinstance(node, ir.Attr | ir.Ctx | ir.Reg | ir.Agg)
