"""Functions of the module written: expressions under the names of the moment they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from serq_simpy.compiler.expressions import Expressions, Families, Names
from serq_simpy.compiler.reading import reads_attributes
from serq_simpy.compiler.writer import Writer
from serq_simpy.ir import model as ir

_STATEMENT_TIME = {"Now": "clock._now"}


class Functions:
    """Writes functions that return values, under the names of a program's resources."""

    def __init__(
        self, writer: Writer, pools: Sequence[str], stages: Sequence[str], families: Families
    ) -> None:
        self.writer = writer
        self.pools = pools
        self.stages = stages
        self.families = families

    def names(self, **changes: object) -> Names:
        given = {"context": _STATEMENT_TIME, **changes}
        return Names(self.pools, self.stages, self.families, **given)  # type: ignore[arg-type]

    @contextmanager
    def function(self, head: str, **names: object) -> Iterator[Expressions]:
        with self.writer.block(f"def {head}:"):
            yield Expressions(self.writer, self.names(**names))

    def returning(self, head: str, *exprs: ir.Expr, prologue: str = "", **names: object) -> None:
        """A function that returns one value, or a tuple of several."""
        with self.function(head, **names) as expressions:
            if prologue:
                self.writer.line(prologue)
            codes = [self.kept(expressions.value(expr)) for expr in exprs]
            self.writer.line(f"return {codes[0] if len(codes) == 1 else ', '.join(codes)}")

    def keys(self, head: str, keys: tuple[ir.Expr, ...], prologue: str, **names: object) -> None:
        """A function that returns a tuple of keys."""
        with self.function(head, **names) as expressions:
            if any(reads_attributes(key) for key in keys):
                self.writer.line(prologue)
            codes = [self.kept(expressions.value(key)) for key in keys]
            self.writer.line(f"return ({', '.join(codes)},)")

    def kept(self, code: str) -> str:
        return code if code.isidentifier() else self.writer.temporary(code)
