"""Hidden attributes: what the server decides by, it knows only once a run has shown it.

A walk over the session in text order keeps which hidden attributes the turn's
runs have revealed by then, on every path, and which attributes were set from
hidden ones. What was set from a hidden attribute is hidden with it, whoever set it;
what was set from it after a run had revealed it is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from serq_simpy.ir import model as ir
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.walk import Part, Reading, children, readings, slots_read

_INIT = "in the workload's init"
_TURN = "in the workload's turn"
_SESSION = "in the workload's session"
_SERVER = "in the server"

_DECISIONS = {
    "units": "admission",
    "reserve": "admission",
    "reuse": "admission",
    "amount": "allocation",
    "lease": "lease",
    "count": "choice",
    "key": "choice",
}
"""What the server decides by an expression, by its part in its statement."""


@dataclass(frozen=True, slots=True)
class _Taint:
    """That an attribute was set from the hidden attribute `origin`, and by whom.

    Of a hidden attribute itself `origin` is its own slot, and `where` is empty.
    """

    origin: int
    where: str


_Taints = dict[int, frozenset[_Taint]]
_CANDIDATE = ir.Num(0.0)
"""What `choose` gives its attribute, also while its keys are read: a number."""
_CLEAN: frozenset[_Taint] = frozenset()


@dataclass(frozen=True, slots=True)
class _State:
    """What is known at a point: the hidden attributes revealed there, and the taints.

    `workload` are the taints that outlive a turn: those of the workload's own sets.
    """

    revealed: frozenset[int]
    taints: _Taints
    workload: _Taints

    def merged(self, other: _State) -> _State:
        """What is known where two paths meet."""
        return _State(
            self.revealed & other.revealed,
            _union(self.taints, other.taints),
            _union(self.workload, other.workload),
        )


def _union(left: _Taints, right: _Taints) -> _Taints:
    slots = left.keys() | right.keys()
    return {slot: left.get(slot, _CLEAN) | right.get(slot, _CLEAN) for slot in slots}


def check_hidden(subject: Subject) -> None:
    """Report what the server decides by a hidden attribute before a run reveals it."""
    if subject.hidden:
        walk = _Walk(subject)
        hidden = {slot: frozenset([_Taint(slot, "")]) for slot in subject.hidden}
        workload = walk.workload_block(ir.INIT, _INIT, hidden)
        walk.block(ir.SESSION, _State(frozenset(), workload, workload))


class _Walk:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._program = subject.program
        self._hidden = subject.hidden

    def workload_block(self, block: int, where: str, taints: _Taints) -> _Taints:
        """The taints after `init` or `turn`."""
        taints = dict(taints)
        for statement in self._program.blocks[block]:
            if isinstance(statement, ir.Set):
                self._assign(taints, statement.slot, statement.value, where, frozenset())
        return taints

    def block(self, block: int, state: _State) -> _State:
        """Check a block entered in `state`; the state after it."""
        for i, statement in enumerate(self._program.blocks[block]):
            if isinstance(statement, ir.Loop | ir.While):
                state = self._any_pass(statement.body, state)
            if self._program.sides[block][i] == "Server":
                self._check(block, i, statement, state)
            state = self._after(block, i, statement, state)
        return state

    # -------------------------------------------------------------- effects

    def _after(self, block: int, index: int, statement: ir.Statement, state: _State) -> _State:
        match statement:
            case ir.Turn():
                taints = self.workload_block(ir.TURN, _TURN, state.workload)
                return _State(frozenset(), taints, taints)
            case ir.Set(slot, value):
                by_server = self._program.sides[block][index] == "Server"
                return self._after_set(state, slot, value, by_server)
            case ir.Choose(slot):
                return self._after_set(state, slot, _CANDIDATE, by_server=True)
            case ir.Run():
                return self._after_run(state, statement.work)
            case ir.Hold():
                return self.block(statement.body, state)
            case ir.Fork(body):
                self.block(body, state)
                return state
            case ir.Branch(_, yes, no):
                return self.block(yes, state).merged(self.block(no, state))
            case _:
                return state

    def _any_pass(self, body: int, state: _State) -> _State:
        """What is known before every pass of a loop, and after its last."""
        while True:
            entry = state.merged(self.block(body, state))
            if entry == state:
                return state
            state = entry

    def _after_set(self, state: _State, slot: int, value: ir.Expr, by_server: bool) -> _State:
        taints = dict(state.taints)
        where = _SERVER if by_server else _SESSION
        self._assign(taints, slot, value, where, state.revealed)
        workload = state.workload
        if not by_server:
            workload = dict(workload)
            self._assign(workload, slot, value, _SESSION, state.revealed)
        return _State(state.revealed, taints, workload)

    def _assign(
        self, taints: _Taints, slot: int, value: ir.Expr, where: str, revealed: frozenset[int]
    ) -> None:
        """Taint what is set from something hidden; anything else is clean again.

        What the workload gives a hidden attribute is hidden, whatever it is.
        """
        if slot in self._hidden and where != _SERVER:
            taints[slot] = frozenset([_Taint(slot, "")])
            return
        origins = {taint.origin for read in slots_read(value) for taint in taints.get(read, _CLEAN)}
        taints[slot] = frozenset([_Taint(origin, where) for origin in origins - revealed])

    def _after_run(self, state: _State, work: ir.Expr) -> _State:
        shown = {
            taint.origin for slot in _surely_read(work) for taint in state.taints.get(slot, _CLEAN)
        }
        return _State(state.revealed | shown, state.taints, state.workload)

    # --------------------------------------------------------------- checks

    def _check(self, block: int, index: int, statement: ir.Statement, state: _State) -> None:
        if isinstance(statement, ir.Choose):
            state = self._after_set(state, statement.slot, _CANDIDATE, by_server=True)
        for decision, expr in _decisions(statement):
            message = self._message(expr, decision, state)
            if message is not None:
                site = self._subject.site(block, index, ir.SESSION)
                self._subject.findings.statement(site, message, rule="hidden", named=False)
                return

    def _message(self, expr: Part, decision: str, state: _State) -> str | None:
        """The first hidden thing a decision reads too early, and how it came there.

        A header that reads a hidden attribute itself is refused at any time,
        as the table of moments has it.
        """
        for slot in slots_read(expr):
            if slot in self._hidden and decision == "admission":
                continue
            for taint in sorted(state.taints.get(slot, _CLEAN), key=_by_origin):
                if taint.origin not in state.revealed:
                    return self._early(slot, taint, decision)
        return None

    def _early(self, slot: int, taint: _Taint, decision: str) -> str:
        name = self._subject.printer.attribute(slot)
        late = f"the server's {decision} reads it before a run reveals it"
        if not taint.where:
            return f"`{name}` is hidden from the scheduler, but {late}"
        origin = self._subject.printer.attribute(taint.origin)
        return f"`{name}` is set from the hidden `{origin}` {taint.where}, but {late}"


def _by_origin(taint: _Taint) -> tuple[int, str]:
    return taint.origin, taint.where


def _decisions(statement: ir.Statement) -> Iterator[tuple[str, Part]]:
    """What a server's statement decides, and by which expression."""
    yield from _choices(statement)
    for reading in readings(statement):
        decision = _decision(statement, reading)
        if decision is not None:
            yield decision, reading.expr


