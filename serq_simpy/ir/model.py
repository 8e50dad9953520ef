"""The program as data: IR 13.

Everything here is a frozen record; the fields stand in the order in which JSON
has them. A program is flat: statements sit in numbered blocks and name their
blocks by number, attributes, observations, pools, stages and registers are
numbers too. Only expressions are trees.
"""

from __future__ import annotations

from typing import Literal

from serq_simpy.node import record

IR_VERSION = 13

# --------------------------------------------------------------- references


@record
class PoolRef:
    """A pool, or a member of a family of `count` pools that starts at `base`."""

    base: int
    count: int
    index: Expr | None


@record
class StageRef:
    """A stage, or a member of a family of `count` stages that starts at `base`."""

    base: int
    count: int
    index: Expr | None


@record
class PoolFamily:
    """The resource a pool family is, whatever the member."""

    base: int
    count: int


@record
class StageFamily:
    """The resource a stage family is, whatever the member."""

    base: int
    count: int


@record
class Joint:
    """Several resources at once: pools before stages, by number, each once."""

    parts: tuple[PoolFamily | StageFamily, ...]


Resource = PoolFamily | StageFamily | Joint

# -------------------------------------------------------------- expressions


@record
class Num:
    value: float


@record
class Attr:
    slot: int


@record
class Reg:
    register: int


@record
class Ctx:
    """A context variable, by its IR name (`Now`, `Waited`, `N`, …)."""

    variable: str


@record
class Sample:
    """A draw of `law` (`Exp`, `Det`, `Uniform`, `Erlang`, `H2`, `Bernoulli`)."""

    law: str
    args: tuple[Expr, ...]


@record
class Call:
    """A function or an observable (`Min`, `Queue`, `Used`, …) of its arguments."""

    function: str
    args: tuple[Expr | PoolRef | StageRef, ...]


@record
class Unary:
    """`Neg` or `Not`."""

    op: str
    operand: Expr


@record
class Binary:
    """`Add Sub Mul Div Pow Lt Le Gt Ge Eq Ne And Or`."""

    op: str
    left: Expr
    right: Expr


@record
class Cond:
    test: Expr
    yes: Expr
    no: Expr


@record
class Cost:
    """A number converted to an amount of a resource; its value is `value`'s."""

    resource: Resource
    value: Expr


@record
class Agg:
    """`Total Count Largest Smallest PrefixTotal` of an observation."""

    aggregate: str
    observe: int


Expr = Num | Attr | Reg | Ctx | Sample | Call | Unary | Binary | Cond | Cost | Agg

# --------------------------------------------------------------- statements


@record
class Turn:
    pass


@record
class Set:
    slot: int
    value: Expr


@record
class Observe:
    observe: int
    value: Expr


@record
class HoldRequest:
    """What a hold asks of one pool; `reserve` is None where it is the units."""

    pool: PoolRef
    units: Expr
    reserve: Expr | None


@record
class Lease:
    pool: PoolRef
    duration: Expr


@record
class Hold:
    pools: tuple[HoldRequest, ...]
    reuse: Expr | None
    body: int
    cache: Expr | None
    lease: Lease | None


@record
class Grow:
    pool: PoolRef
    amount: Expr


@record
class Load:
    pool: PoolRef
    amount: Expr


@record
class Drop:
    pool: PoolRef


@record
class Release:
    pool: PoolRef


Mode = Literal["Plain", "Prefill", "Decode"]


@record
class Run:
    """`also` are the further stages of a flow, none for a run on one stage."""

    stage: StageRef
    mode: Mode
    work: Expr
    growing: PoolRef | None
    also: tuple[StageRef, ...] = ()


@record
class Branch:
    test: Expr
    yes: int
    no: int


@record
class While:
    test: Expr
    body: int


@record
class Loop:
    body: int


@record
class Choose:
    slot: int
    count: Expr
    keys: tuple[Expr, ...]


@record
class Fork:
    body: int


@record
class Join:
    pass


@record
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


@record
class PreemptBy:
    """The victim is the candidate with the least keys; `tail`: it re-queues as a newcomer."""

    keys: tuple[Expr, ...]
    tail: bool = False


@record
class Spill:
    """An evicted prefix for which `when` holds goes to pool `to` through stage `via`."""

    to: int
    via: int
    work: Expr
    when: Expr


@record
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


@record
class Fifo:
    servers: int


@record
class Ps:
    """Throughput `capacity` shared equally; `delay` is the capacity `Ctx("N")`."""

    capacity: Expr


@record
class Serve:
    """`advance running`; `by` None where no order is written."""

    only: Expr | None = None
    by: tuple[Expr, ...] | None = None


@record
class Admit:
    """`admit waiting`; `gate` is its `while`."""

    only: Expr | None = None
    gate: Expr | None = None


@record
class IterationBranch:
    test: Expr
    yes: tuple[IterationStatement, ...]
    no: tuple[IterationStatement, ...]


@record
class SetRegister:
    register: int
    value: Expr


IterationStatement = Serve | Admit | IterationBranch | SetRegister


@record
class Step:
    """An engine. `serve` None is the exclusive prefill; `iteration` None the plain schedule."""

    budget: Expr
    cost: Expr
    chunk: Expr
    granule: Expr | None
    serve: tuple[Expr, ...] | None
    memory: int | None
    iteration: tuple[IterationStatement, ...] | None


@record
class Stage:
    name: str
    index: int | None
    kind: Fifo | Ps | Step


# ----------------------------------------------------------------- arrivals


@record
class Poisson:
    rate: float


@record
class Renewal:
    gap: Expr


@record
class Closed:
    population: int


@record
class Batch:
    size: int


Presets = tuple[tuple[int, float], ...]


@record
class ExplicitSession:
    """A session given in the IR: slots set after `init`, and per turn instead of a trace."""

    attrs: Presets
    turns: tuple[Presets, ...] = ()


@record
class Sessions:
    sessions: tuple[ExplicitSession, ...]


@record
class NoArrivals:
    pass


Arrival = Poisson | Renewal | Closed | Batch | Sessions | NoArrivals

# ----------------------------------------------------- gauges, claims, state


@record
class Gauge:
    name: str
    expr: Expr


@record
class EveryIteration:
    stage: int


@record
class SomeIteration:
    stage: int


@record
class AtEnd:
    pass


@record
class Claim:
    name: str
    given: Expr | None
    kind: EveryIteration | SomeIteration | AtEnd
    expr: Expr


@record
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


@record
class Settings:
    """How long and on which seed: what a run is told from outside the model."""

    horizon: float
    warmup: float = 0.0
    seed: int = 1
    arrivals: int | None = None


@record
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
