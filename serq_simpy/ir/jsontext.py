"""Reading a JSON text, however deep, and walking what was read with a place to name.

Python's own decoder in its Python form does the reading: its C form would nest
on the machine's stack. Errors say where they are: of the text by line and column,
of its contents by the way to them from the top (`pools[0].cap`).
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
from typing import Any, NoReturn

from serq_simpy.errors import LinkError
from serq_simpy.ir.depth import deep

_WHOLE_DIGITS = 30
_SHOWN_STEPS = 12
_SHOWN_TEXT = 40


class _Decoder(json.JSONDecoder):
    """A decoder that reads by nested Python calls, and holds objects to one value a key."""

    def __init__(self) -> None:
        super().__init__(
            object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole_number
        )
        # The attributes by which the library's decoder finds its parts.
        self.parse_object = json.decoder.JSONObject  # type: ignore[attr-defined]
        self.parse_array = json.decoder.JSONArray  # type: ignore[attr-defined]
        self.parse_string = _string
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _string(text: str, end: int, strict: bool = True) -> tuple[str, int]:
    value, end = json.decoder.scanstring(text, end, strict)  # type: ignore[attr-defined]
    return _whole_characters(value), end


def _whole_characters(value: str) -> str:
    """The string, refused if it holds half of a surrogate pair: it could not be written."""
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise LinkError("IR: a string with half of a surrogate pair is no text")
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in pairs:
        if _whole_characters(key) in values:
            raise LinkError(f"IR: field `{key}` is given twice in one object")
        values[key] = value
    return values


def _constant(word: str) -> NoReturn:
    raise LinkError(f'IR: `{word}` is no JSON number; the infinities are "inf" and "-inf"')


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _WHOLE_DIGITS else float(digits)


def parse(text: str) -> Node:
    """The value of a JSON text.

    Raises `LinkError` where the text is not JSON, or nests too deeply.
    """
    with deep():
        try:
            return Node(_Decoder().decode(text.removeprefix("\ufeff")), None, "")
        except json.JSONDecodeError as error:
            where = f"line {error.lineno} column {error.colno}"
            what = error.msg.removesuffix(" at").removesuffix(" starting")
            raise LinkError(f"IR: not JSON at {where}: {what}") from None
        except RecursionError:
            raise LinkError("IR: the JSON nests too deeply for a program") from None


class Node:
    """A JSON value, and the way to it: the steps from the node above."""

    __slots__ = ("_above", "_step", "value")

    def __init__(self, value: Any, above: Node | None, step: str) -> None:
        self.value = value
        self._above = above
        self._step = step

    def fail(self, message: str) -> NoReturn:
        """Raise `LinkError`: the contents are wrong here."""
        way = self._way()
        raise LinkError(f"IR: {way}: {message}" if way else f"IR: {message}")

    def _way(self) -> str:
        steps: list[str] = []
        node: Node | None = self
        while node is not None:
            steps.append(node._step)
            node = node._above
        steps.reverse()
        steps = [step for step in steps if step]
        shown = "".join(steps[:_SHOWN_STEPS]) + ("…" if len(steps) > _SHOWN_STEPS else "")
        return shown.removeprefix(".")

    def expect(self, what: str) -> NoReturn:
        """Raise `LinkError`: something else than `what` stands here."""
        self.fail(f"expected {what}, found {self._shown()}")

    def _shown(self) -> str:
        if isinstance(self.value, dict):
            return "an object"
        if isinstance(self.value, list):
            return "a list"
        text = json.dumps(self.value, ensure_ascii=False)
        return text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT] + "…"

    @property
    def is_null(self) -> bool:
        return self.value is None

    # -------------------------------------------------------------- objects

    def field(self, name: str) -> Node:
        """The value of a field that must be there."""
        found = self.get(name)
        if found is None:
            self.fail(f"missing field `{name}`")
        return found

    def get(self, name: str) -> Node | None:
        """The value of a field, None where it is absent."""
        if not isinstance(self.value, dict):
            self.expect("an object")
        if name not in self.value:
            return None
        return Node(self.value[name], self, f".{name}")

    def filled(self, name: str) -> Node | None:
        """The value of a field, None where it is absent or null."""
        found = self.get(name)
        return None if found is None or found.is_null else found

    def variant(self, *names: str) -> tuple[str, Node]:
        """The name and the contents of a variant: `"End"`, or `{"Loop": 7}`."""
        if isinstance(self.value, str):
            name, contents = self.value, Node(None, self, f".{self.value}")
        elif isinstance(self.value, dict) and len(self.value) == 1:
            name = next(iter(self.value))
            contents = Node(self.value[name], self, f".{name}")
        else:
            self.expect(f"one of {_listed(names)}")
        if name not in names:
            self.fail(f"unknown variant `{name}`, expected {_listed(names)}")
        return name, contents

    def word(self, *names: str) -> str:
        """A variant that carries nothing."""
        return self.variant(*names)[0]

    # ---------------------------------------------------------------- lists

    def items(self) -> list[Node]:
        """The members of a list."""
        if not isinstance(self.value, list):
            self.expect("a list")
        return [Node(item, self, f"[{i}]") for i, item in enumerate(self.value)]

    def parts(self, count: int) -> list[Node]:
        """The members of a list of exactly `count`."""
        items = self.items()
        if len(items) != count:
            self.fail(f"expected a list of {count}, found one of {len(items)}")
        return items

    # --------------------------------------------------------------- scalars

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.expect("a string")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.expect("true or false")
        return self.value

    def whole(self) -> int:
        """A whole number from 0 to 2⁶⁴ - 1."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.expect("a whole number")
        if not 0 <= self.value < 1 << 64:
            self.expect("a whole number from 0 to 18446744073709551615")
        return self.value

    def real(self) -> float:
        """A finite number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            self.expect("a number")
        value = float(self.value)
        if value in (float("inf"), float("-inf")):
            self.fail("number out of range")
        return value

    def extended(self) -> float:
        """A number, `"inf"` or `"-inf"`."""
        if self.value in ("inf", "-inf"):
            return float(self.value)
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.expect('a number, "inf" or "-inf"')
        return self.real()


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    if len(quoted) == 1:
        return quoted[0]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
