"""What is a quantity and what a cost of a resource, and who assigns which attribute."""

from __future__ import annotations

from serq_simpy.ir import model as ir
from serq_simpy.ir.declared import pool_clauses, stage_clauses
from serq_simpy.ir.findings import Subject
from serq_simpy.ir.vocabulary import COMPARISONS, FUNCTION_WORDS
from serq_simpy.ir.walk import Part, Site, indices, readings

Type = ir.Resource | None
"""The resource that an expression is a cost of; None of an ordinary quantity."""

_ORDINARY = "a resource cost is not an ordinary quantity"
_INCOMPATIBLE = "incompatible cost operands; convert the quantity with cost(resource, expression)"
_USE = "resource use requires its cost type; convert the quantity with cost(resource, expression)"
_KEEPS_COST = frozenset(("Abs", "Floor", "Ceil"))


class TypeMismatch(Exception):
    """An expression has no type; the text says why."""


def type_of(expr: ir.Expr, attr_types: tuple[ir.AttrType, ...]) -> Type:
    """The type of an expression.

    Raises `TypeMismatch` where costs and quantities are mixed.
    """
    return _Typing(attr_types).of(expr)


class _Typing:
    def __init__(self, attr_types: tuple[ir.AttrType, ...]) -> None:
        self._attr_types = attr_types

    def of(self, expr: ir.Expr) -> Type:
        match expr:
            case ir.Attr(slot):
                attr_type = self._attr_types[slot]
                return None if isinstance(attr_type, str) else attr_type
            case ir.Binary(op, left, right):
                return _binary(op, self.of(left), self.of(right))
            case ir.Unary(op, operand):
                operand_type = self.of(operand)
                if op == "Not":
                    _ordinary(operand_type)
                return operand_type
            case ir.Cond(test, yes, no):
                return self._choice(test, yes, no)
            case ir.Cost(resource, value):
                _ordinary(self.of(value))
                return resource
            case ir.Call(function, args):
                return _call(function, [self._argument(arg) for arg in args])
            case ir.Sample(_, args):
                for arg in args:
                    _ordinary(self.of(arg))
                return None
            case _:
                return None

    def _choice(self, test: ir.Expr, yes: ir.Expr, no: ir.Expr) -> Type:
        _ordinary(self.of(test))
        type_yes, type_no = self.of(yes), self.of(no)
        if type_yes != type_no:
            raise TypeMismatch("both branches must have the same cost type")
        return type_yes

    def _argument(self, arg: Part) -> Type:
        if not isinstance(arg, ir.PoolRef | ir.StageRef):
            return self.of(arg)
        if arg.index is not None and self.of(arg.index) is not None:
            raise TypeMismatch("a resource index is not a resource cost")
        return None


def _ordinary(found: Type) -> None:
    if found is not None:
        raise TypeMismatch(_ORDINARY)


def _binary(op: str, left: Type, right: Type) -> Type:
    if left is None and right is None:
        return None
    if op == "Mul" and (left is None or right is None):
        return left or right
    if op == "Div" and right is None:
        return left
    if left != right or op not in COMPARISONS | {"Add", "Sub"}:
        raise TypeMismatch(_INCOMPATIBLE)
    return None if op in COMPARISONS else left


def _call(function: str, args: list[Type]) -> Type:
    if all(arg is None for arg in args):
        return None
    same_costs = function in ("Min", "Max") and args[0] == args[1]
    if not same_costs and function not in _KEEPS_COST:
        word = FUNCTION_WORDS[function]
        raise TypeMismatch(f"{word} expects ordinary quantities, not resource costs")
    return args[0]


# --------------------------------------------------------------- statements


def check_types(subject: Subject) -> None:
    """Report what breaks the rules of attribute types and costs."""
    _check_built_in(subject)
    for site in subject.statements:
        for message in _statement(subject, site):
            subject.findings.statement(site, message, rule="type", named=False)
    _check_declarations(subject)


def _check_built_in(subject: Subject) -> None:
    for slot, name in enumerate(ir.BUILT_IN):
        wanted = "Value" if slot in (ir.CACHED, ir.COMPUTED) else "Size"
        if subject.program.attr_types[slot] != wanted:
            message = f"built-in `{name}` must have {wanted.lower()} type"
            subject.findings.attribute(slot, message)


def _statement(subject: Subject, site: Site) -> list[str]:
    """What is wrong with the types of a statement: the first thing, if any."""
    try:
        _index_types(subject, site.statement)
        found = [type_of(r.expr, subject.program.attr_types) for r in readings(site.statement)]
    except TypeMismatch as mismatch:
        return [str(mismatch)]
    message = _use(subject, site, found)
    return [] if message is None else [message]


def _index_types(subject: Subject, statement: ir.Statement) -> None:
    for index in indices(statement):
        if type_of(index, subject.program.attr_types) is not None:
            raise TypeMismatch("a resource index is not a resource cost")


