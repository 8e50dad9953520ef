"""`serq ir`: a program as data."""

from __future__ import annotations

from serq_simpy.cli.programs import load
from serq_simpy.cli.settings import Settings
from serq_simpy.cli.streams import put

EXAMPLES = """\b
Examples:
  serq ir mm1.sq --horizon 10000 > mm1.json
  serq run mm1.json --seed 2
"""


def ir(path: str, settings: Settings) -> None:
    """Print the linked program, settings and all, as JSON."""
    put(load(path, settings).to_json())
