"""What an engine does, clause by clause; the numbers can be followed by hand.

All agree with the reference. `batches` are the tokens that each iteration scheduled: a register
that the schedule sets, seen by a gauge, which has a step where the number changes.
"""

from __future__ import annotations

import pytest
from running import engine_program, run, seen

from serq_simpy import Report

PLAIN = "advance running; admit waiting while (running.preempted == 0);"
SLOTS = "pool slots on llm { }"
BATCHES = "gauge batches = scheduled;"


def items(schedule: str, *, tokens: str = "8", execute: str = "1", more: str = "") -> str:
    """An engine's items, with `scheduled` set to the tokens of the iteration."""
    return (
        f"{more} state scheduled = 0; tokens cap {tokens};"
        f"schedule {{ {schedule} set scheduled = batch.tokens; }} execute ({execute});"
    )


def held(body: str, pool: str = "slots") -> str:
    return f"hold {pool} (cost({pool}, 1)) {{ observe at = now; {body} }}"


def steps(report: Report, name: str = "batches") -> list[tuple[float, float]]:
    gauge = report.gauge(name)
    return list(zip(gauge.times, gauge.values, strict=True))


PREFILL = "run llm prefill (cost(llm, {})); observe first = now;"
DECODE = "run llm decode (cost(llm, {})); observe done = now;"


# ------------------------------------------------------- a complete program


def test_two_requests_without_a_hold() -> None:
    """They stand in the order in which their runs joined: 8, 8, then both decodes."""
    text = engine_program(items(PLAIN), PREFILL.format(8) + DECODE.format(2), more=BATCHES)
    report = run(text, horizon=10)
    assert steps(report) == [(0, 8), (2, 2)]
    assert seen(report, "first") == [1, 2]
    assert seen(report, "done") == [4, 4]
    assert report.stage("llm").iterations == 4


def test_the_time_resources_of_the_device() -> None:
    """max(1 + kv / 4, tokens / 2): 4 tokens in 2, then one with 5 and one with 6 units."""
    report = run(
        engine_program(
            items(
                "advance running;",
                execute="max(hbm(batch.kv_decode + batch.kv_prefill), compute(batch.tokens))",
            ),
            "hold kv (cost(kv, 4)) {"
            "  run llm prefill (cost(llm, 4)) growing kv; observe first = now;"
            "  run llm decode (cost(llm, 2)) growing kv; observe done = now; }",
            device="compute (t) = t / 2; hbm (k) = 1 + k / 4; kv cap 40;",
            pools="pool kv on gpu { }",
            workload="arrive batch(1);",
        )
    )
    assert seen(report, "first") == [2]
    assert seen(report, "done") == [2 + 2.25 + 2.5]


# ------------------------------------------------------------------- pools


@pytest.mark.parametrize(
    ("owner", "at", "done"), [("gpu", [2, 2], [4, 6]), ("llm.gpu", [2, 4], [4, 6])]
)
def test_who_admits(owner: str, at: list[float], done: list[float]) -> None:
    """A pool on the device admits what fits; one of the engine's while budget is left.

    Both prefill a token, then hold. The engine admits the second when the first, who
    takes the whole budget, has gone.
    """
    report = run(
        engine_program(
            items("advance running; admit waiting;", tokens="4", execute="2"),
            "run llm prefill (cost(llm, 1));"
            + held("run llm prefill (cost(llm, 4)); observe done = now;", "kv"),
            device="kv cap 4;",
            pools=f"pool kv on {owner} {{ }}",
        )
    )
    assert seen(report, "at") == at
    assert seen(report, "done") == done


def test_queues_of_one_kind_are_tried_in_index_order() -> None:
    """One seat each. The first head that does not fit ends the admissions of all."""
    report = run(
        engine_program(
            items("advance running; admit waiting;", more="lane[2] cap 1;"),
            "hold lane[second] (cost(lane[second], 1)) { observe at = now; observe who = serial;"
            "  run llm prefill (cost(llm, 4)); run llm decode (cost(llm, 1)); }",
            pools="pool lane on llm { }",
            workload="arrive batch(4); turn { Size second = serial < 1; }",
            more=BATCHES,
        ),
        horizon=10,
    )
    assert seen(report, "who") == [1, 2, 3, 0]
    assert seen(report, "at") == [0, 2, 4, 4]
    assert steps(report) == [(0, 4), (1, 1), (2, 4), (3, 1), (4, 8), (5, 2)]


