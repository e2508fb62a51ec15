"""Tests of services.ec2.filter_names."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("describe_vpcs", "vpcid"),
        ("describe_instances", "public-ip"),
        ("describe_instance_status", "tag:Name"),
        ("describe_capacity_reservations", "tagg:Name"),
        ("describe_subnets", "Vpc-Id"),
        ("describe_instances", "InstanceStateName"),
    ],
)
def test_filters_that_an_operation_does_not_have(operation: str, name: str) -> None:
    asked = {"Filters": [{"Name": name, "Values": ["a"]}]}
    assert refusal(getattr(client("ec2"), operation), **asked)[:2] == (
        "InvalidParameterValue",
        f"The filter '{name}' is invalid",
    )


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ("describe_vpcs", "tag:Name"),
        ("describe_vpcs", "tag-key"),
        ("describe_vpcs", "isDefault"),
        ("describe_vpcs", "cidrBlock"),
        ("describe_subnets", "availabilityZone"),
        ("describe_subnets", "availabilityZoneId"),
        ("describe_subnets", "cidr"),
        ("describe_subnets", "cidrBlock"),
        ("describe_subnets", "defaultForAz"),
        ("describe_instances", "instance-state-name"),
        ("describe_flow_logs", "resource-id"),
        ("describe_tags", "resource-type"),
    ],
)
def test_filters_that_are_documented(operation: str, name: str) -> None:
    member = "Filter" if operation == "describe_flow_logs" else "Filters"
    found = getattr(client("ec2"), operation)(**{member: [{"Name": name, "Values": ["none"]}]})
    assert not [value for value in found.values() if isinstance(value, list) and value]


def test_a_documented_filter_that_moto_lacks_is_named() -> None:
    filters = [{"Name": "subnet-arn", "Values": ["a"]}]
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")
    assert refusal(ec2.describe_subnets, Filters=filters)[:2] == (
        "UnsupportedOperation",
        "the local AWS does not implement the filter 'subnet-arn' of ec2 DescribeSubnets",
    )
