"""A node of a tree: a class of named parts that are given once and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=False, frozen_default=True)
def node(cls: type[T]) -> type[T]:
    """Make a class with annotated parts a node.

    A node is a dataclass that is equal to itself alone, so that neither comparing nor
    hashing walks down a deep tree. That its parts do not change is for the type checker
    to see: a frozen dataclass takes twice as long to make and to be declared, and there
    are some eighty kinds of nodes before a program is read.
    """
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # or `dataclass` works out a signature, which is slow
    return dataclass(slots=True, eq=False, repr=False)(cls)


@dataclass_transform(eq_default=True, frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class with annotated parts a record: a node that equals any of equal parts."""
    made = node(cls)
    made.__eq__ = _equal  # type: ignore[method-assign]
    made.__hash__ = _hash  # type: ignore[method-assign]
    made.__repr__ = _text  # type: ignore[method-assign]
    return made


def _parts(self: object) -> tuple[object, ...]:
    return tuple([getattr(self, name) for name in type(self).__match_args__])  # type: ignore[attr-defined]


def _equal(self: object, other: object) -> bool:
    return self is other or (type(self) is type(other) and _parts(self) == _parts(other))


def _hash(self: object) -> int:
    return hash((type(self), _parts(self)))


def _text(self: object) -> str:
    return f"{type(self).__name__}({', '.join([repr(part) for part in _parts(self)])})"
