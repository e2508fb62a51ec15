"""Tests of services.ec2.client_tokens."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from clusterwright_localaws.core import client_tokens
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import amazon_image_id, client, refusal

pytestmark = pytest.mark.usefixtures("aws")
MISMATCH = "IdempotentParameterMismatch"


def vpc() -> str:
    return str(client("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])


def subnet(vpc_id: str, block: str = "10.0.0.0/24", zone: str = "us-east-1a") -> str:
    made = client("ec2").create_subnet(VpcId=vpc_id, CidrBlock=block, AvailabilityZone=zone)
    return str(made["Subnet"]["SubnetId"])


def requests(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of an operation, and others that it also accepts."""
    zone = {"AvailabilityZone": "us-east-1a"}
    if name == "create_volume":
        return {**zone, "Size": 8}, {**zone, "Size": 9}
    if name == "create_launch_template":
        data = {"LaunchTemplateData": {"InstanceType": "m5.large"}}
        return {"LaunchTemplateName": "one", **data}, {"LaunchTemplateName": "two", **data}
    if name == "create_route_table":
        return {"VpcId": vpc()}, {"VpcId": vpc()}
    if name == "create_network_interface":
        one = subnet(vpc())
        return {"SubnetId": one}, {"SubnetId": one, "Description": "other"}
    if name == "create_vpc_endpoint":
        service = {"ServiceName": "com.amazonaws.us-east-1.s3"}
        return {"VpcId": vpc(), **service}, {"VpcId": vpc(), **service}
    if name == "create_nat_gateway":
        one = {"SubnetId": subnet(vpc()), "ConnectivityType": "private"}
        return one, {**one, "PrivateIpAddress": "10.0.0.9"}
    image = {"ImageId": amazon_image_id(), "InstanceType": "m5.large", "MinCount": 1}
    return {**image, "MaxCount": 1}, {**image, "MaxCount": 2}


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("create_volume", "VolumeId"),
        ("create_launch_template", "LaunchTemplate"),
        ("create_route_table", "RouteTable"),
        ("create_network_interface", "NetworkInterface"),
        ("create_vpc_endpoint", "VpcEndpoint"),
        ("create_nat_gateway", "NatGateway"),
        ("run_instances", "ReservationId"),
    ],
)
def test_second_call_creates_nothing(name: str, member: str) -> None:
    create = getattr(client("ec2"), name)
    same, other = requests(name)
    first = create(**same, ClientToken="once")[member]
    assert create(**same, ClientToken="once")[member] == first
    assert refusal(create, **other, ClientToken="once")[0] == MISMATCH
    assert create(**other, ClientToken="twice")[member] != first


def created(**more: Any) -> str:
    return str(client("ec2").create_volume(Size=8, ClientToken="once", **more)["VolumeId"])


def test_token_counts_once_in_every_zone_and_region(aws: Runtime) -> None:
    assert created(AvailabilityZone="us-east-1a") != created(AvailabilityZone="us-east-1b")
    other = client("ec2", "us-west-2")
    made = other.create_volume(Size=8, ClientToken="once", AvailabilityZone="us-west-2a")
    assert len(other.describe_volumes(VolumeIds=[made["VolumeId"]])["Volumes"]) == 1
    assert len(client("ec2").describe_volumes()["Volumes"]) == 2


def test_zone_of_the_subnet_counts() -> None:
    vpc_id = vpc()
    two = subnet(vpc_id), subnet(vpc_id, "10.0.1.0/24", "us-east-1b")
    made = [
        client("ec2").create_network_interface(SubnetId=one, ClientToken="once") for one in two
    ]
    assert len({one["NetworkInterface"]["NetworkInterfaceId"] for one in made}) == 2


def test_token_of_a_refused_call_is_free() -> None:
    ec2 = client("ec2")
    refused: Mapping[str, Any] = {"VpcId": "vpc-0123456789abcdef0", "ClientToken": "once"}
    assert refusal(ec2.create_route_table, **refused)[0] == "InvalidVpcID.NotFound"
    made = ec2.create_route_table(VpcId=vpc(), ClientToken="once")["RouteTable"]
    assert made["RouteTableId"].startswith("rtb-")


