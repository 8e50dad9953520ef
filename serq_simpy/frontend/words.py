"""The words of the language, in one table.

No word is reserved: a word means what the grammar looks for where it stands, and is
a name everywhere else. What a declaration may not be named is the linker's business;
the lists it needs are here too.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FUNCTIONS: Final = frozenset(
    _words(
        "max min sum abs floor ceil sqrt exp ln cost queue busy work est_lambda est_rho est_wait"
        " price used free cachedin holders queued budget_left blocksize total count largest"
        " smallest prefix_total"
    )
)
"""The functions, observables and aggregates an expression calls."""

DISTRIBUTIONS: Final = frozenset(_words("exp det uniform erlang h2 bernoulli"))
"""The laws that `~` draws from."""

STATEMENT_WORDS: Final = _words(
    "turn set Size Cost observe hold grow load drop release run prefill decode tool transfer"
    " branch while loop fork join choose end mark"
)
"""The words a statement begins with."""

DECLARATION_WORDS: Final = _words(
    "fn let def use pool stage device engine queue workload server share gauge claim"
)
"""The words a declaration begins with."""

WORKLOAD_WORDS: Final = _words("arrive trace init session hidden")
"""The words a part of the workload begins with, besides `turn`."""

CONSTRUCTS: Final = frozenset(
    STATEMENT_WORDS
    + DECLARATION_WORDS
    + WORKLOAD_WORDS
    + _words(
        "given every some iteration of at admission ordered poisson renewal closed batch none"
        " reserve reuse cache lease growing with else in by serve nic latency from to on cap"
        " block evict lru preempt lifo fifo ps delay step requeue head tail held spill via"
        " when state granule schedule execute request taking advance admit only each most"
        " first exclusive link maxmin bottleneck memory budget chunk horizon warmup seed"
        " arrivals"
    )
)
"""The words of declarations and statements."""

LANGUAGE_WORDS: Final = CONSTRUCTS | FUNCTIONS | DISTRIBUTIONS
"""What no definition and no parameter may be named."""

KEYWORDS: Final = CONSTRUCTS | frozenset(_words("pull push running waiting tokens"))
"""The words with a token of their own: those the grammar looks for somewhere."""

AGGREGATES: Final = ("max", "min", "sum")
"""The functions that are also written over an index, `max j in n (…)`."""

SUPPLIED_NAMES: Final = frozenset(
    _words(
        "now inf size age last waiting present residents decoders kv_decode kv_prefill tokens"
        " prefilled attention decoding admission remaining position demand served arrived waited"
        " admitted preempted running batch"
    )
)
"""The names the language gives a value to; no declaration takes one."""

BUILT_IN_ATTRIBUTES: Final = _words("cached serial turn_no new out think more forced computed")
"""The attributes every session has, in the order of their slots."""

QUEUE_NAMES_TAKEN: Final = frozenset(_words("prefill decode transfer tool link gateway"))
"""What no queue may be named: roles, entries and serving forms."""

RETIRED: Final = {
    "admit": (
        "`admit if … fit where x = e { … } keep (ℓ)` is now"
        " `hold … at admission (x = e) { … } cache (ℓ)`"
    ),
    "keep": "`keep (ℓ)` is now `cache (ℓ)`",
    "enter": "`enter` is now `hold`",
    "fit": "a `hold` waits until its pools have room",
    "where": "`where x = e` is now `at admission (x = e)`",
}
"""Words of earlier versions of the language that name nothing now, and what is written instead."""
