"""Network interfaces and their security groups."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws.ec2.network_interfaces import (
    NetworkInterface,
    interface_groups,
    interfaces_described,
    network_interfaces,
)
from clusterwright.aws.session import AwsSession


def test_every_interface(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_network_interfaces",
            {
                "NetworkInterfaces": [
                    {
                        "NetworkInterfaceId": "eni-1",
                        "VpcId": "vpc-1",
                        "SubnetId": "subnet-1",
                        "AvailabilityZone": "us-east-1a",
                        "Groups": [{"GroupId": "sg-1"}, {"GroupId": "sg-2"}],
                        "PrivateIpAddresses": [
                            {"PrivateIpAddress": "10.0.0.4"},
                            {"PrivateIpAddress": "10.0.0.5"},
                        ],
                    },
                    {"NetworkInterfaceId": "eni-2", "VpcId": "vpc-1", "SubnetId": "subnet-2"},
                ]
            },
        )
        assert network_interfaces(session) == (
            NetworkInterface("eni-1", "vpc-1", "subnet-1", "us-east-1a", ("sg-1", "sg-2"), 2),
            NetworkInterface("eni-2", "vpc-1", "subnet-2", "", (), 0),
        )


def test_the_groups_of_interfaces(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_network_interfaces",
            {
                "NetworkInterfaces": [
                    {"Groups": [{"GroupId": "sg-2"}, {"GroupId": "sg-1"}]},
                    {"Groups": [{"GroupId": "sg-1"}, {"GroupId": "sg-2"}]},
                    {},
                ]
            },
            {"Filters": [{"Name": "network-interface-id", "Values": ["eni-1", "eni-2"]}]},
        )
        found = interface_groups(session, ("eni-1", "eni-2"))
    assert found == {frozenset({"sg-1", "sg-2"}), frozenset()}


def test_interfaces_of_a_vpc_by_their_description(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_network_interfaces",
            {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-1"}]},
            {
                "Filters": [
                    {"Name": "vpc-id", "Values": ["vpc-1"]},
                    {"Name": "description", "Values": ["ELB *"]},
                ]
            },
        )
        assert interfaces_described(session, "vpc-1", "ELB ") == ("eni-1",)
