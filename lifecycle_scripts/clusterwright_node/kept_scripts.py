"""A permanent copy of this program, for systemd units that run it again.

The original folder is temporary: HyperPod and ParallelCluster download it for one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clusterwright_node import programs
from clusterwright_node.node import Node

FOLDER = "/opt/clusterwright/scripts"
_SOURCE = Path(__file__).parents[1]


def files(node: Node, inputs: Sequence[str]) -> dict[str, str]:
    """Texts by path: the program with the data of its packages, and the named files."""
    found = {}
    data = (path for path in _SOURCE.rglob("*.json") if path.parent != _SOURCE)
    for source in sorted((*_SOURCE.rglob("*.py"), *data)):
        name = source.relative_to(_SOURCE).as_posix()
        found[f"{FOLDER}/{name}"] = source.read_text(encoding="utf-8")
    for name in inputs:
        path = Path(node.inputs.folder) / name
        found[f"{FOLDER}/{name}"] = path.read_text(encoding="utf-8")
    return found


def command(configuration: str, steps: Sequence[str], more: Sequence[str] = ()) -> str:
    """The command line that runs these steps of the copy."""
    words = [
        f"/usr/bin/env PYTHONPATH={FOLDER} {programs.PYTHON} -B -m clusterwright_node",
        f"--configuration={configuration} --inputs={FOLDER}",
        *more,
        *(f"--only={step}" for step in steps),
    ]
    return " ".join(words)
