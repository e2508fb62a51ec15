"""Acceptance of 32 nodes at the level quick: the time beyond the nodes' own checks.

The controller's program runs with a launcher in place of srun, which answers for each node, after
the time that its checks take, with a result as the node program prints it. So the figure has what
the program adds: its threads, reading and comparing results, records and the report; not Slurm.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.compare import ROOT, Comparison

NODES = 32
CHECK_SECONDS = 1.0
TARGET_FACTOR = 1.5


def acceptance_comparisons() -> list[Comparison]:
    """One comparison, without booted nodes."""
    return [
        Comparison(
            f"acceptance, level quick, {NODES} nodes whose checks take {CHECK_SECONDS:g} s",
            _accept,
            _check,
            "the checks of one node",
            target_ratio=TARGET_FACTOR,
        )
    ]


def _check() -> float:
    started = time.perf_counter()
    time.sleep(CHECK_SECONDS)
    return time.perf_counter() - started


def _accept() -> float:
    """Seconds of a run; raises RuntimeError if a node is not accepted."""
    program, nodes = _module("cluster_program"), _module("slurm_nodes")
    names = [f"n{number}" for number in range(NODES)]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        report = program.run_cluster(
            program.Wanted("bench", "quick", {}),
            [nodes.SlurmNode(name, "workers") for name in names],
            lambda _: _Launcher(),
            Path(folder),
            say=lambda _: None,
        )
        seconds = time.perf_counter() - started
    verdicts = [one["verdict"] for one in report["nodes"]]
    if verdicts != ["accepted"] * NODES:
        raise RuntimeError(f"not every node is accepted: {verdicts}")
    return seconds


class _Launcher:
    """Nodes that take `CHECK_SECONDS` and pass every check."""

    def run(self, nodes: Sequence[str], _: Sequence[str], **_options: Any) -> Any:
        (name,) = nodes
        time.sleep(CHECK_SECONDS)
        lines = json.dumps(_result(name), indent=2).splitlines()
        text = "\n".join(f"0: {line}" for line in lines)
        return _module("launcher").Launched(0, text, "")


def _result(name: str) -> dict[str, Any]:
    registry, outcome = _module("registry"), _module("outcome")
    checks = [
        {**outcome.passed(driver="595.91.07", nccl="2.29").to_json(check.id), "seconds": 0.1}
        for check in registry.checks("quick", registry.NODE)
    ]
    return {
        "name": name,
        "group": "workers",
        "instance_id": f"i-{name}",
        "instance_type": "p5.48xlarge",
        "boot_id": "boot",
        "verdict": "accepted",
        "reason": "",
        "action": "none",
        "waivers": [],
        "checks": checks,
    }


@cache
def _module(name: str) -> Any:
    """A module of the acceptance program, part of the node program."""
    sys.path.insert(0, str(ROOT / "lifecycle_scripts"))
    try:
        return importlib.import_module(f"clusterwright_acceptance.{name}")
    finally:
        sys.path.pop(0)
