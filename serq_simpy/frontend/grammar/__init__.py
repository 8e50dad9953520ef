"""The grammar of the language: every rule, as data.

The rules are written in `notation`; `lalr` turns them into tables ahead of time, and
`automaton` runs the tables. `BINDING` lists, from loosest to tightest, what decides
between two readings of operators.
"""

from __future__ import annotations

from typing import Final

from serq_simpy.frontend.grammar.declarations import DECLARATIONS
from serq_simpy.frontend.grammar.engines import ENGINES
from serq_simpy.frontend.grammar.expressions import BINDING, EXPRESSIONS, OPERATORS
from serq_simpy.frontend.grammar.files import FILES
from serq_simpy.frontend.grammar.queues import QUEUES
from serq_simpy.frontend.grammar.statements import STATEMENTS
from serq_simpy.frontend.notation import Production, productions

__all__ = ["BINDING", "OPERATORS", "PRODUCTIONS"]

PRODUCTIONS: Final[tuple[Production, ...]] = productions(
    (*FILES, *EXPRESSIONS, *STATEMENTS, *DECLARATIONS, *ENGINES, *QUEUES)
)
"""The productions, the first one what a text is."""
