"""Custom lifecycle scripts: a folder with on_create.sh and provisioning_parameters.json.

The folder runs instead of the one in S3, in the scripted configuration. Such scripts name their
instance groups in the parameters and often in the scripts themselves. The groups of the spec are
therefore renamed to match. In the parameters only the addresses of file systems are replaced, by
those of the deployment.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright import files
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.hyperpod.provisioning_parameters import (
    FILE,
    roles_from_parameters,
)

ENTRY = "on_create.sh"
_ROLES = {"Controller": "controller", "Login": "login", "Compute": "compute"}


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of the folder by relative path, without .git and __pycache__.

    Raises
    ------
    RehearsalError
        A file cannot be read, or together they are too large to upload.
    """
    paths = (
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".git", "__pycache__"} & set(path.parts)
    )
    try:
        read = files.read_all(paths)
    except OSError as error:
        raise RehearsalError(f"{error.filename} cannot be read: {error.strerror}") from None
    return {path.relative_to(folder).as_posix(): content for path, content in read.items()}


def adapt_spec(data: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The spec with the folder's groups and partitions, and notes about the changes.

    Raises
    ------
    RehearsalError
        The folder has no on_create.sh, its parameters are missing, or they contain a role for
        which the spec has no group.
    """
    found = read_folder(folder)
    if ENTRY not in found:
        raise RehearsalError(f"{folder} has no {ENTRY}", "give the folder that contains it")
    roles, partitions = roles_from_parameters(found)
    changed = copy.deepcopy(dict(data))
    own: dict[str, list[dict[str, Any]]] = {}
    for group in changed["compute"]:
        own.setdefault(group["role"], []).append(group)
    compute: list[dict[str, Any]] = []
    notes = []
    for name, role in roles.items():
        waiting = own.get(_ROLES[role], [])
        if not waiting and role != "Compute":
            raise RehearsalError(
                f"{FILE} has the {role.lower()} group {name}, but the spec has no such group",
                "use a spec with one",
            )
        # More worker groups than in the spec: copy the last one.
        group = waiting.pop(0) if waiting else {**_last(compute), "count": 1, "spare_count": 0}
        if group["name"] != name:
            notes.append(f"group {group['name']} was renamed to {name}, as in {FILE}")
        compute.append({**group, "name": name})
    left = [group["name"] for groups in own.values() for group in groups]
    if left:
        notes.append(f"omitted because {FILE} does not contain them: {', '.join(left)}")
    changed["compute"] = compute
    by_partition: dict[str, list[str]] = {}
    for name, partition in partitions.items():
        # Names in the spec are restricted; Slurm uses the name in the file.
        by_partition.setdefault(re.sub(r"[^A-Za-z0-9]+", "-", partition), []).append(name)
    changed["slurm"] = {
        "configuration": "scripted",
        "accounting": {"kind": "none"},
        "partitions": [{"name": p, "groups": groups} for p, groups in by_partition.items()],
    }
    # HyperPod provisions all nodes at once in that configuration, which is the default.
    changed.get("resilience", {}).pop("node_provisioning", None)
    # Nothing tests the nodes: the acceptance program is a part of Clusterwright's own scripts.
    changed["acceptance"] = {"hold": False}
    notes.append(f"{ENTRY} of {folder} runs in the scripted configuration, without accounting")
    return changed, notes


def with_deployed_addresses(
    contents: Mapping[str, bytes], lustre: Mapping[str, str] | None, home: str | None
) -> dict[str, bytes]:
    """The files with the file systems of this deployment in provisioning_parameters.json.

    `lustre` has `dns_name` and `mount_name`; `home` is a DNS name.
    """
    found = json.loads(contents[FILE])
    if lustre and "fsx_dns_name" in found:
        found["fsx_dns_name"], found["fsx_mountname"] = lustre["dns_name"], lustre["mount_name"]
    if home and "fsx_openzfs_dns_name" in found:
        found["fsx_openzfs_dns_name"] = home
    return {**contents, FILE: (json.dumps(found, indent=2) + "\n").encode()}


def _last(compute: list[dict[str, Any]]) -> dict[str, Any]:
    found = [group for group in compute if group["role"] == "compute"]
    if not found:
        raise RehearsalError("the spec has no compute group", "use a spec with one")
    return found[-1]
