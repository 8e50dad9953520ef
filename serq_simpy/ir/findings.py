"""What the checks of an IR find, and where they say it is."""

from __future__ import annotations

from collections.abc import Mapping

from serq_simpy.errors import Diagnostic, Span
from serq_simpy.ir import model as ir
from serq_simpy.ir.printing import Printer
from serq_simpy.ir.spans import Spans
from serq_simpy.ir.walk import Place, Site, sites

_ROOTS = {ir.INIT: "init", ir.TURN: "turn", ir.SESSION: "session"}


class Findings:
    """Diagnostics by the place they are about: one a place and rule, none twice."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._found: list[Diagnostic] = []
        self._seen: set[object] = set()

    def __bool__(self) -> bool:
        return bool(self._found)

    def in_order(self) -> list[Diagnostic]:
        """What was found: by place in the text, what has none first."""
        return sorted(self._found, key=_text_order)

    def statement(
        self, site: Site, message: str, *, rule: str, named: bool = True, help: str | None = None
    ) -> None:
        """A statement breaks a rule; `named`: the message begins with its root block's name."""
        root = _ROOTS[site.root]
        span = self._spans.statements.get((site.place.block, site.place.index))
        if span is None:
            where = f"{root}, block {site.place.block}, statement {site.place.index + 1}: "
        else:
            where = f"{root}: " if named else ""
        self._add((rule, site.place), where + message, span, help)

    def pool(self, number: int, pool: ir.Pool, message: str, help: str | None = None) -> None:
        """A pool's declaration breaks a rule; said once for a family."""
        self._declared(self._spans.pools, number, f"pool `{pool.name}`", message, help)

    def stage(self, number: int, stage: ir.Stage, message: str, help: str | None = None) -> None:
        """A stage's or an engine's declaration breaks a rule; said once for a family."""
        kind = "engine" if isinstance(stage.kind, ir.Step) else "stage"
        self._declared(self._spans.stages, number, f"{kind} `{stage.name}`", message, help)

    def gauge(self, number: int, gauge: ir.Gauge, message: str, help: str | None = None) -> None:
        """A gauge breaks a rule."""
        self._declared(self._spans.gauges, number, f"gauge `{gauge.name}`", message, help)

    def claim(self, number: int, claim: ir.Claim, message: str, help: str | None = None) -> None:
        """A claim breaks a rule."""
        self._declared(self._spans.claims, number, f"claim `{claim.name}`", message, help)

    def register(self, number: int, register: ir.Register, message: str) -> None:
        """An engine's register breaks a rule."""
        self._declared(self._spans.registers, number, f"state `{register.name}`", message, None)

    def attribute(self, slot: int, message: str) -> None:
        """The assignments of an attribute break a rule."""
        self._add(None, message, self._spans.attrs.get(slot), None)

    def hidden(self, slot: int, message: str) -> None:
        """Hiding an attribute breaks a rule."""
        self._add(None, message, self._spans.hidden.get(slot), None)

    def arrival(self, message: str) -> None:
        """The arrivals break a rule."""
        self._add(None, message, self._spans.arrival, None)

    def share(self, message: str) -> None:
        """The program's `share` breaks a rule."""
        self._add(None, message, self._spans.share, None)

    def program(self, message: str, help: str | None = None) -> None:
        """The program as a whole breaks a rule."""
        self._add(None, message, None, help)

    def _declared(
        self, spans: Mapping[int, Span], number: int, name: str, message: str, help: str | None
    ) -> None:
        self._add(None, f"{name}: {message}", spans.get(number), help)

    def _add(self, key: object, message: str, span: Span | None, help: str | None) -> None:
        here = None if span is None else (span.source.name, span.start, span.end)
        said = ("said", here, message)
        if said in self._seen or (key is not None and key in self._seen):
            return
        self._seen.update((said, key))
        self._found.append(Diagnostic(message, span, help))


def _text_order(found: Diagnostic) -> tuple[bool, int]:
    return found.span is not None, 0 if found.span is None else found.span.start


class Subject:
    """A program under check: its statements in text order, its printer, what was found."""

    def __init__(self, program: ir.Program, findings: Findings) -> None:
        self.program = program
        self.findings = findings
        self.printer = Printer(program)
        self.init = tuple(sites(program, ir.INIT))
        self.turn = tuple(sites(program, ir.TURN))
        self.session = tuple(sites(program, ir.SESSION))
        self.hidden = frozenset(program.hidden)

    @property
    def statements(self) -> tuple[Site, ...]:
        """The statements of `init`, `turn` and the session."""
        return self.init + self.turn + self.session

    def site(self, block: int, index: int, root: int) -> Site:
        """A statement by its place, where what it stands in does not matter."""
        return Site(Place(block, index), self.program.blocks[block][index], (), root)

    def side(self, site: Site) -> ir.Side:
        """Whose statement it is: the workload's or the server's."""
        return self.program.sides[site.place.block][site.place.index]

    def is_engine(self, stage: ir.StageRef) -> bool:
        """Whether a reference names an engine."""
        return isinstance(self.program.stages[stage.base].kind, ir.Step)
