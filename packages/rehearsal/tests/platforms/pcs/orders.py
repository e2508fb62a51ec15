"""Orders of the local AWS for a cluster of AWS PCS."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright_localaws.drivers import (
    PcsGroupOrder,
    PcsInstance,
    PcsOrder,
    PcsQueueOrder,
)
from clusterwright_rehearsal.platforms.pcs.members import Member


def group(name: str = "workers", *, least: int = 1, most: int = 3, **more: Any) -> PcsGroupOrder:
    members = {
        "scalingConfiguration": {"minInstanceCount": least, "maxInstanceCount": most},
        "instanceConfigs": [{"instanceType": "p5.48xlarge"}],
        "iamInstanceProfileArn": "arn:aws:iam::111122223333:instance-profile/aws-pcs/AWSPCS-x",
        **more,
    }
    instances = tuple(
        PcsInstance(f"i-{name}{number}", number, f"{name}-{number}")
        for number in range(1, least + 1)
    )
    return PcsGroupOrder(f"pcs_{name}", name, members, {}, instances)


def queue(name: str, *groups: str, **settings: str) -> PcsQueueOrder:
    custom = [{"parameterName": k, "parameterValue": v} for k, v in settings.items()]
    return PcsQueueOrder(
        f"pcs_{name}",
        name,
        {
            "computeNodeGroupConfigurations": [
                {"computeNodeGroupId": f"pcs_{one}"} for one in groups
            ],
            "slurmConfiguration": {"slurmCustomSettings": custom},
        },
    )


def order(*, accounting: str = "STANDARD", **more: Any) -> PcsOrder:
    members = {
        "scheduler": {"type": "SLURM", "version": "25.11"},
        "networking": {"subnetIds": ["subnet-1"], "securityGroupIds": ["sg-1"]},
        "slurmConfiguration": {
            "scaleDownIdleTimeInSeconds": 600,
            "accounting": {"mode": accounting},
            "authKey": {"secretArn": "arn:secret", "secretVersion": "1"},
            "slurmCustomSettings": [
                {"parameterName": "PrologFlags", "parameterValue": "Alloc,Contain"},
                {"parameterName": "MinJobAge", "parameterValue": "60"},
            ],
            "slurmdbdCustomSettings": [
                {"parameterName": "PurgeJobAfter", "parameterValue": "12"},
            ],
        },
    }
    found = PcsOrder(
        account="111122223333",
        region="us-east-1",
        cluster_id="pcs_c",
        name="train",
        address="10.0.0.9",
        is_up=True,
        members=members,
        groups=(group("login", least=1, most=1), group()),
        queues=(queue("batch", "workers", Default="YES"),),
    )
    return dataclasses.replace(found, **more)


def member(**more: Any) -> Member:
    values: dict[str, Any] = {
        "name": "workers-1",
        "group_name": "workers",
        "group_id": "pcs_workers",
        "number": 1,
        "is_static": True,
        "is_login": False,
        "instance_id": "i-workers1",
        "instance_type": "p5.48xlarge",
        "address": "10.0.0.5",
        "subnet_id": "subnet-1",
        "zone_name": "us-east-1a",
        "image_id": "ami-1",
        "role_arn": "arn:aws:iam::111122223333:role/aws-pcs/x",
        "user_data": "",
        "security_groups": ("sg-1",),
        **more,
    }
    return Member(**values)