def _use(subject: Subject, site: Site, found: list[Type]) -> str | None:
    """Whether the types of a statement's expressions are those it takes."""
    match site.statement:
        case ir.Set(slot):
            return _set(subject, site, slot, found[0])
        case ir.Hold():
            return _hold(site.statement, found)
        case ir.Grow(pool) | ir.Load(pool):
            return _used(found[0], ir.PoolFamily(pool.base, pool.count))
        case ir.Run(stage, also=also):
            return _used(found[0], stages_resource((stage, *also)))
        case ir.Branch() | ir.While() if found[0] is not None:
            return "a control-flow predicate is not a resource cost"
        case ir.Choose(slot):
            return _choose(subject, site, slot, found)
    return None


def _used(found: Type, wanted: Type) -> str | None:
    return None if found == wanted else _USE


def _hold(hold: ir.Hold, found: list[Type]) -> str | None:
    whole = pools_resource(tuple([request.pool for request in hold.pools]))
    units = iter(hold.pools)
    pool: Type = None
    for reading, given in zip(readings(hold), found, strict=True):
        if reading.role == "lease":
            if given is not None:
                return "a lease duration is seconds, not a resource cost"
            continue
        if reading.role == "units":
            ref = next(units).pool
            pool = ir.PoolFamily(ref.base, ref.count)
        if given != (pool if reading.role in ("units", "reserve") else whole):
            return _USE
    return None


def pools_resource(refs: tuple[ir.PoolRef, ...]) -> ir.Resource:
    """The resource that several pools are together: each family once, by number."""
    families = sorted({(ref.base, ref.count) for ref in refs})
    parts = tuple([ir.PoolFamily(base, count) for base, count in families])
    return parts[0] if len(parts) == 1 else ir.Joint(parts)


def stages_resource(refs: tuple[ir.StageRef, ...]) -> ir.Resource:
    """The resource that several stages are together: each family once, by number."""
    families = sorted({(ref.base, ref.count) for ref in refs})
    parts = tuple([ir.StageFamily(base, count) for base, count in families])
    return parts[0] if len(parts) == 1 else ir.Joint(parts)


def _set(subject: Subject, site: Site, slot: int, found: Type) -> str | None:
    name, attr_type = subject.program.attrs[slot], subject.program.attr_types[slot]
    if site.root != ir.SESSION and found is not None:
        return "workload init and turn produce sizes, not costs"
    if found is not None:
        return _set_cost(name, attr_type, found)
    if not isinstance(attr_type, str):
        return f"assignment changes the type of `{name}`"
    return _set_quantity(subject, site, name, attr_type)


def _set_cost(name: str, attr_type: ir.AttrType, found: ir.Resource) -> str | None:
    if found == attr_type:
        return None
    if isinstance(attr_type, str):
        return f"assignment changes the type of `{name}`"
    return f"`{name}` is assigned costs of different resources"


def _set_quantity(subject: Subject, site: Site, name: str, attr_type: str) -> str | None:
    if subject.side(site) == "Server":
        if attr_type == "Size":
            rest = "sizes are workload-owned and read-only in the server"
            return f"the server cannot assign request size `{name}`; {rest}"
    elif attr_type == "Value":
        return f"the workload assigns sizes, and `{name}` is a value of the server"
    return None


def _choose(subject: Subject, site: Site, slot: int, found: list[Type]) -> str | None:
    if any(given is not None for given in found):
        return "choose requires ordinary quantities, not resource costs"
    name, attr_type = subject.program.attrs[slot], subject.program.attr_types[slot]
    if not isinstance(attr_type, str):
        return "choose produces an index, not a resource cost"
    if subject.side(site) == "Server" and attr_type == "Size":
        return f"the server cannot assign request size `{name}`"
    return _set_quantity(subject, site, name, attr_type)


# ------------------------------------------------------------- declarations


def _check_declarations(subject: Subject) -> None:
    program, findings = subject.program, subject.findings
    if isinstance(program.arrival, ir.Renewal) and not _quantity(program, program.arrival.gap):
        findings.arrival(_ORDINARY)
    for i, pool in enumerate(program.pools):
        if not all(_quantity(program, clause.expr) for clause in pool_clauses(pool)):
            findings.pool(i, pool, _DECLARED)
    for i, stage in enumerate(program.stages):
        if not all(_quantity(program, clause.expr) for clause in stage_clauses(program, stage)):
            findings.stage(i, stage, _DECLARED)
    for i, gauge in enumerate(program.gauges):
        if not _quantity(program, gauge.expr):
            findings.gauge(i, gauge, _DECLARED)
    for i, claim in enumerate(program.claims):
        given = () if claim.given is None else (claim.given,)
        if not all(_quantity(program, expr) for expr in (claim.expr, *given)):
            findings.claim(i, claim, _DECLARED)


_DECLARED = "resource declarations, gauges and claims use ordinary quantities, not resource costs"


def _quantity(program: ir.Program, expr: ir.Expr) -> bool:
    """Whether the expression has a type, and it is no cost."""
    try:
        return type_of(expr, program.attr_types) is None
    except TypeMismatch:
        return False
