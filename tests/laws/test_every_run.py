"""The laws of docs/laws.md, over random programs."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from laws.programs import Made, programs
from laws.watched import Signal, program_of, watch

import serq_simpy
from serq_simpy.ir import model as ir
from serq_simpy.processes.session import Session
from serq_simpy.processes.simulation import Simulation
from serq_simpy.resources.fifo import Fifo
from serq_simpy.resources.hold import Hold
from serq_simpy.resources.pool import Pool
from serq_simpy.resources.single_server import SingleServer

TOLERANCE = 1e-6

many = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def units_are_conserved(simulation: Simulation) -> None:
    for pool in simulation.pools:
        allocated = sum(allocation.units for allocation in pool.allocations)
        assert pool.used == pytest.approx(allocated, abs=TOLERANCE)
        assert all(allocation.open for allocation in pool.allocations)
        assert pool.holders == len({allocation.customer for allocation in pool.allocations})
        cached = sum(entry.units for entry in pool.cache)
        assert pool.cache.units == pytest.approx(cached, abs=TOLERANCE)
        assert min(pool.used, pool.cache.units) > -TOLERANCE


def nothing_is_above_the_cap(simulation: Simulation) -> None:
    for pool in simulation.pools:
        assert not pool.used + pool.cache.units > pool.cap + TOLERANCE


def nobody_idles_while_a_job_waits(simulation: Simulation) -> None:
    for stage, declared in zip(simulation.stages, simulation.program.stages, strict=True):
        if isinstance(stage, Fifo | SingleServer):
            assert isinstance(declared.kind, ir.Fifo)
            assert stage.busy == min(declared.kind.servers, stage.present)
        assert stage.present == len(stage.jobs())


@many
@given(programs())
def test_units_are_conserved_in_every_pool(made: Made) -> None:
    watch(made, units_are_conserved)


@many
@given(programs(spills=False))
def test_used_and_cached_units_fit_the_cap(made: Made) -> None:
    watch(made, nothing_is_above_the_cap)


@many
@given(programs())
def test_servers_work_while_there_is_work(made: Made) -> None:
    watch(made, nobody_idles_while_a_job_waits)


@many
@given(programs())
def test_the_clock_is_monotone(made: Made) -> None:
    times: list[float] = []
    simulation, _ = watch(made, lambda run: times.append(run.clock.now))
    assert times == sorted(times)
    for samples in (*simulation.observations, *simulation.client):
        recorded = samples.rows[:, 0].tolist()
        assert recorded == sorted(recorded)


@many
@given(programs())
def test_who_arrived_has_ended_or_lives(made: Made) -> None:
    left: list[Session] = []
    with pytest.MonkeyPatch.context() as patch:
        finished = Session.finished

        def count(session: Session) -> None:
            left.append(session)
            finished(session)

        patch.setattr(Session, "finished", count)
        simulation, record = watch(made)
    assert len(left) == len(set(left)), "a session ends once"
    assert simulation.arrivals == len(left) + len(simulation.living)
    assert sum(pool.rejected for pool in simulation.pools) <= len(left)
    if record is not None and made.settings.get("warmup", 0) == 0:
        assert record.ended == len(left)


@many
@given(programs(warmup=True))
def test_averages_are_those_of_the_signals(made: Made) -> None:
    """Little's law, from the other side: the averages reported, which are made of sojourn times
    at stages, are the time averages of what is seen after every instant."""
    since = float(made.settings.get("warmup", 0))
    program = program_of(made).ir
    present = [
        Signal(lambda run, n=n: run.stages[n].present, since) for n in range(len(program.stages))
    ]
    readers = {
        "mean_used": lambda pool: pool.used,
        "mean_cached": lambda pool: pool.cache.units,
        "mean_queue": lambda pool: pool.queued,
        "mean_holders": lambda pool: pool.holders,
    }
    held = {
        (n, name): Signal(lambda run, n=n, read=read: read(run.pools[n]), since)
        for n in range(len(program.pools))
        for name, read in readers.items()
    }
    alive = Signal(lambda run: len(run.living), since)
    _, record = watch(made, alive, *present, *held.values())
    assume(record is not None)
    assert record is not None
    assert record.mean_live == pytest.approx(alive.mean(record.end), abs=TOLERANCE)
    for stage, signal in zip(record.stages, present, strict=True):
        assert stage.mean_number == pytest.approx(signal.mean(record.end), abs=TOLERANCE)
    for (number, name), signal in held.items():
        mean = getattr(record.pools[number], name)
        assert mean == pytest.approx(signal.mean(record.end), abs=TOLERANCE)


@many
@given(programs())
def test_a_line_without_keys_is_served_in_its_order(made: Made) -> None:
    """No newcomer passes an earlier one; who was preempted and resumes goes first."""
    waiting: dict[Pool, list[Hold]] = {}
    join, admit = Pool.join, Pool._admit

    def joining(pool: Pool, hold: Hold, *, resumed: bool = False) -> None:
        line = waiting.setdefault(pool, [])
        line.insert(0 if resumed else len(line), hold)
        join(pool, hold, resumed=resumed)

    def admitting(pool: Pool, hold: Hold, asked: list[tuple[float, float]]) -> None:
        line = [one for one in waiting[pool] if one in (hold, *_standing(pool))]
        assert line[0] is hold
        waiting[pool] = line[1:]
        admit(pool, hold, asked)

    unkeyed = all(pool.queue is None for pool in program_of(made).ir.pools)
    assume(unkeyed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "join", joining)
        patch.setattr(Pool, "_admit", admitting)
        watch(made)


def _standing(pool: Pool) -> list[Hold]:
    return [*pool.line._resumed, *pool.line._newcomers]


@many
@given(programs())
def test_an_ir_is_read_back_and_runs_equal(made: Made) -> None:
    program = program_of(made)
    again = serq_simpy.Program.from_json(program.to_json())
    assert again.ir == program.ir
    assert again.to_json() == program.to_json()
    assert outcome(again) == outcome(program)


@many
@given(programs())
def test_a_batch_is_so_many_explicit_sessions(made: Made) -> None:
    program = program_of(made)
    assume(isinstance(program.ir.arrival, ir.Batch))
    assert isinstance(program.ir.arrival, ir.Batch)
    sessions = ir.Sessions((ir.ExplicitSession(()),) * program.ir.arrival.size)
    text = serq_simpy.Program.from_json(program.to_json())
    text._linked = replace(text._linked, program=replace(program.ir, arrival=sessions))
    assert outcome(text) == outcome(program)


def outcome(program: serq_simpy.Program) -> object:
    """All that a run tells: its report and every sample, or the error's first words."""
    try:
        report = serq_simpy.run(program)
    except serq_simpy.errors.RunError as error:
        return error.diagnostics[0].message.partition(": ")[2]
    seen = {**report.observes, **report.client}
    columns = [(one.times, one.sessions, one.turns, one.samples) for one in seen.values()]
    return report.json(), repr(columns), repr([gauge.values for gauge in report.gauges.values()])


EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "queueing").glob("*.sq"))


def bytes_of(path: Path, seed: int, hash_seed: str) -> bytes:
    """What the command prints, in a process of its own."""
    command = [sys.executable, "-m", "serq_simpy", "run", str(path), "--horizon", "300", "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [*command, "--seed", str(seed)], capture_output=True, env=environment, check=True
    )
    return done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_same_seed_prints_the_same_bytes_and_another_does_not(path: Path) -> None:
    assert bytes_of(path, 1, "0") == bytes_of(path, 1, "4711")
    assert bytes_of(path, 1, "0") != bytes_of(path, 2, "0")
