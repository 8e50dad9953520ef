"""The syntax tree: the program as it was written, before anything has a meaning.

Every node knows its span. Names are not resolved: `Reference("kv", …)` may be a
pool, an attribute, a constant or a definition's parameter.
"""

from __future__ import annotations

from typing import Literal

from serq_simpy.errors import Span
from serq_simpy.node import node

# -------------------------------------------------------------- expressions


@node
class Number:
    value: float
    span: Span


@node
class Reference:
    """A name: `x`, `kv[j]`, `running.count`, `P[i].kv`; `inf` is a name too."""

    name: str
    index: Expr | None
    fields: tuple[str, ...]
    span: Span


@node
class Call:
    """`f(a, …)`: a function, an observable, `cost`, or the use of a definition."""

    name: str
    args: tuple[Expr, ...]
    span: Span


@node
class Draw:
    """`~law(a, …)`."""

    law: str
    args: tuple[Expr, ...]
    span: Span


@node
class Unary:
    """`op` is `-` or `!`."""

    op: str
    operand: Expr
    span: Span


@node
class Binary:
    """`op` as written: `+ - * / ^ < <= > >= == != && ||`."""

    op: str
    left: Expr
    right: Expr
    span: Span


@node
class Choice:
    """`test ? yes : no`."""

    test: Expr
    yes: Expr
    no: Expr
    span: Span


@node
class Aggregate:
    """`max j in count (body)`; `kind` is `max`, `min` or `sum`."""

    kind: str
    index: str
    count: Expr
    body: Expr
    span: Span


Expr = Number | Reference | Call | Draw | Unary | Binary | Choice | Aggregate

# --------------------------------------------------------------- statements


@node
class Block:
    statements: tuple[Statement, ...]
    span: Span


@node
class Turn:
    span: Span


@node
class Set:
    """`set x = e;`, `Size x = e;`, `Cost x = e;` by `kind`."""

    kind: Literal["set", "Size", "Cost"]
    name: str
    value: Expr
    span: Span
    name_span: Span


@node
class CostRecord:
    """`Cost x = { resource : e, … };`."""

    name: str
    fields: tuple[tuple[Reference, Expr], ...]
    span: Span
    name_span: Span


@node
class Observe:
    name: str
    value: Expr
    span: Span
    name_span: Span


@node
class HoldRequest:
    pool: Reference
    units: Expr
    reserve: Expr | None
    span: Span


@node
class Binding:
    """`name = value`, of `at admission`."""

    name: str
    value: Expr
    span: Span


@node
class Hold:
    requests: tuple[HoldRequest, ...]
    reuse: Expr | None
    bindings: tuple[Binding, ...]
    body: Block
    cache: Expr | None
    lease: tuple[Reference, Expr] | None
    span: Span


@node
class Grow:
    pool: Reference
    amount: Expr
    span: Span


@node
class Load:
    pool: Reference
    amount: Expr
    span: Span


@node
class Drop:
    pool: Reference
    span: Span


@node
class Release:
    pool: Reference
    span: Span


Mode = Literal["prefill", "decode"]


@node
class Run:
    """`run s, … [mode] (work) [growing p];`; no stage is the queue's own."""

    stages: tuple[Reference, ...]
    mode: Mode | None
    work: Expr
    growing: Reference | None
    span: Span


@node
class Phase:
    """`prefill (work) [growing p];` or `decode …`, in an engine's request."""

    mode: Mode
    work: Expr
    growing: Reference | None
    span: Span


@node
class Tool:
    """`tool e;`, `tool[j] e;`, `tool on s, … e;`: `index` and `on` exclude each other."""

    index: Expr | None
    on: tuple[Reference, ...]
    work: Expr
    span: Span


@node
class Transfer:
    """`transfer … (work) from source to target (amount);`, both None where not written."""

    index: Expr | None
    on: tuple[Reference, ...]
    work: Expr
    source: Reference | None
    target: tuple[Reference, Expr] | None
    span: Span


@node
class Branch:
    """`draw`: `branch with (p)`, where the test is a probability."""

    test: Expr
    yes: Block
    no: Block | None
    draw: bool
    span: Span


@node
class While:
    test: Expr
    body: Block
    span: Span


