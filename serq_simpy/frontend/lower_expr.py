"""Expressions that are written out, as the IR's: every name resolved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.constants import Constants
from serq_simpy.frontend.engine_values import FIELDS, Clause
from serq_simpy.frontend.names import Names, too_early
from serq_simpy.frontend.problems import AlreadyTold, Refused, Told, did_you_mean
from serq_simpy.frontend.resources import Resources, cost_resource, index_of
from serq_simpy.frontend.signs import AGGREGATES, BINARY, CONTEXT, FUNCTIONS, LAWS, UNARY
from serq_simpy.frontend.sizes import MOST_PARTS, too_large
from serq_simpy.frontend.words import FUNCTIONS as FUNCTION_WORDS
from serq_simpy.ir import model as ir
from serq_simpy.ir.depth import EXPRESSION_DEPTH
from serq_simpy.ir.vocabulary import FUNCTION_ARGUMENTS, LAW_ARGUMENTS, ArgumentKind


@dataclass(slots=True)
class Environment:
    """What the names of a program mean where it is lowered.

    `bound` are the bindings the statement may read, out of all `bindings`; `clause` is
    the clause of an engine that is lowered, None elsewhere. `told` are the names that
    are refused already, `time_resources` those of devices.
    """

    names: Names
    constants: Constants
    resources: Resources
    slots: dict[str, int] = field(default_factory=dict)
    observes: dict[str, int] = field(default_factory=dict)
    bindings: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    registers: dict[str, int] = field(default_factory=dict)
    clause: Clause | None = None
    told: Told = field(default_factory=Told)
    time_resources: frozenset[str] = frozenset()


class ExpressionLowering:
    """Lowers the expressions of one program."""

    def __init__(self, environment: Environment) -> None:
        self.env = environment
        self._depth = 0
        self._parts = 0

    def expression(self, expr: s.Expr) -> ir.Expr:
        """The IR of an expression. Raises `Refused`."""
        self._depth = 0
        return self._expr(expr)

    def pool(self, reference: s.Reference) -> ir.PoolRef:
        """A pool, with its index where it is a family's member. Raises `Refused`."""
        self._depth = 0
        return self._pool(reference)

    def stage(self, reference: s.Reference) -> ir.StageRef:
        """A stage, with its index where it is a family's member. Raises `Refused`."""
        self._depth = 0
        return self._stage(reference)

    def _pool(self, reference: s.Reference) -> ir.PoolRef:
        family = self.env.resources.pool(reference)
        return ir.PoolRef(family.base, family.count, index_of(reference, family, self._expr))

    def _stage(self, reference: s.Reference) -> ir.StageRef:
        family = self.env.resources.stage(reference)
        return ir.StageRef(family.base, family.count, index_of(reference, family, self._expr))

    def _expr(self, expr: s.Expr) -> ir.Expr:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise too_large(expr)
        self._depth += 1
        if self._depth > EXPRESSION_DEPTH:
            raise Refused(
                expr.span,
                f"the expression is more than {EXPRESSION_DEPTH} levels deep, written out",
                "`set` a part of it first and read the name",
            )
        lowered = self._lower(expr)
        self._depth -= 1
        return lowered

    def _lower(self, expr: s.Expr) -> ir.Expr:
        match expr:
            case s.Number(value):
                return ir.Num(value)
            case s.Reference():
                return self._name(expr)
            case s.Call():
                return self._call(expr)
            case s.Draw():
                return self._draw(expr)
            case s.Unary(op, operand):
                return ir.Unary(UNARY[op], self._expr(operand))
            case s.Binary(op, left, right):
                return ir.Binary(BINARY[op], self._expr(left), self._expr(right))
            case s.Choice(test, yes, no):
                return ir.Cond(self._expr(test), self._expr(yes), self._expr(no))
            case s.Aggregate():
                raise AssertionError("aggregates are written out before expressions are lowered")

    # ------------------------------------------------------------------ names

    def _name(self, expr: s.Reference) -> ir.Expr:
        if expr.index is not None:
            raise self._not_a_number(expr)
        name = walk.dotted(expr)
        env = self.env
        if name in env.constants.values:
            return ir.Num(env.constants.values[name])
        if name in env.slots and (name in env.bound or name not in env.bindings):
            return ir.Attr(env.slots[name])
        if name in env.registers:
            return ir.Reg(env.registers[name])
        if name == "inf":
            return ir.Num(math.inf)
        value = None if env.clause is None else env.clause.value(expr)
        if value is not None:
            return value
        if name in CONTEXT:
            return ir.Ctx(CONTEXT[name])
        if expr.span in env.told:
            raise AlreadyTold
        raise self._unknown(expr, name)

    def _unknown(self, expr: s.Reference, name: str) -> Refused:
        env = self.env
        if name in env.bindings:
            return Refused(
                expr.span,
                f"`{name}` is read outside the body of the hold that binds it",
                "`set` an attribute in the hold's body and read that",
            )
        if expr.name in FIELDS and expr.fields:
            return Refused(
                expr.span,
                f"`{expr.name}.…` is a value of an engine, read in its `tokens cap`, "
                "`execute` and `schedule`",
            )
        if name == "self":
            return Refused(expr.span, "`self` is a queue entry's word: the member's own index")
        if env.names.kind(name) is not None and not expr.fields:
            return self._not_a_number(expr)
        if env.names.kind(expr.name) == "engine":
            return self._no_mark(expr, name)
        if expr.fields:
            fields = ".".join(expr.fields)
            return Refused(
                expr.span,
                f"unknown name `{name}`: no statement sets a `{fields}` of `{expr.name}`",
                did_you_mean(name, env.slots),
            )
        known = (*env.slots, *env.constants.values, *CONTEXT)
        help = did_you_mean(name, known, "declare a `let` constant or `set` an attribute")
        return Refused(expr.span, f"unknown name `{name}`", help)

    def _no_mark(self, expr: s.Reference, name: str) -> Refused:
        engine = expr.name
        marks = [slot for slot in self.env.slots if slot.startswith(f"{engine}.")]
        help = f"write `mark {'.'.join(expr.fields)};` in the request"
        if not marks:
            help += f", which a server calls with `{engine} (…);`"
        return Refused(
            expr.span,
            f"`{name}`: no request that the server calls marks a `{'.'.join(expr.fields)}` of "
            f"engine `{engine}`",
            did_you_mean(name, marks, help),
        )

    def _not_a_number(self, expr: s.Reference) -> Refused:
        name = expr.name
        kind = self.env.names.kind(name)
        if kind is None:
            return Refused(expr.span, f"unknown name `{name}`: only pools and stages have members")
        message = f"`{name}` is {self.env.names.called_by(name)}, which is no number"
        match kind:
            case "pool":
                help = f"read `used({name})`, `free({name})` or `cachedin({name})`"
            case "stage" | "engine":
                help = f"read `queue({name})` or `work({name})`"
            case "device":
                help = f"an engine runs on it: `engine NAME on {name} {{ … }}`"
            case "definition":
                help = f"use it as `{name}(…)`"
            case "observation":
                help = "an `observe` records; `set` an attribute to read it later"
            case "gauge" | "claim":
                help = "write its expression here, or name the expression with a `def`"
            case _:
                help = f"read `{name}` without an index"
        return Refused(expr.span, message, help)

    # ---------------------------------------------------------- calls, draws

    def _call(self, expr: s.Call) -> ir.Expr:
        if expr.name == "cost":
            return self._cost(expr)
        if expr.name == "blocksize":
            return self._blocksize(expr)
        if expr.name in AGGREGATES:
            return self._aggregate(expr)
        function = FUNCTIONS.get(expr.name)
        if function is None:
            raise self._unknown_function(expr)
        kinds = FUNCTION_ARGUMENTS[function]
        if len(kinds) != len(expr.args):
            raise Refused(
                expr.span,
                f"`{expr.name}` takes {len(kinds)} argument(s), got {len(expr.args)}",
            )
        args = [self._argument(expr, kind, arg) for kind, arg in zip(kinds, expr.args, strict=True)]
        return ir.Call(function, tuple(args))

    def _unknown_function(self, expr: s.Call) -> Refused:
        env = self.env
        if env.names.kind(expr.name) == "definition":
            return too_early(expr.name, env.names, expr.span)
        if expr.name in env.time_resources:
            return Refused(
                expr.span,
                f"`{expr.name}` is a device's time resource, read in the `execute` of the engine "
                "on that device",
                "what several places read is a `def`",
            )
        help = did_you_mean(expr.name, FUNCTION_WORDS, "declare it: `def NAME (…) { expression }`")
        return Refused(expr.span, f"unknown function `{expr.name}`", help)

    def _argument(
        self, call: s.Call, kind: ArgumentKind, arg: s.Expr
    ) -> ir.Expr | ir.PoolRef | ir.StageRef:
        if kind == "number":
            return self._expr(arg)
        if not isinstance(arg, s.Reference):
            raise Refused(call.span, f"`{call.name}` expects a {kind} name here")
        return self._pool(arg) if kind == "pool" else self._stage(arg)

    def _draw(self, expr: s.Draw) -> ir.Expr:
        law = LAWS.get(expr.law)
        if law is None:
            help = did_you_mean(expr.law, LAWS, f"the laws are {', '.join(LAWS)}")
            raise Refused(expr.span, f"unknown distribution `{expr.law}`", help)
        wanted = LAW_ARGUMENTS[law]
        if len(expr.args) != wanted:
            raise Refused(
                expr.span, f"`~{expr.law}` takes {wanted} argument(s), got {len(expr.args)}"
            )
        return ir.Sample(law, tuple([self._expr(arg) for arg in expr.args]))

    def _cost(self, expr: s.Call) -> ir.Expr:
        if not expr.args:
            raise Refused(expr.span, "`cost` takes resources followed by an expression")
        *named, amount = expr.args
        if not named:
            raise Refused(
                expr.span,
                "`cost` requires at least one resource",
                "write `cost(resource, expression)`",
            )
        families = []
        for resource in named:
            if not isinstance(resource, s.Reference):
                raise Refused(expr.span, "`cost` expects resource names before its expression")
            families.append(self.env.resources.either(resource))
            self._check_cost_index(resource)
        return ir.Cost(cost_resource(families), self._expr(amount))

    def _check_cost_index(self, resource: s.Reference) -> None:
        """An index written in a cost names a member, and means nothing else."""
        if resource.index is None:
            return
        if walk.draws(resource.index):
            raise Refused(
                resource.span, "a cost names a resource family: its member index cannot draw"
            )
        index_of(resource, self.env.resources.either(resource), self._expr)

    def _blocksize(self, expr: s.Call) -> ir.Expr:
        if len(expr.args) != 1:
            raise Refused(
                expr.span, f"`blocksize` takes one pool, got {len(expr.args)} argument(s)"
            )
        pool = expr.args[0]
        if not isinstance(pool, s.Reference):
            raise Refused(expr.span, "`blocksize` takes a pool, not an expression")
        self._pool(pool)
        family = self.env.resources.pool(pool)
        if family.block is None:
            raise Refused(
                pool.span,
                f"`blocksize({family.name})`: pool `{family.name}` has no `block`",
                "give the pool a `block`",
            )
        return ir.Num(family.block)

    def _aggregate(self, expr: s.Call) -> ir.Expr:
        if len(expr.args) != 1 or not isinstance(expr.args[0], s.Reference):
            raise Refused(
                expr.span,
                f"`{expr.name}` takes the name of an `observe`, as `{expr.name}(latency)`",
            )
        observed = expr.args[0]
        name = walk.dotted(observed)
        number = self.env.observes.get(name)
        if number is None or observed.index is not None:
            raise Refused(
                observed.span,
                f"`{expr.name}({name})`: `{name}` is not an `observe` of the program",
                did_you_mean(name, self.env.observes),
            )
        return ir.Agg(AGGREGATES[expr.name], number)