def test_a_family_of_engines() -> None:
    report = run(
        """
        fn main() {
          device gpu[2] { kv cap 8; }
          engine llm[2] on gpu {
            slots cap 1; tokens cap 4; schedule { advance running; admit waiting; } execute (1);
          }
          pool slots on llm { }
          pool kv on gpu { }
          workload { arrive batch(3); }
          server {
            choose j in 2 by (queued(slots[j]) + holders(slots[j]));
            hold slots[j] (cost(slots[j], 1)), kv[j] (cost(kv[j], 4)) {
              run llm[j] prefill (cost(llm[j], 6));
            }
            observe member = j; observe done = now;
          }
        }
        """
    )
    assert seen(report, "member") == [0, 1, 0]
    assert seen(report, "done") == [2, 2, 4]
    assert [stage.iterations for stage in report.stages] == [4, 2]


# ------------------------------------------------------------------ orders


@pytest.mark.parametrize(
    ("key", "who", "done"),
    [("remaining", [2, 1, 0], [1, 3, 6]), ("-remaining", [0, 1, 2], [4, 5, 6])],
)
def test_shortest_or_longest_remaining_first(key: str, who: list[float], done: list[float]) -> None:
    """Decodes of 3, 2 and 1 tokens, one token an iteration; ties by admission."""
    report = run(
        engine_program(
            items(f"advance running by ({key});", tokens="1"),
            "run llm decode (cost(llm, 3 - serial)); observe who = serial; observe done = now;",
            workload="arrive batch(3);",
        )
    )
    assert seen(report, "who") == who
    assert seen(report, "done") == done


@pytest.mark.parametrize(
    ("order", "done", "prefilled"),
    [
        ("", [2, 5], [(0, 4), (2, 0)]),
        ("admission", [2, 5], [(0, 4), (2, 0)]),
        ("decode first", [3, 3], [(0, 3), (2, 2)]),
    ],
)
def test_decodes_first_or_in_turn(
    order: str, done: list[float], prefilled: list[tuple[float, float]]
) -> None:
    """A prefill of 8 came first, a decode of 3 second; four tokens an iteration."""
    report = run(
        engine_program(
            "tokens cap 4; state seen = 0;"
            f"schedule {{ advance running {order}; set seen = batch.prefilled; }} execute (1);",
            "branch (serial == 0) { run llm prefill (cost(llm, 8)); }"
            "else { run llm decode (cost(llm, 3)); } observe done = now;",
            more="gauge prompts = seen;",
        ),
        horizon=10,
    )
    assert seen(report, "done") == done
    assert steps(report, "prompts") == prefilled


def test_keys_are_read_anew_before_each_choice() -> None:
    """When the first has grown, more than 6 are used, and the last comes before the second."""
    report = run(
        engine_program(
            items("advance running by (used(kv) > 6 ? -serial : serial);", tokens="2"),
            "hold kv (cost(kv, 2)) { run llm decode (cost(llm, 2)) growing kv;"
            "  observe who = serial; observe done = now; }",
            device="kv cap inf;",
            pools="pool kv on gpu { }",
            workload="arrive batch(3);",
        )
    )
    assert seen(report, "who") == [0, 1, 2]
    assert seen(report, "done") == [2, 2, 4]


# -------------------------------------------------------------------- only


def test_one_phase_at_a_time() -> None:
    """Decodes alone while there are any: the third, admitted at 1, prefills at 4."""
    phase = "(running.decoding > 0 ? decoding : !decoding)"
    report = run(
        engine_program(
            items(
                f"advance running only {phase};"
                f"admit waiting only {phase} while (running.preempted == 0);",
                more="slots cap inf;",
            ),
            "run nap (cost(nap, serial == 2)); " + held(PREFILL.format(4) + DECODE.format(3)),
            pools=f"{SLOTS} stage nap : delay;",
            workload="arrive batch(3);",
            more=BATCHES,
        ),
        horizon=10,
    )
    assert seen(report, "at") == [0, 0, 1]
    assert seen(report, "first") == [1, 1, 5]
    assert seen(report, "done") == [4, 4, 8]
    assert steps(report) == [(0, 8), (1, 2), (4, 4), (5, 1)]
    assert report.stage("llm").mixed == 0


