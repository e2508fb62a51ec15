"""Checks of what a database is put into: security groups, zones, internet gateways, and keys.

The codes are those of the API model; the messages are as users quote them, except that of a zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam.inside import acting_as
from clusterwright_localaws.services.ec2.zones import zone_id_of
from clusterwright_localaws.services.rds.values import contradictory, invalid

Parameters = Mapping[str, Any]


def check_groups(call: Call, vpc_id: str | None) -> None:
    """Security groups exist, in the VPC of the DB subnet group where there is one."""
    groups = moto_state.backend("ec2", call.account, call.region).groups
    by_id = {each.id: each for vpc in groups.values() for each in vpc.values()}
    for group_id in call.parameters.get("VpcSecurityGroupIds") or ():
        group = by_id.get(group_id)
        if group is None:
            raise invalid(f"Invalid security group , groupId= {group_id}, groupName=.")
        if vpc_id is not None and group.vpc_id != vpc_id:
            raise contradictory(
                "The DB instance and EC2 security group are in different VPCs. The DB instance is "
                f"in {vpc_id} and the EC2 security group is in {group.vpc_id}"
            )


def vpc_of(call: Call, name: str | None) -> str | None:
    """Return the VPC of a DB subnet group; None without one, or if there is none of the name."""
    found = moto_state.backend("rds", call.account, call.region).subnet_groups.get(name or "")
    return None if found is None else str(found.vpc_id)


def check_internet_gateway(call: Call, vpc_id: str | None) -> None:
    """The VPC of a database that is publicly accessible has an internet gateway."""
    if not call.parameters.get("PubliclyAccessible") or vpc_id is None:
        return
    gateways = moto_state.backend("ec2", call.account, call.region).internet_gateways.values()
    if not any(each.vpc is not None and each.vpc.id == vpc_id for each in gateways):
        raise AwsError(
            "InvalidVPCNetworkStateFault",
            "Cannot create a publicly accessible DBInstance. The specified VPC has no internet "
            "gateway attached. Update the VPC and then try again",
        )


def check_zones(call: Call) -> None:
    request = call.parameters
    zone = request.get("AvailabilityZone")
    if zone and request.get("MultiAZ"):
        raise contradictory(
            "Requesting a specific availability zone is not valid for Multi-AZ instances."
        )
    for name in (*(request.get("AvailabilityZones") or ()), *([zone] if zone else ())):
        if zone_id_of(call.region, name) is None:
            raise invalid(f"Invalid availability zone: {name} is not in {call.region}")


def check_key(call: Call) -> None:
    """The key of a request is there and enabled; one of another account is not known here."""
    from botocore.exceptions import ClientError

    from clusterwright_localaws.core.boto_clients import client

    key = call.parameters.get("KmsKeyId")
    if not key or (key.startswith("arn:") and f":{call.account}:" not in key):
        return
    try:
        with acting_as(None):
            found = client("kms", account=call.account, region=call.region).describe_key(KeyId=key)
        is_enabled = found["KeyMetadata"]["KeyState"] == "Enabled"
    except ClientError:
        is_enabled = key.rpartition("alias/")[2].startswith("aws/")
    if not is_enabled:
        raise AwsError(
            "KMSKeyNotAccessibleFault",
            f"The specified KMS key [{key}] does not exist, is not enabled or you do not have "
            "permissions to access it.",
        )
