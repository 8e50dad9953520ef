"""The rules of the language on small programs: verdicts and words of the reference.

`rules.json` holds a server, more of the workload, more declarations, and the
reference implementation's message without its position, null where it links.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ir_building import num, program, ref, served

from serq_simpy.errors import LinkError
from serq_simpy.frontend.load import load
from serq_simpy.ir import model as ir
from serq_simpy.ir.checks import check

CASES = json.loads((Path(__file__).parent / "rules.json").read_text(encoding="utf-8"))

PROGRAM = """fn main() {
  pool p { cap 8; }
  pool r { preempt lifo; }
  pool k[2] { }
  pool b { block 4; cap 8; }
  stage d : delay;
  stage s[2] : fifo;
  stage f : fifo;
  %s
  workload { arrive batch(1); %s }
  server { %s }
  %s
}
"""


def verdict(server, workload="", top="", bottom=""):
    """The messages, without their places; none if the program links."""
    source = PROGRAM % (top, workload, server, bottom)
    try:
        load(None, source, {}, {}, ir.Settings(horizon=10.0))
    except LinkError as error:
        return [found.message for found in error.diagnostics], error
    return [], None


@pytest.mark.parametrize("case", CASES, ids=[" / ".join(filter(None, case[:3])) for case in CASES])
def test_as_the_reference(case):
    *parts, expected = case
    found, error = verdict(*parts)
    if expected is None:
        assert found == []
    else:
        assert found[0] == expected
        assert error.diagnostics[0].span is not None or expected.startswith("`share`")


HIDDEN = "hidden o; init { set o = 1; }"

# Where the language is held to more than the reference implementation holds it.
STRICTER = [
    ("branch (1 + 1) { }", "", "`branch (1 + 1)` is not a test: a guard is 0 or 1."),
    ("branch (0/0) { }", "", "`branch (0 / 0)` is not a test: a guard is 0 or 1."),
    ("while (1 + 1) { run d (cost(d, 1)); }", "", "session: `while (1 + 1)`: the guard is not"),
    (
        "branch (v > 1) { }",
        f"{HIDDEN} turn {{ set v = o; }}",
        "`v` is set from the hidden `o` in the workload's turn, but the server's branch",
    ),
    (
        "branch (v > 1) { }",
        "hidden o; init { set o = 1; set v = o; }",
        "`v` is set from the hidden `o` in the workload's init, but the server's branch",
    ),
    (
        "branch (v > 1) { }",
        f"{HIDDEN} session {{ set v = o; turn; }}",
        "`v` is set from the hidden `o` in the workload's session, but the server's branch",
    ),
]


@pytest.mark.parametrize(("server", "workload", "message"), STRICTER, ids=range(len(STRICTER)))
def test_stricter_than_the_reference(server, workload, message):
    (found,), _ = verdict(server, workload)
    assert found.startswith(message)


def test_what_a_run_has_revealed_the_session_may_keep():
    later = f"{HIDDEN} session {{ turn; while (more) {{ set v = v + o; turn; }} }}"
    assert verdict("hold p (cost(p, v)) { run d (cost(d, o)); }", later)[0] == []


def test_all_independent_errors_in_text_order_once_each():
    server = """
      run d (cost(d, -1));
      branch (2) { set y = tokens; }
      hold p (cost(p, 9)) { grow r (cost(r, 1)); }
      observe a = cost(p, 1) + 1;
    """
    # Two turns: the server stands twice in the program, and once in the text.
    found, error = verdict(server, "session { turn; turn; }")
    wanted = [
        "`run d (-1)`",
        "`branch (2)`",
        "`tokens` is read",
        "a hold on pool `p` waits for 9",
        "`grow r` outside",
        "incompatible cost operands",
    ]
    assert len(found) == len(wanted)
    assert all(part in message for part, message in zip(wanted, found, strict=True)), found
    starts = [diagnostic.span.start for diagnostic in error.diagnostics]
    assert starts == sorted(starts)


def test_a_program_without_text_names_block_and_statement():
    made = served({"Loop": 3}, bodies=([{"Grow": [ref(), num(1.0)]}],))
    found = [diagnostic.message for diagnostic in check(program(made))]
    assert found == [
        "session, block 3, statement 1: resource use requires its cost type; convert the quantity "
        "with cost(resource, expression)",
        "session, block 3, statement 1: `grow p` outside a hold of `p`: it acts on an enclosing "
        "hold's allocation",
        "session, block 2, statement 2: a `loop` must let time pass on every pass through its "
        "body: a `run`, a `hold` whose body does, or `end` on every path",
    ]
