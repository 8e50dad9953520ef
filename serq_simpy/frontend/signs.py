"""The words and signs of expressions, and what the IR calls them."""

from __future__ import annotations

from serq_simpy.ir.vocabulary import (
    AGGREGATE_WORDS,
    BINARY_SIGNS,
    CONTEXT_WORDS,
    FUNCTION_WORDS,
    LAW_WORDS,
    UNARY_SIGNS,
)

UNARY = {sign: name for name, sign in UNARY_SIGNS.items()}
BINARY = {sign: name for name, sign in BINARY_SIGNS.items()}
FUNCTIONS = {word: name for name, word in FUNCTION_WORDS.items()}
AGGREGATES = {word: name for name, word in AGGREGATE_WORDS.items()}
LAWS = {word: name for name, word in LAW_WORDS.items()}
CONTEXT = {word: name for name, word in CONTEXT_WORDS.items()}
