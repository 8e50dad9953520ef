"""Reading devices and engines into what they own: the first pass over their declarations."""

from __future__ import annotations

from collections.abc import Callable

from serq_simpy.errors import Span
from serq_simpy.frontend import syntax as s
from serq_simpy.frontend import walk
from serq_simpy.frontend.definitions import check_parameters
from serq_simpy.frontend.names import Names
from serq_simpy.frontend.owners import Capacity, Device, Engine
from serq_simpy.frontend.problems import Problems, Refused
from serq_simpy.frontend.scope import Placed
from serq_simpy.frontend.words import CONSTRUCTS, LANGUAGE_WORDS

ArraySize = Callable[[s.Expr, Placed], int]


def read_device(
    item: s.DeviceDeclaration, device: Device, names: Names, problems: Problems
) -> None:
    """Enter the time resources and the capacities of a device."""
    for resource in item.resources:
        with problems.catching():
            name, span = resource.name, resource.name_span
            _free_for_resource(name, span, names)
            if name in device.resources or name in device.capacities:
                raise Refused(span, f"`{name}` is a resource of `{device.name}` twice")
            if isinstance(resource, s.Capacity):
                _one_of_each(resource, device)
                device.capacities[name] = Capacity(resource)
            else:
                definition = s.Definition(name, resource.params, resource.value, span, span)
                device.resources[name] = definition
                check_parameters(definition)
    with problems.catching():
        _refuse_circles(device)


def _one_of_each(capacity: s.Capacity, device: Device) -> None:
    if capacity.count is not None:
        raise Refused(
            capacity.count.span,
            f"a device's capacity is `{capacity.name} cap expr;`, without a `[N]`",
            f"a family of devices, `device {device.name}[N]`, has one a member",
        )


def _free_for_resource(name: str, span: Span, names: Names) -> None:
    """A resource is called as a definition and a function are."""
    if name in LANGUAGE_WORDS or name == "pow":
        raise Refused(span, f"`{name}` is a word of the language: name the resource otherwise")
    if names.kind(name) == "definition":
        raise Refused(
            span,
            f"`{name}` is a definition at {names.place(name)}, and a resource is read as one is: "
            "name the resource otherwise",
        )


def _refuse_circles(device: Device) -> None:
    """Time resources may read one another in any order, but none itself."""
    settled: set[str] = set()
    for start in device.resources:
        stack = [(start, iter(_uses(device, start)))]
        around = {start}
        while stack:
            name, uses = stack[-1]
            used = next(uses, None)
            if used is None:
                stack.pop()
                around.discard(name)
                settled.add(name)
            elif used in around:
                span = device.resources[start].name_span
                raise Refused(
                    span,
                    f"the time resource `{used}` of `{device.name}` reads itself",
                    "a resource is written out where it is read, so it never ends",
                )
            elif used not in settled:
                around.add(used)
                stack.append((used, iter(_uses(device, used))))


def _uses(device: Device, name: str) -> list[str]:
    body = device.resources[name].body
    assert not isinstance(body, s.Block)
    called = [node.name for node in walk.nodes(body) if isinstance(node, s.Call)]
    return [used for used in dict.fromkeys(called) if used in device.resources]


# ------------------------------------------------------------------ engines


def check_count(engine: s.EngineDeclaration, count: int, device: Device) -> None:
    """An engine has as many members as its device. Raises `Refused`."""
    if engine.count is not None:
        matches = device.indexed and count == device.count
    else:
        matches = not device.indexed
    if matches:
        return
    if device.indexed:
        is_what, write = f"a family of {device.count}", f"{engine.name}[{device.count}]"
    else:
        is_what, write = "one device", engine.name
    raise Refused(
        engine.name_span,
        f"an engine is one per device: `{device.name}` is {is_what}, so write "
        f"`engine {write} on {device.name}`",
    )


def read_capacities(engine: Engine, size_of: ArraySize, problems: Problems) -> None:
    """Enter the capacities of an engine."""
    for item in engine.parts.capacities:
        with problems.catching():
            _read_capacity(engine, item, size_of)


def _read_capacity(engine: Engine, item: s.Capacity, size_of: ArraySize) -> None:
    name, span = item.name, item.name_span
    if name in CONSTRUCTS:
        raise Refused(span, f"`{name}` is a word of the language: name the capacity otherwise")
    if name in engine.capacities:
        raise Refused(span, f"`{name}` is a capacity of `{engine.name}` twice")
    engine.capacities[name] = Capacity(item)
    if item.count is None:
        return
    queues = size_of(item.count, engine.placed)
    if engine.count > 1:
        family = f"{engine.name}[{engine.count}]"
        raise Refused(
            span,
            f"`{name}[{queues}]` in engine family `{family}`: each member would admit {queues} "
            f"queues; `{name} cap c;` already gives each member its own `{name}`",
        )
    engine.capacities[name].queues = queues
