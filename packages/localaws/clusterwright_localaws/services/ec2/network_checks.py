"""What EC2 refuses of VPCs and moto accepts: unknown ids, deleted defaults, small subnets.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.ec2.fixes.rule_values import ALLOWED, TEXT

# https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
_PREFIXES: Final = range(16, 29)
_IPV6_RANGES: Final = ("Ipv6CidrBlock", "Ipv6IpamPoolId")
_ID: Final = re.compile(r"[a-z]+(-[a-z]+)*-[0-9a-z]+")


@dataclass(frozen=True)
class _Ids:
    """How a list names resources: the parameter, moto's table, the code and the noun."""

    parameter: str
    table: str
    code: str
    noun: str


# Lists of moto that leave out ids which do not exist, or refuse them with another code.
_LISTS: Final[Mapping[str, _Ids]] = {
    "DescribeNatGateways": _Ids(
        "NatGatewayIds", "nat_gateways", "NatGatewayNotFound", "The Nat Gateway"
    ),
    "DescribeNetworkAcls": _Ids(
        "NetworkAclIds", "network_acls", "InvalidNetworkAclID.NotFound", "The networkAcl ID"
    ),
    "DescribeVpcPeeringConnections": _Ids(
        "VpcPeeringConnectionIds",
        "vpc_pcxs",
        "InvalidVpcPeeringConnectionID.NotFound",
        "The vpcPeeringConnection ID",
    ),
    "DescribeFlowLogs": _Ids(
        "FlowLogIds", "flow_logs", "InvalidFlowLogId.NotFound", "The flow log ID"
    ),
    "DescribeCustomerGateways": _Ids(
        "CustomerGatewayIds",
        "customer_gateways",
        "InvalidCustomerGatewayID.NotFound",
        "The customerGateway ID",
    ),
}
# Lists whose ids must have the form of an id, and the code where they have not.
_FORMS: Final[Mapping[str, tuple[str, str, str]]] = {
    "DescribeInstances": ("InstanceIds", "i-", "InvalidInstanceID.Malformed"),
    "DescribeVolumes": ("VolumeIds", "vol-", "InvalidVolumeID.Malformed"),
    "DescribeImages": ("ImageIds", "ami-", "InvalidAMIID.Malformed"),
    "DescribeSnapshots": ("SnapshotIds", "snap-", "InvalidSnapshotID.Malformed"),
    "DescribeSubnets": ("SubnetIds", "subnet-", "InvalidSubnetID.Malformed"),
    "DescribeVpcs": ("VpcIds", "vpc-", "InvalidVpcID.Malformed"),
    "DescribeSecurityGroups": ("GroupIds", "sg-", "InvalidGroupId.Malformed"),
    "DescribeRouteTables": ("RouteTableIds", "rtb-", "InvalidRouteTableId.Malformed"),
    "DescribeNetworkInterfaces": (
        "NetworkInterfaceIds",
        "eni-",
        "InvalidNetworkInterfaceId.Malformed",
    ),
    "TerminateInstances": ("InstanceIds", "i-", "InvalidInstanceID.Malformed"),
}


def check_ids(account: str, region: str, name: str, parameters: Mapping[str, Any]) -> None:
    """Check the ids that an operation of EC2 names.

    Raises
    ------
    AwsError
        An id has not the form of its kind, or what it names does not exist.
    """
    if name in _FORMS:
        parameter, prefix, code = _FORMS[name]
        for one in parameters.get(parameter) or ():
            check_id(one, prefix, code)
    elif name in _LISTS:
        kind = _LISTS[name]
        there = getattr(moto_state.backend("ec2", account, region), kind.table)
        for one in parameters.get(kind.parameter) or ():
            if one not in there:
                raise AwsError(kind.code, f"{kind.noun} '{one}' does not exist", 400)