def test_a_newcomer_left_out_may_be_served_later_in_the_iteration() -> None:
    """The `only` counts the newcomer: two of three are left to `advance running`."""
    report = run(
        engine_program(
            items("admit waiting only (running.count < 2); advance running;", more="slots cap 9;"),
            held("run llm prefill (cost(llm, 2)); observe done = now;"),
            pools=SLOTS,
            workload="arrive batch(3);",
            more=BATCHES,
        )
    )
    assert seen(report, "done") == [1, 1, 1]
    assert steps(report) == [(0, 6)]


# ------------------------------------------------------ chunks and granules


def test_a_threshold_for_more_than_one() -> None:
    """4 tokens each while two are there; the cap is read as the iteration starts."""
    cap = "each at most (running.count + waiting.count > 1 ? 4 : inf)"
    report = run(
        engine_program(
            items(
                f"advance running {cap}; admit waiting while (running.preempted == 0) {cap};",
                tokens="16",
                more="slots cap inf;",
            ),
            held("run llm prefill (cost(llm, serial ? 20 : 8)); observe first = now;"),
            pools=SLOTS,
            more=BATCHES,
        )
    )
    assert seen(report, "first") == [2, 3]
    assert steps(report) == [(0, 8), (2, 12)]


def test_an_adaptive_threshold() -> None:
    """Prefills of 6, 12 and 18; 12 tokens by three, by three (2 + 4 + 4), by two, the rest."""
    let = "let n = running.count + waiting.count;let c = n > 1 ? max(2, floor(12 / n)) : inf;"
    report = run(
        engine_program(
            f"slots cap inf; tokens cap 12; state scheduled = 0; schedule {{ {let}"
            "advance running each at most (c);"
            "admit waiting while (running.preempted == 0) each at most (c);"
            "set scheduled = batch.tokens; } execute (1);",
            held("run llm prefill (cost(llm, 6 + 6 * serial)); observe first = now;"),
            pools=SLOTS,
            workload="arrive batch(3);",
            more=BATCHES,
        )
    )
    assert seen(report, "first") == [2, 3, 4]
    assert steps(report) == [(0, 12), (1, 10), (3, 4)]


def test_a_granule_passes_over_and_ends_the_admissions() -> None:
    """Granule 4, budget 6, prefills of 10: 4 and 0; 6; 4 and 0; 6 …

    The second is admitted at 0 and waits with nothing; the third is not admitted with it,
    nor is the decode in a line of its own, by a later statement.
    """
    report = run(
        engine_program(
            items(
                "advance running; admit waiting; admit waiting;",
                tokens="6",
                more="granule 4; slots cap inf; seats cap inf;",
            ),
            "branch (serial < 2) {" + held(PREFILL.format(10)) + "}"
            "else { hold seats (cost(seats, 1)) { observe seated = now;" + DECODE.format(2) + "} }",
            pools=f"{SLOTS} pool seats on llm {{ }}",
            workload="arrive batch(3);",
            more=BATCHES,
        )
    )
    assert seen(report, "at") == [0, 0]
    assert seen(report, "first") == [2, 4]
    assert seen(report, "seated") == [2]
    assert seen(report, "done") == [5]
    assert steps(report) == [(0, 4), (1, 6), (2, 5), (3, 6), (4, 1)]


def test_a_granule_rounds_a_cap_down() -> None:
    """7 at most, in fours: 4 + 4, then the rest of both, 6 + 6."""
    report = run(
        engine_program(
            items(
                "advance running each at most (7); admit waiting each at most (7);",
                tokens="16",
                more="granule 4; slots cap inf;",
            ),
            held(PREFILL.format(10)),
            pools=SLOTS,
            more=BATCHES,
        )
    )
    assert seen(report, "first") == [2, 2]
    assert steps(report) == [(0, 8), (1, 12)]