@node
class Loop:
    body: Block
    span: Span


@node
class Fork:
    body: Block
    span: Span


@node
class Join:
    span: Span


@node
class Choose:
    name: str
    count: Expr
    keys: tuple[Expr, ...]
    span: Span
    name_span: Span


@node
class End:
    span: Span


@node
class Mark:
    name: str
    span: Span


@node
class Invoke:
    """`name (a, …);`: a definition of statements, or an engine's request."""

    name: str
    args: tuple[Expr, ...]
    span: Span


@node
class EntryCall:
    """`Q[i].verb (a, …) [from P[j]] [to pool (e)];`."""

    queue: Reference
    verb: str
    args: tuple[Expr, ...]
    source: Reference | None
    target: tuple[Reference, Expr] | None
    span: Span


Statement = (
    Turn
    | Set
    | CostRecord
    | Observe
    | Hold
    | Grow
    | Load
    | Drop
    | Release
    | Run
    | Phase
    | Tool
    | Transfer
    | Branch
    | While
    | Loop
    | Fork
    | Join
    | Choose
    | End
    | Mark
    | Invoke
    | EntryCall
)

# ------------------------------------------------------------- declarations


@node
class Let:
    name: str
    value: Expr
    span: Span
    name_span: Span


@node
class Input:
    """`let name = args.function("argument", default);`."""

    name: str
    function: str
    argument: str
    default: Expr
    span: Span
    name_span: Span


@node
class Use:
    path: str
    span: Span


@node
class Definition:
    name: str
    params: tuple[tuple[str, Span], ...]
    body: Expr | Block
    span: Span
    name_span: Span


@node
class PoolOption:
    """One option of a pool; `keys` holds what its form carries.

    `word` is `cap`, `block`, `evict`, `preempt`, `queue`, `reserve`, `spill`;
    `form` is `lru`, `none`, `lifo`, `fifo`, `held`, `by`, or `""` for a number.
    """

    word: str
    form: str
    keys: tuple[Expr, ...]
    span: Span
    requeue: Literal["head", "tail"] | None = None
    spill: tuple[Reference, Reference] | None = None


@node
class PoolDeclaration:
    """`owner` is what follows `on`: a device, an engine, or `ENGINE.DEVICE`."""

    name: str
    count: Expr | None
    owner: Reference | None
    options: tuple[PoolOption, ...]
    span: Span
    name_span: Span


@node
class StageKind:
    """`fifo`, `fifo(c)`, `ps(φ)` or `delay`."""

    word: Literal["fifo", "ps", "delay"]
    argument: Expr | None
    span: Span


@node
class StageDeclaration:
    name: str
    count: Expr | None
    kind: StageKind
    span: Span
    name_span: Span


@node
class Arrive:
    """`law` is `poisson`, `renewal`, `closed`, `batch` or `none`."""

    law: str
    argument: Expr | None
    span: Span


@node
class Trace:
    path: str
    ordered: bool
    span: Span


@node
class Init:
    body: Block
    span: Span


@node
class TurnBlock:
    body: Block
    span: Span


@node
class SessionBlock:
    body: Block
    span: Span


@node
class Hidden:
    names: tuple[tuple[str, Span], ...]
    span: Span


WorkloadItem = Arrive | Trace | Init | TurnBlock | SessionBlock | Hidden


@node
class Workload:
    items: tuple[WorkloadItem, ...]
    span: Span


@node
class Server:
    body: Block
    span: Span


@node
class ShareDeclaration:
    policy: Literal["maxmin", "bottleneck"]
    span: Span


@node
class GaugeDeclaration:
    name: str
    value: Expr
    span: Span
    name_span: Span


@node
class ClaimDeclaration:
    """`kind` is `every`, `some` or `end`; `stage` None at the end."""

    name: str
    given: Expr | None
    kind: Literal["every", "some", "end"]
    stage: Reference | None
    value: Expr
    span: Span
    name_span: Span


@node
class TimeResource:
    """`name (param, …) = e;` of a device."""

    name: str
    params: tuple[tuple[str, Span], ...]
    value: Expr
    span: Span
    name_span: Span


@node
class Capacity:
    """`name [ '[' count ']' ] cap e;` of a device or an engine."""

    name: str
    count: Expr | None
    value: Expr
    span: Span
    name_span: Span


