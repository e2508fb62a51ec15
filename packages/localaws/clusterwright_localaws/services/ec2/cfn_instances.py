"""``AWS::EC2::Instance``: one instance, such as the head node of a cluster. ``Ref`` is its id.

Every change but of tags replaces the instance: changes that EC2 allows on a stopped instance are
not supported.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import ec2_tags, pick, ready, retag_ec2

_ADDRESSES = {
    "PrivateDnsName": "PrivateDnsName",
    "PublicIp": "PublicIpAddress",
    "PublicDnsName": "PublicDnsName",
}


class Instance(Handler):
    type_name = "AWS::EC2::Instance"
    supported_properties = frozenset(
        {
            "IamInstanceProfile",
            "ImageId",
            "InstanceType",
            "KeyName",
            "SecurityGroupIds",
            "SubnetId",
            "Tags",
        }
    )
    unsupported_attributes = frozenset({"State"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        ec2 = ctx.client("ec2")
        profile = properties.get("IamInstanceProfile")
        instance = ec2.run_instances(
            MinCount=1,
            MaxCount=1,
            **pick(
                properties, "ImageId", "InstanceType", "KeyName", "SecurityGroupIds", "SubnetId"
            ),
            **({"IamInstanceProfile": {"Name": profile}} if profile else {}),
            **ec2_tags(ctx, "instance", properties.get("Tags")),
        )["Instances"][0]["InstanceId"]
        ctx.identify(instance)
        ready(
            ctx,
            lambda: {"State": _state(ec2, instance)},
            f"Instance {instance}",
            status="State",
            wanted="running",
        )
        return _created(ec2, instance)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        retag_ec2(ctx, physical_id, old, new)
        return _created(ctx.client("ec2"), physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ec2 = ctx.client("ec2")
        ec2.terminate_instances(InstanceIds=[physical_id])
        ctx.wait(
            lambda: _state(ec2, physical_id) == "terminated", what="the instance to terminate"
        )

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        return {
            name for name in self.supported_properties - {"Tags"} if old.get(name) != new.get(name)
        }


def _created(ec2: Any, instance_id: str) -> Created:
    found = _described(ec2, instance_id)
    return Created(
        instance_id,
        {
            "InstanceId": instance_id,
            "PrivateIp": found["PrivateIpAddress"],
            "VpcId": found["VpcId"],
            # A private instance has no public ones.
            **{name: found[member] for name, member in _ADDRESSES.items() if found.get(member)},
        },
    )


def _state(ec2: Any, instance_id: str) -> str:
    return str(_described(ec2, instance_id)["State"]["Name"])


def _described(ec2: Any, instance_id: str) -> dict[str, Any]:
    found: dict[str, Any] = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0][
        "Instances"
    ][0]
    return found
