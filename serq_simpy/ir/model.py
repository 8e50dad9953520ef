"""The program as data: IR 13.

Everything here is a frozen record; the fields stand in the order in which JSON
has them. A program is flat: statements sit in numbered blocks and name their
blocks by number, attributes, observations, pools, stages and registers are
numbers too. Only expressions are trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

IR_VERSION = 13

# --------------------------------------------------------------- references


@dataclass(frozen=True, slots=True)
class PoolRef:
    """A pool, or a member of a family of `count` pools that starts at `base`."""

    base: int
    count: int
    index: Expr | None


@dataclass(frozen=True, slots=True)
class StageRef:
    """A stage, or a member of a family of `count` stages that starts at `base`."""

    base: int
    count: int
    index: Expr | None


@dataclass(frozen=True, slots=True)
class PoolFamily:
    """The resource a pool family is, whatever the member."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class StageFamily:
    """The resource a stage family is, whatever the member."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class Joint:
    """Several resources at once: pools before stages, by number, each once."""

    parts: tuple[PoolFamily | StageFamily, ...]


Resource = PoolFamily | StageFamily | Joint

# -------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Num:
    value: float


@dataclass(frozen=True, slots=True)
class Attr:
    slot: int


@dataclass(frozen=True, slots=True)
class Reg:
    register: int


@dataclass(frozen=True, slots=True)
class Ctx:
    """A context variable, by its IR name (`Now`, `Waited`, `N`, …)."""

    variable: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A draw of `law` (`Exp`, `Det`, `Uniform`, `Erlang`, `H2`, `Bernoulli`)."""

    law: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an observable (`Min`, `Queue`, `Used`, …) of its arguments."""

    function: str
    args: tuple[Expr | PoolRef | StageRef, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """`Neg` or `Not`."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """`Add Sub Mul Div Pow Lt Le Gt Ge Eq Ne And Or`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Cond:
    test: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class Cost:
    """A number converted to an amount of a resource; its value is `value`'s."""

    resource: Resource
    value: Expr


@dataclass(frozen=True, slots=True)
class Agg:
    """`Total Count Largest Smallest PrefixTotal` of an observation."""

    aggregate: str
    observe: int


Expr = Num | Attr | Reg | Ctx | Sample | Call | Unary | Binary | Cond | Cost | Agg

# --------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Turn:
    pass


@dataclass(frozen=True, slots=True)
class Set:
    slot: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Observe:
    observe: int
    value: Expr


@dataclass(frozen=True, slots=True)
class HoldRequest:
    """What a hold asks of one pool; `reserve` is None where it is the units."""

    pool: PoolRef
    units: Expr
    reserve: Expr | None


@dataclass(frozen=True, slots=True)
class Lease:
    pool: PoolRef
    duration: Expr


@dataclass(frozen=True, slots=True)
class Hold:
    pools: tuple[HoldRequest, ...]
    reuse: Expr | None
    body: int
    cache: Expr | None
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class Grow:
    pool: PoolRef
    amount: Expr


@dataclass(frozen=True, slots=True)
class Load:
    pool: PoolRef
    amount: Expr


@dataclass(frozen=True, slots=True)
class Drop:
    pool: PoolRef


@dataclass(frozen=True, slots=True)
class Release:
    pool: PoolRef


Mode = Literal["Plain", "Prefill", "Decode"]