@node
class DeviceDeclaration:
    name: str
    count: Expr | None
    resources: tuple[TimeResource | Capacity, ...]
    span: Span
    name_span: Span


@node
class Advance:
    """`advance running`; `order` is `admission`, `decode first`, `by` or None."""

    only: Expr | None
    order: str | None
    keys: tuple[Expr, ...]
    at_most: Expr | None
    span: Span


@node
class AdmitWaiting:
    only: Expr | None
    gate: Expr | None
    at_most: Expr | None
    taking: tuple[HoldRequest, ...]
    reuse: Expr | None
    span: Span


@node
class ExclusivePrefill:
    at_most: Expr | None
    span: Span


@node
class ScheduleBranch:
    test: Expr
    yes: tuple[ScheduleStatement, ...]
    no: tuple[ScheduleStatement, ...]
    span: Span


@node
class ScheduleSet:
    name: str
    value: Expr
    span: Span
    name_span: Span


ScheduleStatement = Advance | AdmitWaiting | ExclusivePrefill | ScheduleBranch | ScheduleSet


@node
class Schedule:
    lets: tuple[Let, ...]
    statements: tuple[ScheduleStatement, ...]
    span: Span


@node
class TokensCap:
    value: Expr
    span: Span


@node
class Granule:
    value: Expr
    span: Span


@node
class State:
    name: str
    value: Expr
    span: Span
    name_span: Span


@node
class Execute:
    value: Expr
    span: Span


@node
class AtAdmission:
    bindings: tuple[Binding, ...]
    span: Span


@node
class CacheItem:
    value: Expr
    span: Span


@node
class RequestDeclaration:
    """`request (param, …) { … }`: its items in the order written."""

    params: tuple[tuple[str, Span], ...]
    items: tuple[Statement | AtAdmission | CacheItem, ...]
    span: Span


EngineItem = Capacity | TokensCap | Granule | State | Schedule | Execute | RequestDeclaration


@node
class EngineDeclaration:
    """`name` is empty in a queue, whose name the engine takes."""

    name: str
    count: Expr | None
    device: Reference
    items: tuple[EngineItem, ...]
    span: Span
    name_span: Span


@node
class Serve:
    kind: StageKind
    latency: Expr | None
    span: Span


@node
class Nic:
    kind: StageKind
    span: Span


@node
class Entry:
    verb: str
    params: tuple[tuple[str, Span], ...]
    source: tuple[str, Span] | None
    body: Block
    span: Span


QueueItem = PoolDeclaration | DeviceDeclaration | EngineDeclaration | Serve | Nic | Entry


@node
class QueueDeclaration:
    name: str
    count: Expr | None
    roles: tuple[tuple[str, Span], ...]
    items: tuple[QueueItem, ...]
    span: Span
    name_span: Span


@node
class Relation:
    """`reader pull source …` or `source push reader …`, by `verb`."""

    left: tuple[str, Span]
    verb: Literal["pull", "push"]
    right: tuple[str, Span]
    latency: Expr | None
    policy: Literal["maxmin", "bottleneck"]
    span: Span


Item = (
    Let
    | Input
    | Use
    | Definition
    | PoolDeclaration
    | StageDeclaration
    | DeviceDeclaration
    | EngineDeclaration
    | QueueDeclaration
    | Workload
    | Server
    | ShareDeclaration
    | Relation
    | GaugeDeclaration
    | ClaimDeclaration
)


@node
class File:
    """A source: what stands before `fn main()`, and the items in it.

    `main` is None in a library, which has no entry point.
    """

    preamble: tuple[Let | Use | Definition, ...]
    main: tuple[Item, ...] | None
    span: Span


@node
class Setting:
    """`word value;` of an instance's `run { … }`; a trace's value is its path.

    `value.span` has the digits as they were written, which a double may not hold.
    """

    word: Literal["horizon", "warmup", "seed", "arrivals", "trace"]
    value: Expr | str
    span: Span


@node
class Instance:
    """An instance: what a program's inputs are, and the settings of its run."""

    bindings: tuple[Let, ...]
    settings: tuple[Setting, ...]
    span: Span