def _decision(statement: ir.Statement, reading: Reading) -> str | None:
    """What the server decides by an expression, None where it decides nothing."""
    if reading.role == "test":
        return "while" if isinstance(statement, ir.While) else "branch"
    return _DECISIONS.get(reading.role)


def _choices(statement: ir.Statement) -> Iterator[tuple[str, Part]]:
    """The indices by which a statement chooses a pool or a stage."""
    match statement:
        case ir.Hold():
            for request in statement.pools:
                if request.pool.index is not None:
                    yield "choice of a pool", request.pool.index
        case ir.Run():
            for stage in (statement.stage, *statement.also):
                if stage.index is not None:
                    yield "choice of a stage or pool", stage.index


def _surely_read(expr: Part) -> set[int]:
    """The attributes that evaluating an expression reads whatever their values are.

    Of `?:` that is what the test reads and what both its arms read, of `&&` and `||` what
    the left operand reads.
    """
    match expr:
        case ir.Attr(slot):
            return {slot}
        case ir.Cond(test, yes, no):
            return _surely_read(test) | (_surely_read(yes) & _surely_read(no))
        case ir.Binary("And" | "Or", left):
            return _surely_read(left)
    found: set[int] = set()
    for child in children(expr):
        found |= _surely_read(child)
    return found
