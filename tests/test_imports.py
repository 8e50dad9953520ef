"""Data flows one way: which package may import which."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import serq_simpy

ROOT = Path(serq_simpy.__file__).parent

GROUND = {"errors", "node", "_version"}
MAY_IMPORT = {
    "errors": set[str](),
    "node": set[str](),
    "ir": GROUND,
    "frontend": GROUND | {"ir"},
    "draws": {"errors"},
    "measure": set[str](),
    "compiler": {"ir", "draws"},
    "clock": {"resources"},
    "resources": {"errors", "clock", "measure", "ir"},
    "engines": {"errors", "clock", "resources", "measure", "ir"},
    "processes": {"errors", "ir", "draws", "measure", "compiler", "clock", "resources", "engines"},
    "traces": {"errors", "ir"},
    "report": {"errors", "measure", "ir", "_version"},
}
"""What each package may import of the others; `program` and `cli` may import everything.

`clock` knows the kind of event that waits (`resources.wait`), which knows nothing.
"""


def imported(path: Path) -> set[str]:
    """The packages of ours that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "serq_simpy" and len(parts) > 1:
                found.add(parts[1])
    return {name for name in found if (ROOT / name).is_dir() or (ROOT / f"{name}.py").exists()}


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_a_package_imports_only_what_stands_before_it(package: str) -> None:
    folder = ROOT / package
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{package}.py"]
    assert files
    for path in files:
        extra = imported(path) - MAY_IMPORT[package] - {package}
        assert not extra, f"{path.relative_to(ROOT)} imports {sorted(extra)}"


def test_every_package_has_its_place() -> None:
    packages = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert packages - {"__init__", "__main__", "__pycache__", "_version", "py"} == {
        *MAY_IMPORT,
        "program",
        "cli",
    }
