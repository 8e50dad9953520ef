"""Write the golden of a program of this folder: what the reference implementation makes of it.

    python tests/conformance/make_golden.py tests/conformance/GROUP/NAME.sq …

Needs `pyserq`, which `pip install -e .[bench]` installs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pyserq  # type: ignore[import-untyped,import-not-found,unused-ignore]
from golden_programs import Case, figures


def golden(case: Case) -> dict[str, Any]:
    """IR and figures of a program, or the error it ends with; see README.md."""
    os.chdir(case.path.parent)
    made: dict[str, Any] = {}
    stage = "compile"
    try:
        program = pyserq.compile(case.path.name, **case.args)
        made["ir"] = json.loads(program.to_json())
        stage = "run"
        return made | figures(pyserq.run(program))
    except Exception as error:
        message = str(error).partition("\n")[0].removeprefix(f"{case.path.name}:")
        return {"error": {"stage": stage, "message": message}, **made}


def main(paths: list[str]) -> None:
    """Write the golden beside every program of `paths`."""
    for case in [Case(Path(path).resolve()) for path in paths]:
        text = json.dumps(golden(case), separators=(",", ":"), allow_nan=False)
        case.path.with_suffix(".golden.json").write_text(text + "\n", encoding="utf-8")
        print(case.name)


if __name__ == "__main__":
    main(sys.argv[1:])
