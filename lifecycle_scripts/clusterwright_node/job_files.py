"""The job files that the deployment rendered for this cluster: `jobs.json`, texts by name."""

from __future__ import annotations

import re
from pathlib import Path

from clusterwright_node.errors import StepError
from clusterwright_node.node import Node
from clusterwright_node.parsing import parse_json

INPUT = "jobs.json"
FOLDER = "/opt/clusterwright/jobs"
ROLES = ("controller", "login")
"""Roles of the nodes from which users submit jobs."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def rendered(node: Node) -> dict[str, str]:
    """Texts by name; empty if the deployment rendered none.

    Raises
    ------
    StepError
        The file is not an object of texts by the names of files.
    """
    path = Path(node.inputs.folder) / INPUT
    if not path.is_file():
        return {}
    problems: list[str] = []
    found = parse_json(path.read_text(encoding="utf-8"), INPUT, problems)
    if problems:
        raise _damaged(problems[0])
    if not isinstance(found, dict):
        raise _damaged(f"{INPUT}: not an object")
    for name, text in found.items():
        if not _NAME.fullmatch(name) or not isinstance(text, str):
            raise _damaged(f"{INPUT}: {name!r} is not the name of a file with its text")
    return {name: str(text) for name, text in found.items()}


def are_here(node: Node) -> bool:
    """Whether this node has the job files."""
    return node.group.role in ROLES and bool(rendered(node))


def _damaged(reason: str) -> StepError:
    return StepError(reason, "deploy the lifecycle stack again")
