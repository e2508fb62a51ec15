"""What the commands know of the cluster: a file that the node program writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

FILE = "/etc/clusterwright/commands.json"
ENTRY = "/usr/local/bin/clusterwright"
"""The program, by its path: `secure_path` of sudo lacks its folder on some distributions."""
SCHEMA_VERSION = 1


class Stop(Exception):
    """A command cannot go on; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: Optional[str] = None, exit_code: int = 3) -> None:
        super().__init__(message)
        self.hint = hint
        self.exit_code = exit_code


@dataclass(frozen=True)
class Setting:
    """The cluster and this node.

    Attributes
    ----------
    administers:
        Whether this node is the one that tests nodes and publishes the state.
    administrator:
        Which node is, for messages.
    has_service:
        Whether the cluster has the service that does it, which needs a bucket for the state.
    state_bucket:
        The bucket.
    account:
        The AWS account where the platform's files name it.
    reserve:
        Whether nodes are drained by a reservation, see `requests.carry_out`.
    topology:
        What Slurm is to have of the network: none, automatic, tree or block.
    inputs_sha256:
        The digest of the uploaded files that configured this node.
    groups:
        `{name, role, instance_type, partition, spare_count, planned_seconds by level}`.
    """

    file: str
    environment: str
    platform: str
    region: str
    administers: bool
    administrator: str
    has_service: bool
    reserve: bool
    level: str
    level_limit_seconds: Mapping[str, int]
    resource_config: str
    topology: str
    groups: tuple[Mapping[str, Any], ...]
    state_bucket: Optional[str] = None
    account: Optional[str] = None
    inputs_sha256: Optional[str] = None

    @property
    def on_hyperpod(self) -> bool:
        return self.platform == "hyperpod-slurm"

    def role_of(self, group: Optional[str]) -> Optional[str]:
        """The role of a group; None if the file does not have it."""
        return next((str(one["role"]) for one in self.groups if one["name"] == group), None)


def read(file: str = FILE) -> Setting:
    """Read the file.

    Raises
    ------
    Stop
        It is missing, or of another version of the node program.
    """
    found = records.read(Path(file))
    if found.get("schema_version") != SCHEMA_VERSION:
        raise Stop(
            f"{file} is missing, or is not of this version",
            "the node program writes it: see /var/log/clusterwright",
            exit_code=2,
        )
    return Setting(
        file=file,
        environment=str(found["environment"]),
        platform=str(found["platform"]),
        region=str(found["region"]),
        administers=bool(found["administers"]),
        administrator=str(found["administrator"]),
        has_service=bool(found["has_service"]),
        reserve=bool(found["reserve"]),
        level=str(found["level"]),
        level_limit_seconds=dict(found["level_limit_seconds"]),
        resource_config=str(found["resource_config"]),
        topology=str(found.get("topology", "none")),
        groups=tuple(found["groups"]),
        state_bucket=found.get("state_bucket"),
        account=found.get("account"),
        inputs_sha256=found.get("inputs_sha256"),
    )
