"""Network interfaces and their security groups."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class NetworkInterface:
    id: str
    vpc_id: str
    subnet_id: str
    zone: str
    groups: tuple[str, ...]
    addresses: int
    """Number of private IPv4 addresses."""


def network_interfaces(session: AwsSession) -> tuple[NetworkInterface, ...]:
    """Return every network interface in the region, including those created by AWS services."""
    return tuple(
        NetworkInterface(
            answer["NetworkInterfaceId"],
            answer["VpcId"],
            answer["SubnetId"],
            answer.get("AvailabilityZone") or "",
            tuple(group["GroupId"] for group in answer.get("Groups") or ()),
            len(answer.get("PrivateIpAddresses") or ()),
        )
        for answer in session.items("ec2", "DescribeNetworkInterfaces", "NetworkInterfaces")
    )


def interface_groups(
    session: AwsSession, interface_ids: tuple[str, ...]
) -> frozenset[frozenset[str]]:
    """Return the sets of security groups of the network interfaces that exist."""
    wanted = [{"Name": "network-interface-id", "Values": list(interface_ids)}]
    return frozenset(
        frozenset(group["GroupId"] for group in interface.get("Groups") or ())
        for interface in session.items(
            "ec2", "DescribeNetworkInterfaces", "NetworkInterfaces", Filters=wanted
        )
    )


def interfaces_described(session: AwsSession, vpc_id: str, prefix: str) -> tuple[str, ...]:
    """Return the ids of a VPC's network interfaces whose description begins with `prefix`."""
    wanted = [
        {"Name": "vpc-id", "Values": [vpc_id]},
        {"Name": "description", "Values": [f"{prefix}*"]},
    ]
    found = session.items("ec2", "DescribeNetworkInterfaces", "NetworkInterfaces", Filters=wanted)
    return tuple(interface["NetworkInterfaceId"] for interface in found)
