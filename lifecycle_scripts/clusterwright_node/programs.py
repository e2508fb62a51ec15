"""Programs that run on a node after its set-up, installed from the folder of lifecycle scripts.

They are copied because HyperPod removes that folder. Each is a package beside this one, and uses
only Python's standard library and `clusterwright_common`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from clusterwright_node.node import Node

FOLDER = "/opt/clusterwright/lib"
PYTHON = "/usr/bin/python3"
"""The Python of the image: users cannot replace or remove it by installing another."""

COMMON = "clusterwright_common"
USERS_OF_COMMON = (
    "clusterwright_acceptance",
    "clusterwright_health",
    "clusterwright_metrics",
    "clusterwright_state",
)

_SOURCE = Path(__file__).parents[1]


def is_installed(node: Node, package: str) -> bool:
    """Whether every file of the package is installed and current."""
    return all(node.machine.read_text(path) == text for path, text in _files(package).items())


def install(node: Node, package: str) -> None:
    """Write the files of the package that are missing or not current."""
    for path, text in _files(package).items():
        if node.machine.read_text(path) != text:
            node.machine.write_text(path, text)


def command(package: str, *arguments: str) -> str:
    """The command line of the package's program, for a unit or a shell."""
    words = [f"PYTHONPATH={FOLDER}", PYTHON, "-B", "-m", package, *arguments]
    return " ".join(["/usr/bin/env", *words])


def script(about: str, command_line: str) -> str:
    """A shell script that runs a command line of `command`, called from any folder.

    It leaves the folder first: `python -m` imports from the current folder before all others, and
    its owner may be anybody.
    """
    comments = "".join(f"# {line}\n" for line in about.splitlines())
    return f"#!/bin/sh\n{comments}cd / || exit 1\nexec {command_line}\n"


@functools.cache
def _files(package: str) -> dict[str, str]:
    """Text by path on the node; this program's own files do not change while it runs."""
    packages = (package, COMMON) if package in USERS_OF_COMMON else (package,)
    return {
        f"{FOLDER}/{path.relative_to(_SOURCE).as_posix()}": path.read_text(encoding="utf-8")
        for name in packages
        for path in sorted((_SOURCE / name).rglob("*"))
        if path.suffix in (".py", ".json")
    }
