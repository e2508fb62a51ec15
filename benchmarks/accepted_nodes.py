"""Acceptance of 32 emulated nodes by real Slurm at the level quick, beside the checks alone.

Each node is a real slurmd with namespaces and emulated hardware of its own, and does not boot. The
checks alone are the same program on every node at once, without Slurm: all nodes share the
processors of this machine, so what 32 nodes do at once here takes longer than on a cluster.
Needs root and Linux; elsewhere there is nothing to measure.
"""

from __future__ import annotations

import atexit
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.compare import ROOT, Comparison
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.runs import DEFAULT_STATE
from tests.support import specs
from tests.support.real_slurm import RealSlurm

NODES = 32
TARGET_RATIO = 1.5
_LIMIT_S = 300.0


def accepted_nodes_comparisons(folder: Path) -> Iterator[Comparison]:
    """One comparison; the machine's files are in `folder`."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    nodes = cache(lambda: _started(folder))
    runs = (f"bench-{number}" for number in itertools.count())
    yield Comparison(
        f"acceptance, level quick, {NODES} emulated nodes with real Slurm",
        lambda: _accepted(nodes(), next(runs)),
        lambda: _checked(nodes(), next(runs)),
        "the checks of all nodes at once, without Slurm",
        target_ratio=TARGET_RATIO,
        most_runs=3,
    )


def _started(folder: Path) -> Any:
    # The node program is not part of the package.
    sys.path.insert(0, str(ROOT / "lifecycle_scripts"))
    from tests.support.acceptance_cluster import AcceptanceCluster  # noqa: PLC0415

    slurm = RealSlurm(images.image(DEFAULT_STATE / "cache").root, folder / "acceptance")
    atexit.register(slurm.close)
    controller = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge"}
    gpu = {"name": "gpu", "role": "compute", "instance_type": "p5.4xlarge"}
    compute = [{**controller, "count": 1}, {**gpu, "count": NODES}]
    spec = specs.load(folder, {"compute": compute}).cluster
    try:
        found = AcceptanceCluster(slurm, spec)
        found.start({name: found.expected(name) for name in found.nodes})
    except AssertionError as error:
        raise RuntimeError(str(error)) from None
    return found


def _accepted(nodes: Any, run: str) -> float:
    started = time.perf_counter()
    try:
        code, report = nodes.accept(run, list(nodes.nodes), "quick")
    except (AssertionError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(str(error)) from None
    seconds = time.perf_counter() - started
    others = {
        one["name"]: one["reason"] for one in report["nodes"] if one["verdict"] != "accepted"
    }
    if code != 0 or len(report["nodes"]) != NODES:
        raise RuntimeError(f"exit code {code}; not accepted: {others}")
    return seconds


def _checked(nodes: Any, run: str) -> float:
    words = nodes.program_words("acceptance", "node", f"--run={run}")
    commands = [nodes.slurm.argv([*nodes.entering(name), *words]) for name in nodes.nodes]
    quiet = subprocess.DEVNULL
    started = time.perf_counter()
    running = [subprocess.Popen(each, stdout=quiet, stderr=quiet) for each in commands]
    codes = [process.wait(_LIMIT_S) for process in running]
    seconds = time.perf_counter() - started
    if set(codes) != {0}:
        raise RuntimeError(f"exit codes of the checks: {codes}")
    return seconds
