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
