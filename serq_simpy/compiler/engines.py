"""An engine's clauses as functions: what it reads when it forms an iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from serq_simpy.compiler.expressions import number
from serq_simpy.compiler.reading import is_test, reads_attributes
from serq_simpy.ir import model as ir

if TYPE_CHECKING:
    from serq_simpy.compiler.functions import Functions

_RESIDENT = {
    "Decoding": "(1.0 if resident.decoding else 0.0)",
    "Admission": "resident.customer.admission",
    "Remaining": "resident.remaining",
}
"""What is read for one resident."""


class EngineRules:
    """Writes the functions of one engine, under names that end in its number."""

    def __init__(self, functions: Functions, program: ir.Program, number: int) -> None:
        self._functions = functions
        self._writer = functions.writer
        self._number = number
        self._parts = 0
        self._order: tuple[ir.Expr, ...] = ()
        self._program = program
        self._registers = [
            register for register, one in enumerate(program.registers) if one.stage == number
        ]
        name = functions.stages[number]
        formed = f"{name}.iteration"
        self._name_of_engine = name
        self._running = {
            "Now": "clock._now",
            "Nres": f"{name}.present",
            "Ndec": f"{name}.decoding",
            "Kvb": f"{name}.kv_decode",
            "Kvp": f"{name}.kv_prefill",
        }
        self._scheduled = {
            **self._running,
            "Ntok": f"{formed}.tokens",
            "Npre": f"{formed}.prefilled",
            "Admitted": f"{formed}.admitted",
            "Preempted": f"{formed}.preempted",
        }
        self._batch = {
            "Now": "clock._now",
            "Ntok": f"{formed}.tokens",
            "Npre": f"{formed}.prefilled",
            "Nres": f"{name}.present",
            "Ndec": f"{formed}.decoding",
            "Kvb": f"{formed}.kv_decode",
            "Kvp": f"{formed}.kv_prefill",
            "Attn": f"{formed}.attention",
        }
        self._started = {
            **self._batch,
            "Demand": f"{name}.demand()",
            "Served": f"{name}.served",
            "Arrived": "float(run.arrivals)",
        }

    def write(self, engine: ir.Step) -> str:
        """Write the functions; the code of the engine's `Rules`."""
        budget = self._value("budget", engine.budget, self._running)
        chunk = self._value("chunk", engine.chunk, self._running)
        execute = self._value("execute", engine.cost, self._batch)
        granule = "None" if engine.granule is None else self._constant(engine.granule)
        schedule = self._schedule(engine)
        registers = f"({''.join(f'{register}, ' for register in self._registers)})"
        return (
            f"Rules({budget}, {chunk}, {granule}, {execute}, {schedule}, {registers}, "
            f"{is_steady(engine)}, ({self._claims()}))"
        )

    def _claims(self) -> str:
        """The code of the claims over the engine's iterations, each a check and a function."""
        return "".join(
            f"(checks[{number}], {self._claim(number, claim)}), "
            for number, claim in enumerate(self._program.claims)
            if not isinstance(claim.kind, ir.AtEnd) and claim.kind.stage == self._number
        )

    def _claim(self, number: int, claim: ir.Claim) -> str:
        name = f"claim{number}"
        self._functions.returning(f"{name}()", claim.expr, context=self._started, customer="")
        return name

    def _name(self, word: str) -> str:
        self._parts += 1
        return f"{word}{self._number}_{self._parts}"

    def _value(self, word: str, expr: ir.Expr, context: dict[str, str]) -> str:
        name = f"{word}{self._number}"
        self._functions.returning(f"{name}()", expr, context=context, stream="running", customer="")
        return name

    def _constant(self, expr: ir.Expr) -> str:
        assert isinstance(expr, ir.Num)
        return number(expr.value)

    # ----------------------------------------------------------- the schedule

    def _schedule(self, engine: ir.Step) -> str:
        """The function that carries out an iteration's statements."""
        name = f"schedule{self._number}"
        lines = self._lines(engine)
        with self._writer.block(f"def {name}(iteration):"):
            for line in lines:
                self._writer.line(line)
        return name

    def _lines(self, engine: ir.Step) -> list[str]:
        if engine.serve is None:
            return ["iteration.exclude()"]
        self._order = engine.serve
        if engine.iteration is not None:
            return self._statements(engine.iteration)
        keys = self._keys(engine.serve)
        admit = f"if {self._name_of_engine}.waiting: iteration.admit(None, iteration.unpreempted)"
        return [f"iteration.advance(None, {keys})", admit]

    def _statements(self, body: Sequence[ir.IterationStatement]) -> list[str]:
        return [line for statement in body for line in self._statement(statement)]

    def _statement(self, statement: ir.IterationStatement) -> list[str]:
        match statement:
            case ir.Serve(only, by):
                keys = self._order if by is None else by
                return [f"iteration.advance({self._only(only)}, {self._keys(keys)})"]
            case ir.Admit(only, gate):
                test = "None" if gate is None else self._test("admit waiting while (…)", gate)
                return [f"iteration.admit({self._only(only)}, {test})"]
            case ir.IterationBranch(guard, yes, no):
                test = self._test("branch", guard)
                arms = [[f" {line}" for line in self._statements(arm)] for arm in (yes, no)]
                return [f"if {test}():", *(arms[0] or [" pass"]), "else:", *(arms[1] or [" pass"])]
            case ir.SetRegister(register, value):
                name = self._name("value")
                self._functions.returning(f"{name}()", value, context=self._scheduled, customer="")
                return [f"registers[{register}] = {name}()"]
            case _:
                assert_never(statement)

    def _only(self, only: ir.Expr | None) -> str:
        """The function of a resident that tells whether it may be served."""
        if only is None:
            return "None"
        name = self._name("only")
        prologue = "a = resident.customer.attrs" if reads_attributes(only) else ""
        self._functions.returning(
            f"{name}(resident)", only, prologue=prologue, **self._of_resident()
        )
        return name

    def _keys(self, keys: tuple[ir.Expr, ...]) -> str:
        """The function of a resident that gives its keys, None of the serving order."""
        if not keys:
            return "None"
        name = self._name("keys")
        prologue = "a = resident.customer.attrs"
        self._functions.keys(f"{name}(resident)", keys, prologue, **self._of_resident())
        return name

    def _of_resident(self) -> dict[str, object]:
        return {"context": {**self._running, **_RESIDENT}, "customer": "resident.customer"}

    def _test(self, where: str, guard: ir.Expr) -> str:
        """The function of a guard, which must be 0 or 1."""
        name = self._name("test")
        with self._functions.function(
            f"{name}()", context=self._scheduled, customer=""
        ) as expressions:
            value = self._functions.kept(expressions.value(guard))
            if not is_test(guard):
                with self._writer.block(f"if {value} != 1.0 and {value} != 0.0:"):
                    self._writer.line(f"wrong_test({self._number}, {where!r}, {value})")
            self._writer.line(f"return {value}")
        return name


def is_steady(engine: ir.Step) -> bool:
    """Whether the first thing an iteration does is to serve everybody in the serving order."""
    if engine.serve is None:
        return False
    if engine.iteration is None:
        return not engine.serve
    first = engine.iteration[0]
    if not isinstance(first, ir.Serve) or first.only is not None:
        return False
    return not (engine.serve if first.by is None else first.by)
