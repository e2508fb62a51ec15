"""Specs of ParallelCluster for tests: small ones, and converted examples of HyperPod."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.support.specs import ACCOUNT

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
BLOCK_AT_MOST = 64
"""Instances of one capacity block (EC2's guide, Capacity Blocks for ML)."""

SMALL: dict[str, Any] = {
    "environment": "train",
    "account": ACCOUNT,
    "region": "us-east-1",
    "platform": "parallelcluster",
    "network": {"cidr": "10.0.0.0/16", "availability_zone_id": "use1-az6"},
    "compute": [
        {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 2},
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4},
    ],
    "storage": {
        "lustre": [{"mount_path": "/fsx", "capacity_gib": 4800, "throughput_mbps_per_tib": 1000}],
        "home": {"kind": "openzfs", "capacity_gib": 128},
    },
}
"""`compute[2]` is the group that tests change."""


def reservation_id(instance_type: str, number: int = 0, *, block: bool) -> str:
    """The reservation, or a block, of a type in the tests' world."""
    digest = hashlib.sha256(instance_type.encode()).hexdigest()[:14]
    return f"cr-{'b' if block else 'a'}{number:02x}{digest}"


def moved(example: str) -> dict[str, Any]:
    """An example of HyperPod converted for ParallelCluster, without unsupported keys."""
    data = yaml.safe_load((EXAMPLES / example).read_text(encoding="utf-8"))
    # As JSON, in which dates are strings.
    data = json.loads(json.dumps(data, default=str))
    data["platform"] = "parallelcluster"
    data.pop("resilience", None)
    data.pop("image", None)
    for number, group in enumerate(g for g in data["compute"] if g["role"] == "compute"):
        _move_group(group, number)
    for group in data["compute"]:
        group.pop("ebs", None)
    slurm = data.setdefault("slurm", {})
    slurm.pop("configuration", None)
    accounting = slurm.get("accounting", {})
    if accounting.get("kind", "local") == "local":
        slurm["accounting"] = {"kind": "rds" if slurm.get("qos") else "none"}
    elif "existing" in accounting:
        accounting["existing"]["user_name"] = "slurm"
    home = data.get("storage", {}).get("home", {})
    if "existing" in home:
        home["existing"]["volume_id"] = "fsvol-0a1b2c3d4e5f60718"
    return data


def _move_group(group: dict[str, Any], number: int) -> None:
    capacity = group.get("capacity", {"kind": "on-demand"})
    if capacity["kind"] == "training-plan":
        block = group["count"] <= BLOCK_AT_MOST
        group["capacity"] = {
            "kind": "capacity-block" if block else "reservation",
            "id": reservation_id(group["instance_type"], number if block else 0, block=block),
        }
        if block:
            group.pop("min_count", None)
        if group["instance_type"].startswith("p6e-gb200."):
            # ParallelCluster configures complete UltraServers.
            group.pop("spare_count", None)
    else:
        group.pop("spare_count", None)


def with_groups(*groups: Mapping[str, Any], **sections: Any) -> dict[str, Any]:
    """The small spec with these compute groups instead of its group."""
    data = copy.deepcopy(SMALL)
    data["compute"] = [*data["compute"][:2], *(dict(group) for group in groups)]
    return {**data, **sections}
