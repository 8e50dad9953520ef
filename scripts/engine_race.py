"""How long an iteration of a vLLM-like engine takes while all its residents decode."""

from __future__ import annotations

from statistics import median
from time import process_time
from types import ModuleType

PROGRAM = """
fn main() {{
  let bs = 16;
  device gpu {{
    compute (t) = t * 0.00002;
    hbm (k) = 0.008 + 0.00000005 * k;
    kv cap {units};
  }}
  engine vllm on gpu {{
    reqs cap {residents};
    tokens cap 2048;
    request (prompt, output) {{
      set kept = prompt;
      at admission {{
        known = max(kept, computed + 1);
        reused = min(cachedin(kv), floor((known - 1) / bs) * bs);
      }}
      set kept = known;
      set c = min(cached, floor((known - 1) / bs) * bs);
      prefill (known - c) growing kv;
      decode (output - 1 - (known - prompt)) growing kv;
      cache (prompt + output);
    }}
    schedule {{
      advance running;
      admit waiting while (running.preempted == 0)
        taking reqs (1), kv (min(known, reused + budget_left(vllm))) reserve (known);
    }}
    execute (0.001 + max(hbm(batch.kv_decode + batch.kv_prefill), compute(batch.tokens)));
  }}
  pool kv on gpu {{ block bs; evict lru; preempt lifo; }}
  pool reqs on vllm {{ queue fifo; }}
  workload {{
    arrive batch({residents});
    hidden o;
    turn {{ Size p = floor(~uniform(16, 64)); Size o = 100000 + floor(~uniform(0, 100)); }}
  }}
  server {{ vllm (p, o); }}
}}
"""
PROMISES = {14: 1 / 2, 60: 5.0, 240: 30.0}
"""By residents, how many times as fast as the reference an iteration must be."""
WARM = 3.0
"""By when everybody decodes."""
AT_1000 = 4.0
"""How many times the cost of 240 residents an iteration of 1 000 may have."""


def microseconds(module: ModuleType, residents: int, iterations: int, repeats: int) -> float:
    """The processor time of an iteration: that of a long run less that of a short one."""
    return median(_once(module, residents, iterations) for _ in range(repeats))


def _once(module: ModuleType, residents: int, iterations: int) -> float:
    short, long = (_run(module, residents, horizon) for horizon in (WARM, WARM + 0.01 * iterations))
    return (long[0] - short[0]) / (long[1] - short[1]) * 1e6


def _run(module: ModuleType, residents: int, horizon: float) -> tuple[float, int]:
    source = PROGRAM.format(residents=residents, units=residents * 102_400)
    program = module.compile(source=source, horizon=horizon)
    start = process_time()
    report = module.run(program)
    return process_time() - start, report.stages[0].iterations


def race(repeats: int) -> None:
    """Print the cost of an iteration here and in the reference, and the ratios promised."""
    import serq_simpy

    try:
        import pyserq
    except ImportError:
        pyserq = None
    print(f"an iteration in which all residents decode, median of {repeats}")
    print(f"{'residents':>9}{'ours us':>10}{'pyserq us':>11}{'faster':>8}{'promised':>10}")
    ours: dict[int, float] = {}
    for residents, promised in PROMISES.items():
        ours[residents] = microseconds(serq_simpy, residents, 20_000, repeats)
        line = f"{residents:>9}{ours[residents]:>10.1f}"
        if pyserq is not None:
            theirs = microseconds(pyserq, residents, 48_000 // residents, repeats)
            line += f"{theirs:>11.1f}{theirs / ours[residents]:>8.1f}{promised:>10.1f}"
        print(line)
    many = microseconds(serq_simpy, 1000, 5000, repeats)
    print(f"{1000:>9}{many:>10.1f}, {many / ours[240]:.1f} times that of 240 (at most {AT_1000})")
