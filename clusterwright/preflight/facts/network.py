"""Networks of the account, and the instance types that its zones offer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws.ec2 import instance_types, vpc
from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.fact import Fact, Reading, answered, ask


@dataclass(frozen=True)
class Vpcs(Fact[tuple[vpc.Vpc, ...]]):
    actions: ClassVar = ("ec2:DescribeVpcs",)
    inventory: ClassVar = True
    function: ClassVar = vpc.vpcs


@dataclass(frozen=True)
class VpcDns(Fact[tuple[bool, bool]]):
    """The DNS attributes of a VPC: name resolution and host names."""

    vpc_id: str
    actions: ClassVar = ("ec2:DescribeVpcAttribute",)
    resource: ClassVar = "arn:{partition}:ec2:{region}:{account}:vpc/{vpc_id}"

    def read(self) -> Reading[tuple[bool, bool]]:
        support, hostnames = yield [
            ask(vpc.vpc_attribute, self.vpc_id, "enableDnsSupport"),
            ask(vpc.vpc_attribute, self.vpc_id, "enableDnsHostnames"),
        ]
        return bool(answered(support)), bool(answered(hostnames))


@dataclass(frozen=True)
class Subnets(Fact[tuple[vpc.Subnet, ...]]):
    actions: ClassVar = ("ec2:DescribeSubnets",)
    inventory: ClassVar = True
    function: ClassVar = vpc.subnets


@dataclass(frozen=True)
class SecurityGroup(Fact[vpc.SecurityGroup | None]):
    """A security group with its rules; None if there is none of that id."""

    id: str
    actions: ClassVar = ("ec2:DescribeSecurityGroups",)
    function: ClassVar = vpc.security_group


@dataclass(frozen=True)
class SecurityGroups(Fact[tuple[vpc.SecurityGroup, ...]]):
    """Every security group of the account in the region, with its rules."""

    actions: ClassVar = ("ec2:DescribeSecurityGroups",)
    function: ClassVar = vpc.security_groups


@dataclass(frozen=True)
class ElasticIps(Fact[tuple[str | None, ...]]):
    """The stack of each Elastic IP address, None if no stack created it."""

    actions: ClassVar = ("ec2:DescribeAddresses",)
    inventory: ClassVar = True
    function: ClassVar = vpc.elastic_ip_stacks


@dataclass(frozen=True)
class NatGateways(Fact[tuple[vpc.NatGateway, ...]]):
    """Each NAT gateway that counts against the quota."""

    actions: ClassVar = ("ec2:DescribeNatGateways",)
    inventory: ClassVar = True
    function: ClassVar = vpc.nat_gateways


def _offerings(session: AwsSession, names: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (o.instance_type, o.zone_id) for o in instance_types.offerings(session, names=names)
    )


@dataclass(frozen=True)
class Offerings(Fact[frozenset[tuple[str, str]]]):
    """Pairs of instance type and zone id that the region offers, for the requested types."""

    instance_types: tuple[str, ...]
    actions: ClassVar = ("ec2:DescribeInstanceTypeOfferings",)
    function: ClassVar = _offerings


@dataclass(frozen=True)
class Zones(Fact[tuple[instance_types.Zone, ...]]):
    """Every zone of the region, including those that the account has not opted into."""

    actions: ClassVar = ("ec2:DescribeAvailabilityZones",)
    function: ClassVar = instance_types.zones
