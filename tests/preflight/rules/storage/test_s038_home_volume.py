"""Tests of CW-S038."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.fsx import Volume as Found
from clusterwright.preflight.facts.references import Volume
from tests.preflight.harness import Harness

FS_ID = "fs-0f1e2d3c4b5a69788"
VOLUME = "fsvol-0a1b2c3d4e5f60718"
HERE = "storage.home.existing.volume_id"
SPEC: dict[str, Any] = {
    "platform": "parallelcluster",
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-00000001",
            "subnet_ids": ["subnet-00000001"],
            "security_group_ids": ["sg-00000001"],
        },
    },
    "storage.home": {
        "kind": "openzfs",
        "existing": {
            "dns_name": f"{FS_ID}.fsx.us-east-1.amazonaws.com",
            "security_group_id": "sg-00000001",
            "volume_id": VOLUME,
        },
    },
}


def test_volume_is_in_the_file_system(rule: Harness) -> None:
    rule.passes("CW-S038", SPEC, {Volume(VOLUME): Found(VOLUME, FS_ID, "AVAILABLE", "OPENZFS")})
    rule.passes("CW-S038", {"platform": "parallelcluster"}, tested=False)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, f"the volume {VOLUME} does not exist in us-east-1"),
        (Found(VOLUME, "fs-01", "AVAILABLE", "OPENZFS"), f"{VOLUME} is a volume of fs-01"),
        (Found(VOLUME, FS_ID, "DELETING", "OPENZFS"), f"{VOLUME} is DELETING"),
        (Found(VOLUME, FS_ID, "AVAILABLE", "ONTAP"), f"{VOLUME} is ONTAP, not OPENZFS"),
    ],
)
def test_volume_that_cannot_be_mounted(rule: Harness, found: Found | None, message: str) -> None:
    rule.fails("CW-S038", SPEC, {Volume(VOLUME): found}, path=HERE, message=message)
