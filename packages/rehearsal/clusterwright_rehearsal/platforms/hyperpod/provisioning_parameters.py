"""Parses provisioning_parameters.json, which HyperPod reads in the scripted configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping

from clusterwright_rehearsal.errors import RehearsalError

FILE = "provisioning_parameters.json"


def roles_from_parameters(
    files: Mapping[str, bytes],
) -> tuple[dict[str, str], dict[str, str]]:
    """The role of each group, and the partition of each worker group.

    Raises
    ------
    RehearsalError
        The file is missing, is not JSON, or has no controller group.
    """
    if FILE not in files:
        raise RehearsalError(f"{FILE} is missing next to on_create.sh")
    try:
        found = json.loads(files[FILE])
        roles = {found["controller_group"]: "Controller"}
        if found.get("login_group"):
            roles[found["login_group"]] = "Login"
        partitions = {}
        for entry in found.get("worker_groups", ()):
            roles[entry["instance_group_name"]] = "Compute"
            partitions[entry["instance_group_name"]] = entry["partition_name"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RehearsalError(f"{FILE} is invalid: {error!r}") from error
    return roles, partitions