def test_calls_at_the_same_time_create_one_resource() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: created(AvailabilityZone="us-east-1a"), range(8)))
    assert len(set(made)) == 1


def test_oldest_tokens_are_forgotten(aws: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_tokens, "_MOST_KEPT", 1)
    one = created(AvailabilityZone="us-east-1a")
    client("ec2").create_volume(Size=8, ClientToken="more", AvailabilityZone="us-east-1a")
    assert created(AvailabilityZone="us-east-1a") != one


def test_reservations_have_tokens_too() -> None:
    ec2 = client("ec2")
    asked = {
        "InstanceType": "m5.large",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-1a",
        "ClientToken": "once",
    }
    first = ec2.create_capacity_reservation(**asked, InstanceCount=1)["CapacityReservation"]
    again = ec2.create_capacity_reservation(**asked, InstanceCount=1)["CapacityReservation"]
    assert again == first
    assert refusal(ec2.create_capacity_reservation, **asked, InstanceCount=2)[0] == MISMATCH


def launched(**more: Any) -> dict[str, Any]:
    ec2, asked = client("ec2"), requests("run_instances")[0]
    return dict(ec2.run_instances(**asked, ClientToken="once", **more)["Instances"][0])


def test_second_answer_has_the_present_state() -> None:
    first = launched()
    client("ec2").stop_instances(InstanceIds=[first["InstanceId"]])
    second = launched()
    assert second["InstanceId"] == first["InstanceId"]
    assert second["State"] == {"Code": 80, "Name": "stopped"}


def test_token_of_a_terminated_instance() -> None:
    ec2 = client("ec2")
    ec2.terminate_instances(InstanceIds=[launched()["InstanceId"]])
    same, other = requests("run_instances")
    assert refusal(ec2.run_instances, **same, ClientToken="once") == (
        "IdempotentInstanceTerminated",
        "The client token you have provided is associated with a terminated instance. Please use "
        "a different client token.",
    )
    assert refusal(ec2.run_instances, **other, ClientToken="once")[0] == MISMATCH
    assert ec2.run_instances(**same, ClientToken="new")["Instances"]


def test_instances_are_found_by_their_token() -> None:
    name = launched()["InstanceId"]
    client("ec2").run_instances(**requests("run_instances")[0], ClientToken="twice")
    wanted = [{"Name": "client-token", "Values": ["once"]}]
    (found,) = client("ec2").describe_instances(Filters=wanted)["Reservations"]
    assert [(one["InstanceId"], one["ClientToken"]) for one in found["Instances"]] == [
        (name, "once")
    ]


@pytest.mark.parametrize(
    "name",
    [
        "create_nat_gateway",
        "create_network_interface",
        "create_route_table",
        "create_vpc_endpoint",
    ],
)
def test_answers_have_the_token(name: str) -> None:
    create, same = getattr(client("ec2"), name), requests(name)[0]
    for _ in range(2):
        assert create(**same, ClientToken="a<&b")["ClientToken"] == "a<&b"


def test_answers_without_a_token() -> None:
    assert "ClientToken" not in client("ec2").create_vpc_endpoint(
        **requests("create_vpc_endpoint")[0]
    )


@pytest.mark.parametrize("token", ["a" * 65, "\u00fc"])
def test_tokens_that_are_not_valid(token: str) -> None:
    ec2 = client("ec2")
    for more in ({}, {"DryRun": True}):
        assert refusal(ec2.create_route_table, VpcId=vpc(), ClientToken=token, **more) == (
            "InvalidClientToken",
            "The specified client token is not valid.",
        )


def test_longer_tokens_of_some_operations() -> None:
    ec2, template = client("ec2"), requests("create_launch_template")[0]
    ec2.create_route_table(VpcId=vpc(), ClientToken="a" * 64)
    ec2.create_launch_template(**template, ClientToken="a" * 128)
    long = {**template, "LaunchTemplateName": "three", "ClientToken": "a" * 129}
    assert refusal(ec2.create_launch_template, **long)[0] == "InvalidClientToken"
    ec2.create_managed_prefix_list(
        PrefixListName="list", MaxEntries=1, AddressFamily="IPv4", ClientToken="\u00fc" * 255
    )
