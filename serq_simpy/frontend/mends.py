"""Likely slips: what is said about a word in a place where it does not stand.

The places are results of the grammar. What is said is a message, or None for the usual
one, and the likely mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from serq_simpy.frontend.words import DECLARATION_WORDS, RETIRED, STATEMENT_WORDS, WORKLOAD_WORDS

Mend = tuple[str | None, str]

_EXTRA: Final[Mend] = (None, "delete the extra `;`")
_UNCLOSED: Final[Mend] = (
    None,
    "a declaration stands beside `server` and `workload`; is a `}` missing above?",
)
_TO_WORKLOAD: Final[Mend] = (None, "it belongs in `workload { … }`")
_TO_BLOCK: Final[Mend] = (
    None,
    "a statement stands in `server { … }`, or in the `session`, `init` or `turn` block of"
    " the workload",
)
_SETTINGS: Final[Mend] = (
    "execution settings do not belong in a model",
    "give --horizon T (--warmup, --seed, --arrivals) or --instance FILE;"
    " `run STAGE (work);` belongs in a server or a session",
)
_SESSION: Final[Mend] = (
    "`session` belongs inside `workload`",
    "put request handling in `server` and describe a session's turns with `turn;`",
)
_ONE_MAIN: Final[Mend] = (
    "a program has exactly one `fn main()`, and no other function",
    "what is to be used again is a definition, `def name(…) { … }`",
)
_LET: Final[Mend] = (None, "a constant is declared with `let NAME = expr;`")
_ENGINE: Final[Mend] = (
    None,
    "an engine is no kind of stage: write `device D { … }` and"
    " `engine NAME on D { tokens cap B; schedule { … } execute (T); }`",
)
_STEP: Final[Mend] = ("`step` is an engine's, no kind of stage", str(_ENGINE[1]))
_ADMIT_VIA: Final[Mend] = (
    "who admits a pool is said in its `on`",
    "write `pool NAME on ENGINE { … }` with `NAME cap c;` in the engine,"
    " or `pool NAME on ENGINE.DEVICE { … }`",
)
_CACHE: Final[Mend] = (
    None,
    "`cache (…)` follows a hold's block; in a request `cache (…);` is the last item",
)


def _each(words: Iterable[str], mend: Mend) -> dict[str, Mend]:
    return dict.fromkeys(words, mend)


_ITEMS: Final[Mapping[str, Mend]] = {
    **_each(STATEMENT_WORDS, _TO_BLOCK),
    **_each(WORKLOAD_WORDS, _TO_WORKLOAD),
    **_each(("const", "var", "constant"), _LET),
    "fn": _ONE_MAIN,
    "init": _TO_WORKLOAD,
    "main": (None, "the entry point is `fn main() { … }`"),
    "run": _SETTINGS,
    "session": _SESSION,
    "turn": _TO_WORKLOAD,
    ";": _EXTRA,
}

MENDS: Final[Mapping[str, Mapping[str, Mend]]] = {
    "<statement>": {
        **_each(DECLARATION_WORDS, _UNCLOSED),
        **_each(WORKLOAD_WORDS, _TO_WORKLOAD),
        **_each(("if", "when", "switch"), (None, "write `branch (test) { … } else { … }`")),
        **_each(("for", "repeat"), (None, "write `while (test) { … }` or `loop { … }`")),
        **_each(("wait", "sleep", "delay"), (None, "time passes at a stage: `run STAGE (work);`")),
        **_each(("return", "exit", "break"), (None, "a session leaves with `end;`")),
        "Value": (None, "a value is assigned with `set NAME = expr;`"),
        "admit": (f"`admit` is a retired word: {RETIRED['admit']}", "write a `hold`"),
        "cache": _CACHE,
        "else": (None, "`else { … }` follows the block of a `branch`"),
        "enter": (f"`enter` is a retired word: {RETIRED['enter']}", "write a `hold`"),
        "keep": (f"`keep` is a retired word: {RETIRED['keep']}", "write `cache (…)`"),
        "lease": (None, "`lease POOL (t)` follows a hold's block and its `cache`, once"),
        "let": (None, "in a block a value is named with `set NAME = expr;`"),
        "request": (
            "`request` is replaced by `turn;`",
            "a turn draws its attributes and waits for the server;"
            " gateway routing stands in `server { gw.route(); }`",
        ),
        "step": (None, "an engine's work is `run ENGINE prefill (…);` or `… decode (…);`"),
        ";": _EXTRA,
    },
    "<top>": {word: mend for word, mend in _ITEMS.items() if word != "fn"},
    "<item>": _ITEMS,
    "<workload-item>": {
        **_each(
            (word for word in STATEMENT_WORDS if word != "turn"),
            (None, "a statement stands in `init { … }`, `turn { … }` or `session { … }`"),
        ),
        **_each(DECLARATION_WORDS, (None, "a declaration stands beside `workload { … }`")),
        "request": (None, "a session's turns are written `session { turn; … }`"),
        ";": _EXTRA,
    },
    "<pool-option>": {"admit": _ADMIT_VIA, ";": _EXTRA},
    "<kind>": {"step": _STEP, "engine": _ENGINE},
    "<queue-item>": {
        **_each(("let", "def", "use"), (None, "constants and definitions stand above the queue")),
        **_each(("stage",), (None, "a queue's stage is `serve KIND;` or `engine on DEVICE { … }`")),
        **_each(("server", "workload"), (None, "it stands beside the queue, not in it")),
        ";": _EXTRA,
    },
    "<engine-item>": {
        **_each(("budget", "tokens"), (None, "the tokens of an iteration are `tokens cap B;`")),
        "chunk": (None, "a cap on a run's tokens is `each at most (e)` in the schedule"),
        "cost": (None, "the time of an iteration is `execute (T);`"),
        "memory": (None, "the memory is the device's: `NAME cap c;` there and `pool NAME on D`"),
        "serve": (None, "whom an iteration serves is said in `schedule { advance running; … }`"),
        ";": _EXTRA,
    },
    "<schedule-statement>": {
        **_each(
            ("loop", "while", "for"),
            (None, "a schedule has no loop: its statements run once in an iteration"),
        ),
        "let": (None, "a schedule's `let`s stand before its statements"),
        "}": ("a schedule needs a statement", "vLLM's is `advance running; admit waiting …;`"),
        ";": _EXTRA,
    },
    "<expr>": {
        "+": (None, "there is no sign `+`"),
        "*": (None, "a power is written `^`"),
        "[": (None, "an index follows a name: `kv[i]`"),
        "=": (None, "equal is written `==`, at least `>=`, at most `<=`"),
    },
    "operator": {
        "=": (None, "equal is written `==`"),
        "and": (None, "and is written `&&`"),
        "or": (None, "or is written `||`"),
        "if": (None, "a choice is written `test ? a : b`"),
        "mod": (None, "a remainder is `x - y * floor(x / y)`"),
    },
}
"""By the place and the word, what is said; `operator` is after a whole expression."""
