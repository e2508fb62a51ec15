"""Orders for HyperPod's nodes, and the members of their cluster."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

from clusterwright_localaws.drivers import Member, NodeOrder

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/abcdefghijkl"
ROLES = {"controller": "Controller", "workers": "Compute", "login": "Login"}


def member(number: int, group: str = "workers") -> Member:
    return Member(
        group,
        f"{group}-{number}",
        f"i-{number}",
        f"l-{number}",
        "ml.p5.48xlarge" if group == "workers" else "ml.m5.xlarge",
        f"10.0.0.{number}",
        "Running",
    )


def specification(group: str = "workers", **more: Any) -> dict[str, Any]:
    return {
        "InstanceGroupName": group,
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
        "SlurmConfig": {"NodeType": ROLES[group], "PartitionNames": ["train"]},
        **more,
    }


def order(number: int = 5, group: str = "workers", action: str = "create", **more: Any) -> Any:
    one = member(number, group)
    request = {"InstanceGroups": [specification(name) for name in ROLES]}
    return NodeOrder(
        **{
            "action": action,
            "account": "111122223333",
            "region": "us-east-1",
            "cluster_name": "train",
            "cluster_arn": ARN,
            "group_name": group,
            "name": one.name,
            "number": number,
            "instance_id": one.instance_id,
            "logical_id": one.logical_id,
            "instance_type": one.instance_type,
            "address": one.address,
            "subnet_id": "subnet-1",
            "zone_name": "us-east-1a",
            "zone_id": "use1-az6",
            "image_release": "0.0.1",
            "image_id": None,
            "specification": specification(group),
            "request": request,
            "report": Mock(),
            **more,
        }
    )
