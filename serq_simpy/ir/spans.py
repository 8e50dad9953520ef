"""Where in the text the parts of an IR stand.

The IR has no positions. The linker hands this table over beside it; a program
that came as JSON has an empty one, and then messages name block and statement.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from serq_simpy.errors import Span


@dataclass(slots=True)
class Spans:
    """Spans by block and statement number, and by the number of a declaration.

    `attrs` holds the first assignment of an attribute, `hidden` where one is hidden.
    """

    statements: dict[tuple[int, int], Span] = field(default_factory=dict)
    pools: dict[int, Span] = field(default_factory=dict)
    stages: dict[int, Span] = field(default_factory=dict)
    gauges: dict[int, Span] = field(default_factory=dict)
    claims: dict[int, Span] = field(default_factory=dict)
    attrs: dict[int, Span] = field(default_factory=dict)
    hidden: dict[int, Span] = field(default_factory=dict)
    registers: dict[int, Span] = field(default_factory=dict)
    arrival: Span | None = None
    share: Span | None = None
