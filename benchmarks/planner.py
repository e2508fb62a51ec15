"""The planner: a sweep over every type and count, and the simulation of a run.

Each sweep starts as a command does, without what an earlier one computed; the catalogue's files
are read once before, as they are for every command.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.compare import Comparison, Timed, command
from clusterwright.catalog import load_catalog
from clusterwright.sizing import estimate, layouts, sweep
from clusterwright.sizing.goal import parse
from clusterwright.sizing.inputs import resolve
from clusterwright.sizing.reliability import daly_hours, mtti_hours
from clusterwright.sizing.simulate import SimulationSetup, run

_DENSE: dict[str, Any] = {"model": "llama3-70b", "tokens": "15T", "deadline": "90d"}
_EXPERTS: dict[str, Any] = {"model": "deepseek-v3", "tokens": "14T"}
_RUNS = 1000
_NODES = 2048


def planner_comparisons() -> list[Comparison]:
    """Sweeps, layouts per second, the simulation, and the command."""
    sort = "numpy sorts 10 million numbers"
    plan = ("clusterwright", "plan", "--params", "70e9", "--tokens", "15e12")
    cluster = ("--instance-type", "p5.48xlarge", "--nodes", "256")
    return [
        Comparison("planner: sweep, 70B", _sweep(_DENSE), _sort, sort, target_seconds=1.0),
        Comparison("planner: sweep, 671B MoE", _sweep(_EXPERTS), _sort, sort, target_seconds=2.0),
        Comparison(
            "planner: layouts sized, 671B MoE",
            partial(_layouts_per_second, _EXPERTS),
            partial(_layouts_per_second, _DENSE),
            "the same, 70B",
            unit="a second",
        ),
        Comparison(
            f"planner: {_RUNS:,} runs of 90 d on {_NODES:,} nodes",
            _simulate,
            _sort,
            sort,
            target_seconds=5.0,
        ),
        Comparison(
            "clusterwright plan, a fixed cluster",
            command(*plan, *cluster),
            command("python", "-c", "import numpy"),
            "python -c 'import numpy'",
        ),
    ]


def _sweep(goal: dict[str, Any]) -> Timed:
    def once() -> float:
        catalog = load_catalog()
        started = time.perf_counter()
        found = sweep.sweep(parse(goal), catalog)
        seconds = time.perf_counter() - started
        if not any(candidate.days for candidate in found):
            raise RuntimeError("the sweep found nothing")
        return seconds

    return once


def _layouts_per_second(goal: dict[str, Any]) -> float:
    """Layouts computed per second, for one number of instances of one type."""
    parsed = parse({**goal, "cluster": {"instance_type": "p5.48xlarge", "nodes": 256}})
    inputs = resolve(parsed)
    hardware, count, _ = estimate.cluster_of(parsed, load_catalog())
    assert count is not None
    training = estimate.training_for(parsed, inputs.shape)
    size = len(
        layouts.grid(
            inputs.shape, hardware, count, seq_len=inputs.seq_len, batch_tokens=inputs.batch_tokens
        )
    )
    rounds = 20
    started = time.perf_counter()
    for _ in range(rounds):
        estimate.best_option(inputs, hardware, count, training)
    return rounds * size / (time.perf_counter() - started)


def _simulate() -> float:
    mtti = mtti_hours(float(_NODES), 3.79e-3)
    setup = SimulationSetup(
        nodes=_NODES,
        days=90,
        failures_per_node_day=3.79e-3,
        restart_seconds=600,
        save_seconds=30,
        interval_seconds=daly_hours(30 / 3600, mtti) * 3600,
        spares=40,
    )
    started = time.perf_counter()
    run(setup, runs=_RUNS)
    return time.perf_counter() - started


def _sort() -> float:
    numbers = np.random.default_rng(0).random(10_000_000)
    started = time.perf_counter()
    numbers.sort()
    return time.perf_counter() - started
