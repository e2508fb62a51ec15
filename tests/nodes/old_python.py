"""What the programs of nodes do, as one line of JSON: the same under every Python.

Run by test_old_python.py: as a program, or in Python 3.10 as WebAssembly, which has neither fcntl
nor `dir_fd`. There locks are left out, and so is the step `user_homes` everywhere, for a
comparison.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import types
from pathlib import Path
from typing import Any

PACKAGES = (
    "clusterwright_acceptance",
    "clusterwright_checkpoints",
    "clusterwright_common",
    "clusterwright_health",
    "clusterwright_metrics",
    "clusterwright_node",
    "clusterwright_preload",
    "clusterwright_spot",
    "clusterwright_state",
)
NODES = ("controller-1", "login-1", "workers-1")
CONFIGURATIONS = ("managed", "scripted", "parallelcluster")
LEFT_OUT = ("user_homes",)


def answer(checkout: str, worlds: str) -> str:
    """The version, the importable modules, and the result of every kind of node."""
    sys.dont_write_bytecode = True
    sys.path[:0] = [f"{checkout}/lifecycle_scripts", checkout]
    _without_locks()
    found: dict[str, Any] = {
        "version": list(sys.version_info[:2]),
        "modules": _modules(checkout),
        "slurm": _generated(),
        "diagnosed": _diagnosed(),
        "nodes": {},
    }
    for configuration in CONFIGURATIONS:
        for node in NODES:
            found["nodes"][f"{configuration} {node}"] = _converged(worlds, node, configuration)
    return json.dumps(found, sort_keys=True)


def _modules(checkout: str) -> list[str]:
    """Every module of the lifecycle folder, and what is uploaded with it, imported."""
    names = []
    folders = {package: f"{checkout}/lifecycle_scripts/{package}" for package in PACKAGES}
    folders["clusterwright.diagnosis"] = f"{checkout}/clusterwright/diagnosis"
    for package, folder in folders.items():
        for module in pkgutil.walk_packages([folder], prefix=f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
            names.append(module.name)
    return names


def _generated() -> dict[str, Any]:
    """Slurm's files for more nodes than in the example cluster."""
    from clusterwright_node import slurm_generate, slurm_topology
    from clusterwright_node.catalogue import step_names
    from clusterwright_node.inputs import parse_cluster

    from tests.nodes.world import input_files

    problems: list[str] = []
    cluster = parse_cluster(input_files("scripted")["cluster.json"], problems, step_names())
    assert cluster is not None, problems
    nodes = [
        slurm_generate.SlurmNode(f"ip-10-1-0-{n}", f"10.1.0.{n}", "workers") for n in range(1, 40)
    ]
    places = {
        node.name: slurm_topology.Place(("a", f"b{index // 16}"), f"u{index // 18}")
        for index, node in enumerate(nodes)
    }
    around = slurm_generate.Surroundings("ip-10-1-0-10", "10.1.0.10")
    return {
        kind: slurm_generate.files(cluster, nodes, around, slurm_topology.topology(kind, places))
        for kind in ("tree", "block")
    }


def _diagnosed() -> list[list[str]]:
    """What the tables of failures say about a few lines of logs."""
    from clusterwright.diagnosis import engine
    from clusterwright.diagnosis.log_lines import Line, Place, evidence

    texts = (
        "[2026-11-23T08:00:00.123] error: Munge decode failed: Expired credential",
        "NVRM: Xid (PCI:0000:59:00): 79, pid=1, GPU has fallen off the bus.",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    )
    lines = [Line(text, number) for number, text in enumerate(texts, start=1)]
    found = engine.findings(evidence(lines, Place("a.log", "a.log")), engine.Context("FILE"))
    return [[one.signature, one.cause, *one.next] for one in found]


def _converged(worlds: str, node: str, configuration: str) -> dict[str, Any]:
    from tests.nodes.world import make_world

    world = make_world(Path(worlds) / f"{configuration}-{node}", node, configuration)
    settings = {step: {"enabled": False} for step in LEFT_OUT}
    world.edit("cluster.json", lambda value: value.update(node_steps=settings))
    first, second = world.run(), world.run()
    picture = world.picture()
    files = {
        path: text
        for path, text in picture["files"].items()
        # Times of day, and mode bits that a file system in memory does not keep.
        if not path.startswith(("/var/log/", "/var/lib/clusterwright/journal"))
    }
    return {
        "last": [first.last, second.last],
        "first": first.statuses(),
        "second": second.statuses(),
        "files": {path: text.partition(" ")[2] for path, text in files.items()},
        "state": picture["state"],
    }


def _without_locks() -> None:
    os.fsync = lambda _: None  # type: ignore[assignment]  # nobody cuts the power here
    if sys.platform == "emscripten":
        locks = types.ModuleType("fcntl")
        vars(locks).update(LOCK_SH=1, LOCK_EX=2, LOCK_NB=4, LOCK_UN=8, flock=lambda *_: None)
        sys.modules["fcntl"] = locks


if __name__ == "__main__":
    print(answer(sys.argv[1], sys.argv[2]))
