"""The scripts a checkout starts with, in a copy of what they need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import QUEUE, ROOT

TOOLS = ("sh", "dirname", "readlink", "cat", "cmp")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a path with spaces, without an environment."""
    folder = tmp_path / "my own copy"
    (folder / "scripts").mkdir(parents=True)
    for name in ("serq", "python.sh", "environment"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts" / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def make_ready(checkout: Path) -> None:
    """Give the checkout an environment that runs this package, stamped as made from it."""
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    stamp = f"{checkout}\n{(checkout / 'pyproject.toml').read_text()}"
    (checkout / ".venv" / "installed").write_text(stamp)


def start(
    script: Path, *args: str, folder: Path, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(script), *args],
        cwd=folder,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        capture_output=True,
        text=True,
    )


def only_tools(folder: Path, *programs: tuple[str, str]) -> str:
    """A PATH with the shell's tools and, by name, the programs given as their text."""
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    for name, text in programs:
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return str(folder)


def test_a_ready_checkout_just_starts(checkout: Path, tmp_path: Path) -> None:
    """From the user's folder, with its arguments as they are, and without any installing."""
    make_ready(checkout)
    (tmp_path / "a queue.sq").write_text(QUEUE)
    path = only_tools(tmp_path / "tools")
    done = start(checkout / "scripts" / "serq", "check", "a queue.sq", folder=tmp_path, path=path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("a queue.sq: ok\n")


def test_it_may_be_called_by_a_link(checkout: Path, tmp_path: Path) -> None:
    make_ready(checkout)
    (tmp_path / "serq").symlink_to(checkout / "scripts" / "serq")
    assert start(tmp_path / "serq", "--version", folder=tmp_path).returncode == 0


def test_a_module_in_the_users_folder_is_not_imported(checkout: Path, tmp_path: Path) -> None:
    make_ready(checkout)
    (tmp_path / "typer.py").write_text("raise SystemExit(9)")
    done = start(checkout / "scripts" / "serq", "--version", folder=tmp_path)
    assert done.returncode == 0


def test_without_a_python_it_says_so(checkout: Path, tmp_path: Path) -> None:
    path = only_tools(tmp_path / "tools", ("python3", "#!/bin/sh\nexit 1\n"))
    done = start(checkout / "scripts" / "serq", "--version", folder=tmp_path, path=path)
    assert done.returncode == 2
    assert done.stderr.startswith("serq: needs Python 3.11 or newer, and found none")
    assert done.stderr.count("\n") == 1


def test_without_venv_it_says_so(checkout: Path, tmp_path: Path) -> None:
    without = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\n'
    path = only_tools(tmp_path / "tools", ("python3.12", without))
    done = start(checkout / "scripts" / "serq", "--version", folder=tmp_path, path=path)
    assert done.returncode == 2
    assert done.stderr.startswith("serq: python3.12 has no venv module")


def test_a_change_of_the_project_file_is_noticed(checkout: Path, tmp_path: Path) -> None:
    """It is installed again, here by a Python that only says so."""
    make_ready(checkout)
    with (checkout / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    stand_in = '#!/bin/sh\n[ "$1" = -c ] || { echo "made $2 $3" >&2; exit 2; }\n'
    path = only_tools(tmp_path / "tools", ("python3", stand_in))
    done = start(checkout / "scripts" / "serq", "--version", folder=tmp_path, path=path)
    assert done.returncode == 2
    assert done.stderr == f"made {checkout}/.venv \n"


def test_an_environment_that_is_ready_is_not_made_again(checkout: Path) -> None:
    """As the second of two first starts at once finds it, after it has waited."""
    make_ready(checkout)
    done = subprocess.run(
        [sys.executable, str(checkout / "scripts" / "environment"), str(checkout / ".venv")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
