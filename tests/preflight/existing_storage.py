"""Specs and facts of existing file systems."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.aws.fsx import FileSystem

FS_ID = "fs-0123456789abcdef0"

DNS = f"{FS_ID}.fsx.us-east-1.amazonaws.com"

STANDING: dict[str, Any] = {
    "storage.lustre": [
        {
            "mount_path": "/fsx",
            "efa": True,
            "existing": {
                "id": FS_ID,
                "dns_name": DNS,
                "mount_name": "abcdefgh",
                "security_group_id": "sg-00000001",
            },
        }
    ]
}

FOUND = FileSystem(
    id=FS_ID,
    kind="LUSTRE",
    lifecycle="AVAILABLE",
    storage_type="SSD",
    deployment_type="PERSISTENT_2",
    capacity_gib=4800,
    throughput_mbps=0,
    efa=True,
    vpc_id="vpc-00000001",
    subnet_ids=("subnet-00000001",),
    dns_name=DNS,
    mount_name="abcdefgh",
    stack=None,
)

SUBNET = Subnet(
    "subnet-00000001", "vpc-00000001", "10.1.0.0/20", "us-east-1d", "use1-az6", 99, False, "", None
)

NETWORK: dict[str, Any] = {
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-00000001",
            "subnet_ids": ["subnet-00000001", "subnet-00000002"],
            "security_group_ids": ["sg-00000001"],
        },
    }
}