def test_an_endless_granule_prefills_whole_or_not_at_all() -> None:
    """Prefills of 6 with a budget of 10: one an iteration, beside the decodes."""
    report = run(
        engine_program(
            items(PLAIN, tokens="10", more="granule inf; slots cap inf;"),
            held(PREFILL.format(6) + DECODE.format(2)),
            pools=SLOTS,
            workload="arrive batch(3);",
            more=BATCHES,
        )
    )
    assert seen(report, "at") == [0, 0, 1]
    assert seen(report, "first") == [1, 2, 3]
    assert steps(report) == [(0, 6), (1, 7), (2, 8), (3, 2), (4, 1)]


# -------------------------------------------------------- exclusive prefill

EXCLUSIVE = (
    "slots cap inf; tokens cap 8;"
    "schedule { exclusive prefill; admit waiting while (running.preempted == 0); } execute (1);"
)


def test_one_prefill_alone_or_decodes_together() -> None:
    """Prefills of 12 take two iterations each, one after another; then all three decode."""
    report = run(
        engine_program(
            EXCLUSIVE,
            "run nap (cost(nap, serial == 2 ? 3 : 0));"
            + held(PREFILL.format(12) + DECODE.format(3)),
            pools=f"{SLOTS} stage nap : delay;",
            workload="arrive batch(3);",
            more="gauge together = busy(llm);",
        ),
        horizon=20,
    )
    assert seen(report, "at") == [0, 2, 4]
    assert seen(report, "first") == [2, 4, 6]
    assert seen(report, "done") == [9, 9, 9]
    assert steps(report, "together") == [(0, 1), (6, 3), (9, 0)]


def test_a_waiting_prefill_takes_the_place_of_the_decodes() -> None:
    """Its header reads the whole budget, its statements what the decode would leave."""
    report = run(
        engine_program(
            EXCLUSIVE,
            "run nap (cost(nap, serial == 1 ? 1.5 : 0));"
            "hold slots (cost(slots, budget_left(llm))) {"
            "  observe took = used(slots); observe left = budget_left(llm);"
            + PREFILL.format(4)
            + DECODE.format(3)
            + "}",
            pools=f"{SLOTS} stage nap : delay;",
            more="gauge together = busy(llm);",
        ),
        horizon=20,
    )
    assert seen(report, "took") == [8, 16]
    assert seen(report, "left") == [8, 7]
    assert seen(report, "first") == [1, 3]
    assert seen(report, "done") == [5, 6]
    assert steps(report, "together") == [(0, 1), (3, 2), (5, 1), (6, 0)]


# --------------------------------------------------------------- registers


def test_a_register_is_seen_at_once_and_by_the_budget_in_the_next() -> None:
    """`execute` reads the new value: 1, 2; the budget the old one: 4, 5, then 6.

    At r = 3 nobody more is admitted: the third session waits.
    """
    report = run(
        engine_program(
            "slots cap inf; state r = 0; tokens cap 4 + r;"
            "schedule { set r = r + 1; advance running; admit waiting while (r < 3); }"
            "execute (r);",
            held("run llm prefill (cost(llm, 5)); observe done = now;"),
            pools=SLOTS,
            workload="arrive batch(3);",
            more="gauge value = r;",
        ),
        horizon=20,
    )
    assert seen(report, "at") == [0, 1]
    assert seen(report, "done") == [3, 6]
    assert steps(report, "value") == [(0, 1), (1, 2), (3, 3)]
    assert report.stage("llm").idle_with_work


def test_a_header_reads_the_register_as_it_stands() -> None:
    report = run(
        engine_program(
            "slots cap inf; state r = 0; tokens cap 8;"
            "schedule { advance running; set r = r + 10; admit waiting; } execute (1);",
            "hold slots (cost(slots, r)) { observe taken = used(slots);"
            "  run llm prefill (cost(llm, 5)); }",
            pools=SLOTS,
        )
    )
    assert seen(report, "taken") == [10, 20]


