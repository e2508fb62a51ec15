"""The EKS cluster of the deployment tests."""

from __future__ import annotations

import json
from typing import Any

from tests.stacks.deployment import Account, add_boundary, bootstrapped
from tests.support.rich_specs import EKS, changed

RESERVATIONS = [
    {
        "id": "cr-0a1b2c3d4e5f60718",
        "instance_type": "p5.48xlarge",
        "instance_count": 2,
        "zone_id": "use1-az6",
        "kind": "capacity-block",
        "state": "active",
        "end": "+30d",
    },
    {
        "id": "cr-0f1e2d3c4b5a69788",
        "instance_type": "p5.48xlarge",
        "instance_count": 1,
        "zone_id": "use1-az6",
        "state": "active",
    },
]

SPEC = changed(EKS, protection="destroy")


def prepared() -> Account:
    """An account with the existing resources of `EKS`: a boundary and two roles."""
    found = bootstrapped()
    add_boundary(found)
    for name, service in (("researchers", "ec2"), ("data-loader", "pods.eks")):
        trust = {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": f"{service}.amazonaws.com"},
                    "Action": ["sts:AssumeRole", "sts:TagSession"],
                }
            ],
        }
        found.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
    return found


def groups(account: Account, cluster: str = "test") -> dict[str, dict[str, Any]]:
    eks = account.client("eks")
    described = [
        eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
        for name in eks.list_nodegroups(clusterName=cluster)["nodegroups"]
    ]
    return {one["labels"]["clusterwright.dev/group"]: one for one in described}
