"""Permissions of the nodes' execution role, where the world enforces IAM.

SageMaker developer guide, "Prerequisites for using SageMaker HyperPod", sections on the IAM role
and on a custom VPC:
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html AWS does not
publish the messages of its refusals. Permissions on the network are checked when the cluster is
created or changed; permissions on the scripts when HyperPod fetches them, where a refusal is a
failure of the scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.iam import entities
from clusterwright_localaws.iam.callers import role_session
from clusterwright_localaws.iam.enforcement import decide
from clusterwright_localaws.iam.requirements import Need
from clusterwright_localaws.iam.trust import trusts
from clusterwright_localaws.services.ec2.network import Network
from clusterwright_localaws.services.ec2.zones import partition_of

SAGEMAKER = "sagemaker.amazonaws.com"
HYPERPOD = "hyperpod.sagemaker.amazonaws.com"
"""The service that a ClusterRole must trust (SageMaker developer guide, "Create an IAM role for
HyperPod autoscaling with Karpenter").
"""

_LOOKS = (
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
)
_CREATION = "ec2:CreateNetworkInterface"
_DETACHING = "ec2:DetachNetworkInterface"
_ON_INTERFACES = (
    "ec2:CreateNetworkInterfacePermission",
    "ec2:CreateTags",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    _DETACHING,
)


def trusts_principal(role: Any, principal: str) -> bool:
    """Return whether a service may assume moto's role."""
    return trusts(role, principal)


def missing_network_right(
    runtime: Runtime, region: str, account: str, request: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return the first role of a cluster's request, and the action that it lacks for its VPC."""
    for group in _groups(request):
        config = group.get("OverrideVpcConfig") or request.get("VpcConfig")
        if not config:
            continue
        found = _first_denied(
            runtime,
            region,
            str(group["ExecutionRole"]),
            _network_needs(Network(runtime, account, region), config),
        )
        if found is not None:
            return str(group["ExecutionRole"]), found
    return None


def may_fetch(
    runtime: Runtime, region: str, role_arn: str, uri: str, names: Iterable[str]
) -> bool:
    """Return whether a role may list the bucket of lifecycle scripts and read the entry
    scripts.
    """
    if runtime.world.iam != "enforced":
        return True
    parts = urlsplit(uri)
    bucket = f"arn:{partition_of(region)}:s3:::{parts.netloc}"
    prefix = parts.path.strip("/")
    needs = [Need("s3:ListBucket", bucket, context={"s3:prefix": prefix})]
    for name in names:
        key = "/".join(part for part in (prefix, name) if part)
        needs.append(Need("s3:GetObject", f"{bucket}/{key}"))
    return _first_denied(runtime, region, role_arn, needs) is None


def _first_denied(
    runtime: Runtime, region: str, role_arn: str, needs: Iterable[Need]
) -> str | None:
    role = entities.role_of(role_arn)
    if role is None:
        return None  # refused elsewhere, or of another account
    caller = role_session(role, "SageMaker")
    for need in needs:
        if not decide(runtime, caller, need, region).allowed:
            return need.action
    return None


def _network_needs(network: Network, config: Mapping[str, Any]) -> Iterator[Need]:
    """Resource types and condition keys are those of EC2's Service Authorization Reference."""
    region = network.region
    partition = partition_of(region)
    base = f"arn:{partition}:ec2:{region}:{network.account}"
    for action in _LOOKS:
        yield Need(action, "*")
    interfaces = f"{base}:network-interface/*"
    # A new interface is in no subnet yet: EC2's reference has no such key for its creation.
    yield Need(_CREATION, interfaces)
    yield Need(
        "ec2:CreateTags",
        interfaces,
        context={"ec2:CreateAction": _CREATION.removeprefix("ec2:")},
    )
    for name in config.get("Subnets", ()):
        subnet, owned = network.subnet(name), _owned(network, name, base)
        where = {"ec2:Subnet": f"{owned}:subnet/{name}"}
        if subnet is not None:
            where["ec2:Vpc"] = f"{owned}:vpc/{subnet.vpc_id}"
        for action in _ON_INTERFACES:
            yield Need(action, interfaces, context=where)
    # Detaching has two resources. HyperPod's instances are in accounts of AWS, which gives its
    # consent; here only the role's own policies count.
    yield Need(_DETACHING, f"{base}:instance/*")
    for name in config.get("Subnets", ()):
        yield Need("ec2:CreateNetworkInterface", f"{_owned(network, name, base)}:subnet/{name}")
    for name in config.get("SecurityGroupIds", ()):
        yield Need("ec2:CreateNetworkInterface", f"{base}:security-group/{name}")


def _owned(network: Network, subnet_id: str, base: str) -> str:
    """Return the first parts of a subnet's ARN, with the account that owns it."""
    subnet = network.subnet(subnet_id)
    owner = network.account if subnet is None else subnet.owner_id
    return f"{base.rpartition(':')[0]}:{owner}"


def _groups(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        yield from request.get(kind) or ()
