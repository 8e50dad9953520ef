"""A run does not depend on the process it runs in.

What a program gives may not follow the order of a set, an address or a clock: two more
processes, whose strings hash otherwise, must give every figure to the last bit.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from golden_programs import Outcome, cases, outcome


def fingerprint(found: Outcome) -> str:
    """A hash of everything that a program gave, errors included."""
    return hashlib.sha256(f"{found.report}{found.result}".encode()).hexdigest()


def fingerprints() -> dict[str, str]:
    """The fingerprint of every program, by name."""
    made = {}
    before = Path.cwd()
    for case in cases():
        os.chdir(case.path.parent)
        made[case.name] = fingerprint(outcome(case))
    os.chdir(before)
    return made


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_a_run_is_the_same_in_another_process(seed: str) -> None:
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(paths)}
    printed = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert dict(line.split() for line in printed.splitlines()) == fingerprints()


if __name__ == "__main__":
    for name, found in fingerprints().items():
        print(name, found)
