"""Emulated clusters: from CreateCluster to nodes that take jobs, by size, and where the time goes.

One rehearsal gives the figures of several rows, so that they can be compared: the time until the
bare daemons are up (machines booted, munge, slurmctld, slurmdbd and slurmd started, as HyperPod
does it, and nothing of ours run) is of the same minute as the time until the node program is done.
Needs root and Linux; elsewhere there is nothing to measure.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.compare import ROOT, Comparison, Timed, base_environment
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import images
from clusterwright_rehearsal.prerequisites import nodes_unavailable

_CONFIG = "dev.yaml"
_COUNT = "    count: 2\n"
# A controller and a login node are beside the workers.
_SIX_NODES = 4
_LARGE = 32
_LIMIT_S = 900.0

Answer = Mapping[str, Any]


class Sized:
    """Rehearsals of dev.yaml with a number of workers, each run once and evaluated many times."""

    def __init__(self, workers: int, folder: Path) -> None:
        self.workers = workers
        self._folder = folder / f"rehearsal-{workers}"
        self.answers: list[Answer] = []
        _MEASURED.append(self)

    def figure(self, read: Callable[[Answer], float]) -> Timed:
        """A value of one rehearsal after the other; further rehearsals run when needed."""
        turn = -1

        def once() -> float:
            nonlocal turn
            turn += 1
            while turn >= len(self.answers):
                self.answers.append(self._rehearse())
            return read(self.answers[turn])

        return once

    def _rehearse(self) -> Answer:
        config = self._folder / _CONFIG
        if not config.exists():
            shutil.copytree(ROOT / "configs", self._folder)
            text = config.read_text(encoding="utf-8")
            if _COUNT not in text:
                raise RuntimeError(f"configs/{_CONFIG} no longer has two workers")
            config.write_text(text.replace(_COUNT, f"    count: {self.workers}\n"), "utf-8")
        nodes = str(self.workers + 2)
        words = ["clusterwright", "rehearse", str(config), "--nodes", nodes]
        finished = subprocess.run(
            [*words, "--scenario", "first-boot", "--format", "json"],
            cwd=ROOT,
            env=base_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
        )
        if finished.returncode != 0:
            raise RuntimeError(
                f"a rehearsal of {nodes} nodes exited with {finished.returncode}:\n"
                f"{(finished.stdout or finished.stderr)[-2000:]}"
            )
        answer: Answer = json.loads(finished.stdout)
        if len(answer["nodes"]) != self.workers + 2:
            raise RuntimeError(f"{len(answer['nodes'])} nodes were rehearsed, not {nodes}")
        return answer


_MEASURED: list[Sized] = []


def rehearsal_comparisons(folder: Path) -> list[Comparison]:
    """Boot by size, node program, first job, image; empty if nodes cannot be emulated."""
    reason = nodes_unavailable()
    if reason is not None:
        print(f"bench: no rehearsals: {reason}", file=sys.stderr)
        return []
    six, large = Sized(_SIX_NODES, folder), Sized(_LARGE, folder)
    daemons = "the bare daemons, the same run"
    return [
        Comparison(
            "six nodes, CreateCluster to all idle",
            six.figure(to_idle),
            six.figure(to_daemons),
            daemons,
            target_seconds=20,
            most_runs=2,
        ),
        Comparison(
            "six nodes, CreateCluster to the first finished job",
            six.figure(to_first_job),
            six.figure(to_daemons),
            daemons,
            most_runs=2,
        ),
        Comparison(
            "the node program on the slowest of six nodes",
            six.figure(node_program),
            six.figure(to_daemons),
            daemons,
            most_runs=2,
        ),
        Comparison(
            f"{_LARGE} workers, CreateCluster to all idle",
            large.figure(to_idle),
            six.figure(to_idle),
            f"{_SIX_NODES} workers",
            target_seconds=75,
            most_runs=1,
        ),
        Comparison(
            f"the node program on the slowest node, {_LARGE} workers",
            large.figure(node_program),
            six.figure(node_program),
            f"{_SIX_NODES} workers",
            most_runs=1,
        ),
        Comparison(
            "the node image, built",
            _build_image,
            _build_bare,
            "mmdebstrap of the bare suite",
            target_seconds=60,
            most_runs=1,
        ),
    ]


def to_idle(answer: Answer) -> float:
    """Seconds from CreateCluster's first node until the last one is Running.

    slurmd has registered by then. That every node is idle is a promise of first-boot, which is
    checked immediately afterwards and must hold.
    """
    return _last(answer, "running")


def to_daemons(answer: Answer) -> float:
    """Seconds until Slurm's daemons run on every node, before our scripts run on the last."""
    return _last(answer, "platform")


def to_first_job(answer: Answer) -> float:
    """`to_idle` plus a job on all workers, without the polling of CloudFormation in between."""
    job = next(p for p in answer["promises"] if p["id"] == "first-boot.first-job")
    return to_idle(answer) + float(job["seconds"])


def node_program(answer: Answer) -> float:
    """Seconds of all steps of the slowest node's first run."""
    by_node: dict[str, float] = {}
    for step in answer["steps"]:
        by_node[step["node"]] = by_node.get(step["node"], 0.0) + step["seconds"]
    return max(by_node.values())


def step_table() -> list[str]:
    """Lines with runs, median and slowest of each step that was not skipped, by size."""
    lines = []
    for sized in _MEASURED:
        found: dict[str, list[float]] = {}
        for answer in sized.answers:
            for step in answer["steps"]:
                if step["status"] != "skipped":
                    found.setdefault(step["step"], []).append(step["seconds"])
        if found:
            lines += ["", f"steps of the node program, {sized.workers} workers"]
            width = max(len(name) for name in found)
            lines += [
                f"  {name:<{width}}  {len(seconds):>4} runs  median "
                f"{statistics.median(seconds):6.3f} s  slowest {max(seconds):6.3f} s"
                for name, seconds in found.items()
            ]
    return lines


def step_figures() -> list[dict[str, Any]]:
    """One entry per size, node and step, for the JSON output."""
    return [
        {"workers": sized.workers, "run": run, **step}
        for sized in _MEASURED
        for run, answer in enumerate(sized.answers)
        for step in answer["steps"]
    ]


def _last(answer: Answer, event: str) -> float:
    times = [line["time"] for line in answer["timeline"] if line["event"] == event]
    created = [line["time"] for line in answer["timeline"] if line["event"] == "created"]
    if not times or not created:
        raise RuntimeError(f"no node was ever {event}")
    return float(max(times) - min(created))


def _build_image() -> float:
    with tempfile.TemporaryDirectory(prefix="clusterwright-bench-image-") as folder:
        try:
            built = images.image(Path(folder))
        except RehearsalError as error:
            raise RuntimeError(error.message) from error
        assert built.built_s is not None
        return built.built_s


def _build_bare() -> float:
    """A minimal Debian file system with apt, from the same mirror."""
    with tempfile.TemporaryDirectory(prefix="clusterwright-bench-bare-") as folder:
        sources = Path(folder) / "sources.list"
        lines = images.sources_list(images.DEFAULT_SUITE, base_environment())
        sources.write_text("".join(f"{line}\n" for line in lines))
        started = time.perf_counter()
        finished = subprocess.run(
            [
                *("mmdebstrap", "--mode=root", "--variant=apt"),
                '--aptopt=Acquire::Check-Valid-Until "false"',
                *(images.DEFAULT_SUITE, str(Path(folder) / "root"), str(sources)),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
        if finished.returncode != 0:
            raise RuntimeError(f"mmdebstrap failed:\n{finished.stderr[-1000:]}")
        return seconds