def check_id(given: str, prefix: str, code: str) -> None:
    """Check that an id has the form of ids of its kind.

    Raises
    ------
    AwsError
        With `code`.
    """
    if not (given.startswith(prefix) and _ID.fullmatch(given)):
        raise AwsError(code, f'Invalid id: "{given}" (expecting "{prefix}...")', 400)


@operation("ec2", "CreateSubnet")
def create_subnet(call: Call) -> Mapping[str, Any]:
    given = call.parameters.get("CidrBlock")
    if not given:
        _refuse_without_range(call.parameters)
    try:
        size = None if given is None else ipaddress.ip_network(given, strict=False).prefixlen
    except ValueError:
        size = None  # moto refuses what is no range
    if size is not None and size not in _PREFIXES:
        raise AwsError("InvalidSubnet.Range", f"The CIDR '{given}' is invalid.", 400)
    raise ForwardToMoto


def _refuse_without_range(parameters: Mapping[str, Any]) -> None:
    if parameters.get("Ipv6Native") and not any(map(parameters.get, _IPV6_RANGES)):
        raise ForwardToMoto  # moto refuses an IPv6-only subnet without a range
    for name in ("Ipv4IpamPoolId", *_IPV6_RANGES, "Ipv6Native"):
        if parameters.get(name):
            text = f"the local AWS has no subnets without an IPv4 range: {name}"
            raise AwsError("UnsupportedOperation", text, 400)
    raise AwsError("MissingParameter", "The request must contain the parameter cidrBlock", 400)


@operation("ec2", "ModifyVpcAttribute")
def modify_vpc_attribute(call: Call) -> Mapping[str, Any]:
    given = sorted(name for name in call.parameters if name.startswith("Enable"))
    if len(given) > 1:
        # As published (kubernetes-sigs/cluster-api-provider-aws#783).
        listed = ", ".join(f"{name[0].lower()}{name[1:]}" for name in given)
        text = f"Fields for multiple attribute types specified: {listed}"
        raise AwsError("InvalidParameterCombination", text)
    raise ForwardToMoto


@operation("ec2", "DeleteRouteTable")
def delete_route_table(call: Call) -> Mapping[str, Any]:
    table = _ec2(call).route_tables.get(call.parameters["RouteTableId"])
    if table is not None and table.main_association_id is not None:
        raise AwsError(
            "DependencyViolation",
            f"The routeTable '{table.id}' has dependencies and cannot be deleted.",
            400,
        )
    raise ForwardToMoto


@operation("ec2", "CreateSecurityGroup")
def create_security_group(call: Call) -> Mapping[str, Any]:
    if call.parameters.get("GroupName") == "default":
        # As published (hashicorp/terraform#17343).
        text = "Cannot use reserved security group name: default"
        raise AwsError("InvalidParameterValue", text)
    name, description = (call.parameters.get(one, "") for one in ("GroupName", "Description"))
    if name.lower().startswith("sg-"):
        text = (
            f"Value ({name}) for parameter GroupName is invalid. Group names may not be in the "
            "format sg-*."
        )
        raise AwsError("InvalidParameterValue", text)
    for kind, value in (("name", name), ("description", description)):
        if not TEXT.fullmatch(value):
            text = f"Invalid security group {kind}. Valid {kind}s are {ALLOWED}"
            raise AwsError("InvalidParameterValue", text)
    raise ForwardToMoto


@operation("ec2", "DeleteSecurityGroup")
def delete_security_group(call: Call) -> Mapping[str, Any]:
    group_id = call.parameters.get("GroupId")
    groups = [found.get(group_id) for found in _ec2(call).groups.values()]
    group = next((one for one in groups if one is not None), None)
    if group is not None and group.name == "default":
        raise AwsError(
            "CannotDelete",
            f'the specified group: "{group_id}" name: "default" cannot be deleted by a user',
            400,
        )
    raise ForwardToMoto


def _ec2(call: Call) -> Any:
    return moto_state.backend("ec2", call.account, call.region)
