"""Network interfaces of an account."""

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
    """Private IPv4 addresses that it has."""


def network_interfaces(session: AwsSession) -> tuple[NetworkInterface, ...]:
    """Every network interface of the account in the region, those that services made included."""
    return tuple(
        NetworkInterface(
            answer["NetworkInterfaceId"],
            answer["VpcId"],
            answer["SubnetId"],
            answer.get("AvailabilityZone") or "",
            tuple(group["GroupId"] for group in answer.get("Groups") or ()),
            len(answer.get("PrivateIpAddresses") or ()),
        )
        for page in session.pages("ec2", "DescribeNetworkInterfaces")
        for answer in page["NetworkInterfaces"]
    )
