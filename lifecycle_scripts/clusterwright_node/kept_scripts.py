"""A permanent copy of this program, for systemd units that run it again.

The original folder is temporary: HyperPod and ParallelCluster download it for one run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

from clusterwright_common import installation

from clusterwright_node import programs
from clusterwright_node.node import Node

FOLDER = f"{installation.ROOT}/scripts"
_NAME = "scripts"
_SOURCE = Path(__file__).parents[1]


def files(node: Node, inputs: Sequence[str]) -> dict[str, str]:
    """Texts by path: the program with the data of its packages, the named files, and at last
    the record of the program.
    """
    texts = {}
    data = (path for path in _SOURCE.rglob("*.json") if path.parent != _SOURCE)
    for source in sorted((*_SOURCE.rglob("*.py"), *data)):
        texts[source.relative_to(_SOURCE).as_posix()] = source.read_text(encoding="utf-8")
    found = {f"{FOLDER}/{name}": text for name, text in texts.items()}
    for name in inputs:
        path = Path(node.inputs.folder) / name
        found[f"{FOLDER}/{name}"] = path.read_text(encoding="utf-8")
    path_of_record, text = programs.record(_NAME, "scripts", texts)
    return {**found, path_of_record: text}


def problem(node: Node, wanted: Mapping[str, str]) -> Optional[str]:
    """How the copy differs from `wanted`, the texts of `files` and of other files of a step; None
    if it does not.
    """
    for path, text in wanted.items():
        if node.machine.read_text(path) != text:
            return f"{path} is missing or outdated"
    return "files of an earlier version are left" if left_over(node, wanted) else None


def install(node: Node, wanted: Mapping[str, str], program: str = "") -> None:
    """Write the files of `wanted` that are missing or not current, and remove those of an earlier
    version; `program` is the path of an executable file.
    """
    for path in left_over(node, wanted):
        node.machine.remove(path)
    for path, text in wanted.items():
        if node.machine.read_text(path) != text:
            node.machine.write_text(path, text, mode=0o755 if path == program else 0o644)


def left_over(node: Node, wanted: Mapping[str, str]) -> list[str]:
    """Files of an earlier version of the program, which `files` no longer has."""
    packages = node.machine.listing(FOLDER)
    return [
        path
        for package in packages
        for path in programs.left_over(node.machine, f"{FOLDER}/{package}", wanted)
    ]


def command(configuration: str, steps: Sequence[str], more: Sequence[str] = ()) -> str:
    """The command line that runs these steps of the copy."""
    words = [
        f"/usr/bin/env PYTHONPATH={FOLDER} {programs.PYTHON} -B -m clusterwright_node",
        f"--configuration={configuration} --inputs={FOLDER}",
        *more,
        *(f"--only={step}" for step in steps),
    ]
    return " ".join(words)
