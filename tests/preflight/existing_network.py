"""Specs and facts of an existing network."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.aws.ec2.vpc import Subnet

VPC, SUBNET, OTHER_SUBNET = "vpc-00000001", "subnet-00000001", "subnet-00000002"

GROUP = "sg-00000001"

EXISTING: dict[str, Any] = {
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": VPC,
            "subnet_ids": [SUBNET],
            "security_group_ids": [GROUP],
        },
    }
}

HERE = Subnet(SUBNET, VPC, "10.1.0.0/20", "us-east-1d", "use1-az6", 4091, False, "a", None)

THERE = dataclasses.replace(
    HERE, id=OTHER_SUBNET, cidr="10.1.16.0/20", zone="us-east-1b", zone_id="use1-az1"
)
