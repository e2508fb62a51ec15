"""Programs that run on a node after its set-up, installed from the folder of lifecycle scripts.

They are copied because HyperPod removes that folder. Each is a package beside this one, and uses
only Python's standard library and `clusterwright_common`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from clusterwright_common import installation

from clusterwright_node.machine import Machine
from clusterwright_node.node import Node

FOLDER = f"{installation.ROOT}/lib"
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
    """Whether exactly the files of the package are installed and current."""
    files = _files(package)
    return all(node.machine.read_text(path) == text for path, text in files.items()) and not any(
        True for _ in _left_over(node, package)
    )


def install(node: Node, package: str) -> None:
    """Write the files of the package that are missing or not current, and remove others."""
    for path in list(_left_over(node, package)):
        node.machine.remove(path)
    for path, text in _files(package).items():
        if node.machine.read_text(path) != text:
            node.machine.write_text(path, text)


def left_over(machine: Machine, folder: str, files: Mapping[str, str]) -> Iterator[str]:
    """Files of an earlier version in the packages of `folder`: those that are not in `files`."""
    for name in _names(machine, folder):
        path = f"{folder}/{name}"
        if installation.is_compared(f"-/{name}") and path not in files:
            yield path


def _left_over(node: Node, package: str) -> Iterator[str]:
    files = _files(package)
    for name in _packages(package):
        yield from left_over(node.machine, f"{FOLDER}/{name}", files)


def _names(machine: Machine, folder: str) -> Iterator[str]:
    """The files in a folder and its folders, by their path below it."""
    for name in machine.listing(folder):
        if name.startswith(".") or name == "__pycache__":
            continue
        below = list(_names(machine, f"{folder}/{name}"))
        yield from (f"{name}/{one}" for one in below)
        if not below:
            yield name


def record(name: str, folder: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """Path and text of what is recorded of an installation, see `installation.read`."""
    text = installation.record(folder, version(_SOURCE), texts)
    return f"{installation.RECORDS}/{name}.json", text


@functools.cache
def version(source: Path) -> str:
    """The digest of the program in a folder."""
    paths = (path for path in source.rglob("*") if path.suffix in (".py", ".json"))
    return installation.version(
        {path.relative_to(source).as_posix(): path.read_bytes() for path in paths}
    )


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


def _packages(package: str) -> tuple[str, ...]:
    return (package, COMMON) if package in USERS_OF_COMMON else (package,)


@functools.cache
def _files(package: str) -> dict[str, str]:
    """Text by path on the node, the records last; the files do not change while this runs."""
    files: dict[str, str] = {}
    records: dict[str, str] = {}
    for name in _packages(package):
        texts = {
            path.relative_to(_SOURCE).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted((_SOURCE / name).rglob("*"))
            if path.suffix in (".py", ".json")
        }
        files.update({f"{FOLDER}/{path}": text for path, text in texts.items()})
        path, text = record(name, "lib", texts)
        records[path] = text
    return {**files, **records}
