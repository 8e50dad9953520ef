"""What a message quotes cannot steer the terminal it is read on."""

from __future__ import annotations

import pytest

import serq_simpy
from serq_simpy.errors import Diagnostic, SerqError, Source, Span, shown

PLAIN = "fn main() {{ stage desk : fifo; workload {{ arrive batch(1); }} server {{ {} }} }}"


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[2J",
        "run dsk /* \x1b]0;owned\x07\x9b2J */ (1);",
        "observe x = 1; \u202e",
        "\x00",
        "\ud800",
        'use "\x1b[2J";',
    ],
)
def test_control_characters_of_a_program_are_not_printed(text: str) -> None:
    with pytest.raises(SerqError) as raised:
        serq_simpy.compile(source=PLAIN.format(text), horizon=1)
    assert all(line.isprintable() for line in str(raised.value).split("\n"))


def test_carets_stand_under_what_they_mean() -> None:
    source = Source("q.sq", "a\t\x1b\x1b b\u3000c wrong")
    start = source.text.index("wrong")
    lines = str(Diagnostic("no", Span(source, start, start + 5))).split("\n")
    assert lines == ["q.sq:1:10: no", "1 | a �� b\u3000c wrong", "  |          ^^^^^"]


def test_a_message_is_one_line() -> None:
    diagnostic = Diagnostic("no `a\nb`", help="not\x1b[2J", notes=("c\r",))
    assert str(diagnostic) == "no `a\\nb`\nnote: c\\r\nhelp: not\\x1b[2J"
    assert shown("größer, 大") == "größer, 大"
