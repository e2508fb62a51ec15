"""VPCs, subnets, security groups, Elastic IP addresses and NAT gateways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value

STACK_TAG = "aws:cloudformation:stack-name"


@dataclass(frozen=True)
class Vpc:
    id: str
    cidrs: tuple[str, ...]
    stack: str | None
    tenancy: str = "default"
    """Of its instances: `default` or `dedicated`."""


@dataclass(frozen=True)
class Subnet:
    id: str
    vpc_id: str
    cidr: str
    zone: str
    zone_id: str
    free_addresses: int
    public_addresses_on_launch: bool
    name: str
    stack: str | None
    owner: str = ""
    """The account that owns it, which is another one if it is shared through AWS RAM; empty if EC2
    does not return it."""

    outpost: str = ""
    """The ARN of the Outpost that it is in; empty if it is in none."""

    tags: frozenset[tuple[str, str]] = frozenset()
    """Keys and values of its tags."""


@dataclass(frozen=True)
class NatGateway:
    subnet_id: str
    stack: str | None
    id: str = ""


@dataclass(frozen=True)
class Permission:
    """A rule of a security group, in one direction.

    `protocol` is `-1` for all; `groups`, `cidrs` and `prefix_lists` are the peers.
    """

    protocol: str
    first_port: int | None
    last_port: int | None
    groups: frozenset[str]
    cidrs: frozenset[str]
    prefix_lists: frozenset[str] = frozenset()
    """Ids (pl-...); their CIDR ranges are not read."""

    ipv6_cidrs: frozenset[str] = frozenset()

    def covers(self, port: int) -> bool:
        """Return whether the rule allows TCP traffic to `port`."""
        if self.protocol == "-1":
            return True
        if self.protocol not in ("tcp", "6") or self.first_port is None or self.last_port is None:
            return False
        return self.first_port <= port <= self.last_port


@dataclass(frozen=True)
class SecurityGroup:
    id: str
    vpc_id: str
    inbound: tuple[Permission, ...]
    outbound: tuple[Permission, ...]
    stack: str | None = None


def vpcs(session: AwsSession) -> tuple[Vpc, ...]:
    """Return every VPC of the account in the region."""
    return tuple(
        Vpc(
            answer["VpcId"],
            tuple(
                str(IPv4Network(association["CidrBlock"]))
                for association in answer.get("CidrBlockAssociationSet") or ()
                if _associated(session, association)
            )
            or (str(IPv4Network(answer["CidrBlock"])),),
            _tags(answer).get(STACK_TAG),
            answer["InstanceTenancy"],
        )
        for answer in session.items("ec2", "DescribeVpcs", "Vpcs")
    )


def vpc_attribute(session: AwsSession, vpc_id: str, attribute: str) -> bool:
    """Return the value of `enableDnsSupport` or `enableDnsHostnames`."""
    answer = session.call("ec2", "DescribeVpcAttribute", VpcId=vpc_id, Attribute=attribute)
    return bool(answer[attribute[0].upper() + attribute[1:]]["Value"])


def subnets(session: AwsSession) -> tuple[Subnet, ...]:
    """Return every subnet of the account in the region."""
    return tuple(
        Subnet(
            id=answer["SubnetId"],
            vpc_id=answer["VpcId"],
            cidr=str(IPv4Network(answer["CidrBlock"])),
            zone=answer["AvailabilityZone"],
            zone_id=answer["AvailabilityZoneId"],
            free_addresses=answer["AvailableIpAddressCount"],
            public_addresses_on_launch=bool(answer.get("MapPublicIpOnLaunch")),
            name=_tags(answer).get("Name", ""),
            stack=_tags(answer).get(STACK_TAG),
            owner=str(answer.get("OwnerId") or ""),
            outpost=str(answer.get("OutpostArn") or ""),
            tags=frozenset(_tags(answer).items()),
        )
        for answer in session.items("ec2", "DescribeSubnets", "Subnets")
    )


@none_if_not_found()
def security_group(session: AwsSession, group_id: str) -> SecurityGroup | None:
    """Return a security group with its rules, None if it does not exist."""
    answer = session.call("ec2", "DescribeSecurityGroups", GroupIds=[group_id])
    found = answer["SecurityGroups"]
    return _security_group(found[0]) if found else None


def security_groups(session: AwsSession) -> tuple[SecurityGroup, ...]:
    """Return every security group of the account in the region, with its rules."""
    return tuple(
        _security_group(answer)
        for answer in session.items("ec2", "DescribeSecurityGroups", "SecurityGroups")
    )


def elastic_ip_stacks(session: AwsSession) -> tuple[str | None, ...]:
    """Return the stack of every Elastic IP address in the region, None for one without a stack."""
    answer = session.call("ec2", "DescribeAddresses")
    return tuple(_tags(address).get(STACK_TAG) for address in answer["Addresses"])


def nat_gateways(session: AwsSession) -> tuple[NatGateway, ...]:
    """Return every NAT gateway that counts towards the quota: deleted and failed ones do not."""
    return tuple(
        NatGateway(gateway["SubnetId"], _tags(gateway).get(STACK_TAG), gateway["NatGatewayId"])
        for gateway in session.items("ec2", "DescribeNatGateways", "NatGateways")
        if known_value(
            session,
            gateway["State"],
            service="ec2",
            operation="DescribeNatGateways",
            shape="NatGatewayState",
        )
        not in ("deleted", "failed")
    )


def _security_group(answer: Mapping[str, Any]) -> SecurityGroup:
    return SecurityGroup(
        answer["GroupId"],
        answer["VpcId"],
        _permissions(answer.get("IpPermissions") or ()),
        _permissions(answer.get("IpPermissionsEgress") or ()),
        _tags(answer).get(STACK_TAG),
    )


def _permissions(answer: Iterable[Mapping[str, Any]]) -> tuple[Permission, ...]:
    return tuple(
        Permission(
            str(rule["IpProtocol"]),
            rule.get("FromPort"),
            rule.get("ToPort"),
            frozenset(pair["GroupId"] for pair in rule.get("UserIdGroupPairs") or ()),
            frozenset(r["CidrIp"] for r in rule.get("IpRanges") or ()),
            frozenset(entry["PrefixListId"] for entry in rule.get("PrefixListIds") or ()),
            frozenset(r["CidrIpv6"] for r in rule.get("Ipv6Ranges") or ()),
        )
        for rule in answer
    )


def _associated(session: AwsSession, association: Mapping[str, Any]) -> bool:
    state = (association.get("CidrBlockState") or {}).get("State", "associated")
    return (
        known_value(
            session,
            state,
            service="ec2",
            operation="DescribeVpcs",
            shape="VpcCidrBlockStateCode",
        )
        == "associated"
    )


def _tags(answer: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()}