def test_what_an_attempt_sets_is_undone_if_it_does_nothing() -> None:
    """Tries at 0 and 1 serve nobody while someone naps; the one at 2 counts."""
    report = run(
        engine_program(
            "state n = 0; tokens cap 6;"
            "schedule { set n = n + 1; advance running only (queue(nap) < 1); } execute (1);",
            "branch (serial > 0) { run nap (cost(nap, serial)); end; }"
            "run llm prefill (cost(llm, 1)); observe done = now;",
            pools="stage nap : delay;",
            workload="arrive batch(3);",
            more="gauge tries = n;",
        )
    )
    assert seen(report, "done") == [3]
    assert steps(report, "tries") == [(0, 0), (2, 1)]


def test_an_attempt_that_admits_somebody_counts() -> None:
    """The three admitted go elsewhere: no iteration, and the register stays set."""
    report = run(
        engine_program(
            "slots cap 9; state n = 0; tokens cap 6;"
            "schedule { set n = n + 1; advance running; admit waiting; } execute (1);",
            held("run nap (cost(nap, 1));"),
            pools=f"{SLOTS} stage nap : delay;",
            workload="arrive batch(3);",
            more="gauge tries = n;",
        )
    )
    assert seen(report, "at") == [0, 0, 0]
    assert report.stage("llm").iterations == 0
    assert steps(report, "tries") == [(0, 1)]


def test_no_admission_after_an_admission() -> None:
    """A session comes at 0, 1, 2, 3; the one of 1 waits for the iteration at 2."""
    report = run(
        engine_program(
            "slots cap inf; tokens cap 8; state just = 0; schedule { advance running;"
            "branch (just == 0 || running.count == 0) { admit waiting; }"
            "set just = waiting.admitted > 0; } execute (1);",
            "run nap (cost(nap, serial));" + held(PREFILL.format(4) + DECODE.format(3)),
            pools=f"{SLOTS} stage nap : delay;",
            workload="arrive batch(4);",
            more="gauge skip = just;",
        ),
        horizon=20,
    )
    assert seen(report, "at") == [0, 2, 2, 4]
    assert seen(report, "done") == [4, 6, 7, 8]
    assert [value for _, value in steps(report, "skip")] == [1, 0, 1, 0, 1, 0]


# ----------------------------------------------------------------- request


def test_a_request_with_a_prefix_cache_and_preemption() -> None:
    """Prompts of 10 and 20, answers of 6, in blocks of 4; two at a time in 32 units.

    One is preempted once: its second try finds 16 of its tokens and computes 5.
    """
    report = run(
        """
        def reusable(n, b) { floor((n - 1) / b) * b }
        fn main() {
          device gpu { kv cap 32; }
          engine llm on gpu {
            reqs cap 2;
            tokens cap 8;
            request (prompt, output) {
              set kept = prompt;
              at admission {
                known = max(kept, computed + 1);
                found = min(cachedin(kv), reusable(known, blocksize(kv)));
              }
              set kept = known;
              set reused = min(cached, reusable(known, blocksize(kv)));
              observe hit = reused;
              observe fresh = known - reused;
              prefill (known - reused) growing kv;
              mark first;
              decode (output - 1 - (known - prompt)) growing kv;
              cache (prompt + output);
            }
            schedule {
              advance running;
              admit waiting while (running.preempted == 0)
                taking reqs (1), kv (min(known, found + budget_left(llm))) reserve (known);
            }
            execute (1);
          }
          pool kv on gpu { block 4; evict lru; preempt lifo; }
          pool reqs on llm { queue fifo; }
          workload {
            arrive batch(3);
            turn { Size asked = 10 * turn_no; }
            session { turn; turn; }
          }
          server { llm (asked, 6); observe first = llm.first; observe done = now; }
        }
        """
    )
    assert seen(report, "hit") == [0, 0, 0, 8, 16, 0, 0]
    assert seen(report, "fresh") == [10, 10, 10, 12, 5, 20, 20]
    assert seen(report, "first") == [2, 3, 9, 15, 22, 30]
    assert seen(report, "done") == [7, 8, 14, 19, 27, 35]
    assert (report.pool("kv").preemptions, report.pool("kv").evicted_units) == (1, 76)