@dataclass(frozen=True, slots=True)
class Run:
    """`also` are the further stages of a flow, none for a run on one stage."""

    stage: StageRef
    mode: Mode
    work: Expr
    growing: PoolRef | None
    also: tuple[StageRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    test: Expr
    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: int


@dataclass(frozen=True, slots=True)
class Loop:
    body: int


@dataclass(frozen=True, slots=True)
class Choose:
    slot: int
    count: Expr
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    body: int


@dataclass(frozen=True, slots=True)
class Join:
    pass


@dataclass(frozen=True, slots=True)
class End:
    pass


Statement = (
    Turn
    | Set
    | Observe
    | Hold
    | Grow
    | Load
    | Drop
    | Release
    | Run
    | Branch
    | While
    | Loop
    | Choose
    | Fork
    | Join
    | End
)

# ------------------------------------------------------------ pools, stages


@dataclass(frozen=True, slots=True)
class PreemptBy:
    """The victim is the candidate with the least keys; `tail`: it re-queues as a newcomer."""

    keys: tuple[Expr, ...]
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Spill:
    """An evicted prefix for which `when` holds goes to pool `to` through stage `via`."""

    to: int
    via: int
    work: Expr
    when: Expr


@dataclass(frozen=True, slots=True)
class Pool:
    """`evict` None is lru, `queue` None first come first served, `preempt` None none."""

    name: str
    index: int | None
    cap: float
    block: float | None
    evict: tuple[Expr, ...] | None
    preempt: PreemptBy | None
    queue: tuple[Expr, ...] | None
    spill: Spill | None
    admit_via: int | None
    reserve_held: bool = False


@dataclass(frozen=True, slots=True)
class Fifo:
    servers: int


@dataclass(frozen=True, slots=True)
class Ps:
    """Throughput `capacity` shared equally; `delay` is the capacity `Ctx("N")`."""

    capacity: Expr


@dataclass(frozen=True, slots=True)
class Serve:
    """`advance running`; `by` None where no order is written."""

    only: Expr | None = None
    by: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Admit:
    """`admit waiting`; `gate` is its `while`."""

    only: Expr | None = None
    gate: Expr | None = None


@dataclass(frozen=True, slots=True)
class IterationBranch:
    test: Expr
    yes: tuple[IterationStatement, ...]
    no: tuple[IterationStatement, ...]


@dataclass(frozen=True, slots=True)
class SetRegister:
    register: int
    value: Expr


IterationStatement = Serve | Admit | IterationBranch | SetRegister


@dataclass(frozen=True, slots=True)
class Step:
    """An engine. `serve` None is the exclusive prefill; `iteration` None the plain schedule."""

    budget: Expr
    cost: Expr
    chunk: Expr
    granule: Expr | None
    serve: tuple[Expr, ...] | None
    memory: int | None
    iteration: tuple[IterationStatement, ...] | None


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    index: int | None
    kind: Fifo | Ps | Step


# ----------------------------------------------------------------- arrivals


@dataclass(frozen=True, slots=True)
class Poisson:
    rate: float


@dataclass(frozen=True, slots=True)
class Renewal:
    gap: Expr


@dataclass(frozen=True, slots=True)
class Closed:
    population: int


@dataclass(frozen=True, slots=True)
class Batch:
    size: int


Presets = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class ExplicitSession:
    """A session given in the IR: slots set after `init`, and per turn instead of a trace."""

    attrs: Presets
    turns: tuple[Presets, ...] = ()


@dataclass(frozen=True, slots=True)
class Sessions:
    sessions: tuple[ExplicitSession, ...]


@dataclass(frozen=True, slots=True)
class NoArrivals:
    pass


Arrival = Poisson | Renewal | Closed | Batch | Sessions | NoArrivals

# ----------------------------------------------------- gauges, claims, state


@dataclass(frozen=True, slots=True)
class Gauge:
    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class EveryIteration:
    stage: int


@dataclass(frozen=True, slots=True)
class SomeIteration:
    stage: int


@dataclass(frozen=True, slots=True)
class AtEnd:
    pass


@dataclass(frozen=True, slots=True)
class Claim:
    name: str
    given: Expr | None
    kind: EveryIteration | SomeIteration | AtEnd
    expr: Expr


@dataclass(frozen=True, slots=True)
class Register:
    name: str
    stage: int
    init: float


# ------------------------------------------------------------------ program

AttrType = Literal["Size", "Value"] | Resource
"""The type of an attribute: a request's size, an ordinary value, or a cost of a resource."""

Side = Literal["Workload", "Server"]
Share = Literal["MaxMin", "Bottleneck"]

BUILT_IN = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
"""The attributes every program has, at slots 0 to 8."""

CACHED, SERIAL, TURN_NO, NEW, OUT, THINK, MORE, FORCED, COMPUTED = range(9)

INIT, TURN, SESSION = range(3)
"""The numbers of the blocks that are always there."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How long and on which seed: what a run is told from outside the model."""

    horizon: float
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A linked program with its settings.

    `sides` has the shape of `blocks`. The built-in attributes stand at the slots
    `CACHED` … `COMPUTED`; `init`, `turn` and the session are blocks 0, 1 and 2.
    """

    attrs: tuple[str, ...]
    attr_types: tuple[AttrType, ...]
    sides: tuple[tuple[Side, ...], ...]
    observes: tuple[str, ...]
    pools: tuple[Pool, ...]
    stages: tuple[Stage, ...]
    arrival: Arrival
    trace: str | None
    trace_ordered: bool
    blocks: tuple[tuple[Statement, ...], ...]
    settings: Settings
    hidden: tuple[int, ...]
    share: Share | None = None
    gauges: tuple[Gauge, ...] = ()
    claims: tuple[Claim, ...] = ()
    registers: tuple[Register, ...] = ()
