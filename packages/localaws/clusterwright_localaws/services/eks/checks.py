"""Checks of roles, subnets and keys before EKS accepts a request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.eks.state import FREE_ADDRESSES_PER_SUBNET, Store, invalid


def require_role(arn: str, principal: str, message: str) -> None:
    """Refuse a role of the caller's account that does not exist or does not trust `principal`.

    Raises
    ------
    AwsError
        InvalidParameterException with `message`.
    """
    role = entities.role_of(arn)
    if role is None or not trusts(role, principal):
        raise invalid(message)


def trusts(role: Any, principal: str) -> bool:
    """Return whether a role's trust policy allows a service (`eks.amazonaws.com`) assume it."""
    document = role.assume_role_policy_document
    policy = json.loads(document) if isinstance(document, str) else document
    statements = policy.get("Statement", [])
    for statement in [statements] if isinstance(statements, dict) else statements:
        if statement.get("Effect") != "Allow":
            continue
        who = statement.get("Principal", {})
        services = who if isinstance(who, str) else who.get("Service", [])
        names = [services] if isinstance(services, str) else services
        actions = statement.get("Action", [])
        actions = [actions] if isinstance(actions, str) else actions
        assumes = {"sts:AssumeRole", "sts:*", "*"} & set(actions)
        if assumes and any(name in ("*", principal) for name in names):
            return True
    return False


def subnets_of(store: Store, subnet_ids: Sequence[str]) -> list[Any]:
    """Return the subnets of a request.

    Raises
    ------
    AwsError
        InvalidParameterException with EC2's message, which EKS passes on.
    """
    found = []
    for subnet_id in subnet_ids:
        subnet = store.network.subnet(subnet_id)
        if subnet is None:
            raise invalid(f"The subnet ID '{subnet_id}' does not exist")
        found.append(subnet)
    return found


def check_cluster_network(
    store: Store, subnet_ids: Sequence[str], group_ids: Iterable[str]
) -> list[Any]:
    """Check subnets of one VPC in two zones with free addresses, and security groups of that
    VPC.
    """
    if not subnet_ids:
        raise invalid("subnetIds must have at least two subnets")
    subnets = subnets_of(store, subnet_ids)
    vpcs = {subnet.vpc_id for subnet in subnets}
    if len(vpcs) > 1:
        raise invalid("Subnets must be in the same VPC")
    if any(store.network.ec2.vpcs[vpc_id].instance_tenancy != "default" for vpc_id in vpcs):
        # aws/containers-roadmap#1577
        raise invalid(
            "The subnet(s) provided belong to a VPC with unsupported tenancy. Only subnets from "
            "VPCs with default tenancy are supported"
        )
    if len({subnet.availability_zone_id for subnet in subnets}) < 2:
        # awsdocs/amazon-eks-user-guide#795
        raise invalid("Subnets specified must be in at least two different AZs")
    for subnet in subnets:
        free = store.network.free_addresses(subnet)
        if free < FREE_ADDRESSES_PER_SUBNET:
            raise invalid(
                f"Subnet {subnet.id} has {free} free IP addresses; Amazon EKS needs at least "
                f"{FREE_ADDRESSES_PER_SUBNET} in every subnet of a cluster"
            )
    check_security_groups(store, group_ids, vpcs.pop())
    return subnets


def check_security_groups(store: Store, group_ids: Iterable[str], vpc_id: str) -> None:
    for group_id in group_ids:
        group = store.network.security_group(group_id)
        if group is None:
            raise invalid(f"The security group '{group_id}' does not exist")
        if group.vpc_id != vpc_id:
            raise invalid(f"Security group {group_id} is not in the VPC of the subnets, {vpc_id}")


def check_key(call: Call, key_arn: str) -> None:
    """Check that an encryption key of the caller's account exists, is enabled and symmetric.

    Raises
    ------
    AwsError
        InvalidParameterException; AWS's message is not known, this one is ours.
    """
    parts = key_arn.split(":")
    if len(parts) != 6 or parts[2] != "kms" or parts[3] != call.region:
        raise invalid(f"The keyArn {key_arn} is not a KMS key of region {call.region}")
    backend = moto_state.backend("kms", parts[4], parts[3])
    try:
        key = backend.describe_key(parts[5].removeprefix("key/"))
    except Exception as error:
        raise invalid(f"The keyArn {key_arn} does not exist") from error
    if not key.enabled or key.key_spec != "SYMMETRIC_DEFAULT":
        raise invalid(f"The key {key_arn} must be enabled and symmetric")


def limited(error: AwsError) -> AwsError:
    """Return a quota refusal in the shape of EKS's error."""
    return AwsError("ResourceLimitExceededException", error.message, 400)
