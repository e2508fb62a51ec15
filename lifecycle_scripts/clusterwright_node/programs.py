"""Our programs that go on running on a node: copied, because the lifecycle folder does not stay.

Each is a package of its own beside this one, in Python's standard library only.
"""

from __future__ import annotations

from pathlib import Path

from clusterwright_node.node import Node

FOLDER = "/opt/clusterwright/lib"
PYTHON = "/usr/bin/python3"
"""The image's own: it is there before anything that a user installs, and stays."""

_SOURCE = Path(__file__).parents[1]


def is_installed(node: Node, package: str) -> bool:
    """Whether every file of the package is there as it came."""
    return all(node.machine.read_text(path) == text for path, text in _files(package).items())


def install(node: Node, package: str) -> None:
    """Writes the files of the package that are missing or not current."""
    for path, text in _files(package).items():
        if node.machine.read_text(path) != text:
            node.machine.write_text(path, text)


def command(package: str, *arguments: str) -> str:
    """The command line that runs it, for a unit or a shell line."""
    words = [f"PYTHONPATH={FOLDER}", PYTHON, "-B", "-m", package, *arguments]
    return " ".join(["/usr/bin/env", *words])


def _files(package: str) -> dict[str, str]:
    source = _SOURCE / package
    return {
        f"{FOLDER}/{path.relative_to(_SOURCE).as_posix()}": path.read_text(encoding="utf-8")
        for path in sorted(source.rglob("*.py"))
    }
