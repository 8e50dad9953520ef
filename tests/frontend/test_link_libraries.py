"""Libraries: read once, relative to their user, errors with the way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_simpy.errors import LinkError, UsageError
from serq_simpy.frontend.load import Linked, load
from serq_simpy.ir import model as ir


def _load(folder: Path, **files: str) -> Linked:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".sq")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load(folder / "main.sq", None, {}, {}, ir.Settings(10.0), None)


def _refused(folder: Path, **files: str) -> str:
    with pytest.raises(LinkError) as refused:
        _load(folder, **files)
    return str(refused.value).replace(f"{folder}/", "")


def test_libraries_use_one_another_in_circles(tmp_path: Path) -> None:
    linked = _load(
        tmp_path,
        main='use "sub/a.sq"; fn main() { use "sub/b.sq"; let n = a() * b(); pool p { cap n; } }',
        sub__a='use "b.sq"; use "a.sq"; use "std/args"; def a() { 2 * b() }',
        sub__b='use "a.sq"; use "../empty.sq"; def b() { 3 }',
        empty="",
    )
    assert linked.program.pools[0].cap == 18.0


def test_an_error_in_a_body_names_the_library_and_the_use(tmp_path: Path) -> None:
    text = _refused(
        tmp_path,
        main='use "lib.sq";\nfn main() { gauge g = twice(1); }',
        lib="def twice(x) {\n  x * nope }",
    )
    assert text.startswith("lib.sq:2:7: unknown name `nope`")
    assert "note: in `twice`, used at main.sq:2:23" in text


def test_an_error_in_a_library_s_text_names_its_import(tmp_path: Path) -> None:
    text = _refused(tmp_path, main='use "lib.sq"; fn main() { }', lib="let x = 1;")
    assert text.startswith("lib.sq:1:1: ")
    assert "note: in `lib.sq`, used at main.sq:1:1" in text


def test_two_definitions_of_one_name(tmp_path: Path) -> None:
    text = _refused(
        tmp_path,
        main='def f() { 1 } use "lib.sq"; fn main() { }',
        lib="def g() { 1 }\ndef f() { 2 }",
    )
    assert text.startswith("lib.sq:2:5: `f` is defined twice")


def test_a_definition_above_the_import_does_not_see_it(tmp_path: Path) -> None:
    text = _refused(
        tmp_path,
        main='def four() { 2 * twice() } use "lib.sq"; fn main() { }',
        lib="def twice() { 2 }",
    )
    assert text.startswith("main.sq:1:18: `four` uses `twice`, which is defined after it")


def test_libraries_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary.sq").write_bytes(b"\xff\xfe")
    text = _refused(
        tmp_path, main='use "none.sq";\nuse ".";\nuse "binary.sq";\nuse "a\0b";\nfn main() { }'
    )
    assert "main.sq:1:1: cannot read `none.sq`: No such file or directory" in text
    assert "main.sq:2:1: cannot read `.`: Is a directory" in text
    assert "main.sq:3:1: cannot read `binary.sq`: it is not UTF-8 text" in text
    assert "main.sq:4:1: the path of a library is no path" in text


def test_a_program_given_as_text_has_no_libraries() -> None:
    with pytest.raises(LinkError, match="this program was given as text"):
        load(None, 'use "lib.sq"; fn main() { }', {}, {}, ir.Settings(10.0))


def test_programs_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary.sq").write_bytes(b"\xff\xfe")
    for path, says in (
        (tmp_path / "none.sq", "No such file"),
        (tmp_path, "Is a directory"),
        (tmp_path / "binary.sq", "not UTF-8"),
        (Path("a\0b"), "NUL"),
    ):
        with pytest.raises(UsageError, match=says):
            load(path, None, {}, {}, ir.Settings(10.0))
    with pytest.raises(UsageError, match="give a program"):
        load(None, None, {}, {}, ir.Settings(10.0))
