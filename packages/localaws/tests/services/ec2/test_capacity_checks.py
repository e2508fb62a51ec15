"""Checks before EC2 provides capacity."""

from __future__ import annotations

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.capacity_checks import (
    check_capacity,
    check_offered,
    check_vcpus,
    free_capacity,
    insufficient,
)
from clusterwright_localaws.services.ec2.reserved import reserved_in
from packages.localaws.tests.parts import client

P5, ZONE_ID, REGION = "p5.48xlarge", "use1-az6", "us-east-1"
CAPACITY = [{"instance_type": P5, "zone_id": ZONE_ID, "available": 5}]


def reserve(count: int) -> None:
    client("ec2").create_capacity_reservation(
        InstanceType=P5,
        InstancePlatform="Linux/UNIX",
        AvailabilityZoneId=ZONE_ID,
        InstanceCount=count,
        InstanceMatchCriteria="targeted",
    )


def test_reservations_and_instances_use_the_capacity_of_a_zone() -> None:
    with local_aws(capacity=CAPACITY) as aws:
        reserved = reserved_in(aws, aws.world.account, REGION)
        assert free_capacity(reserved, P5, ZONE_ID) == 5
        reserve(2)
        assert free_capacity(reserved, P5, ZONE_ID) == 3
        client("ec2").run_instances(
            ImageId="ami-12c6146b",
            InstanceType=P5,
            MinCount=1,
            MaxCount=1,
            Placement={"AvailabilityZone": "us-east-1a"},
        )
        assert free_capacity(reserved, P5, ZONE_ID) == 2
        check_capacity(reserved, P5, ZONE_ID, 2)
        with pytest.raises(AwsError) as caught:
            check_capacity(reserved, P5, ZONE_ID, 3)
        assert caught.value.code == "InsufficientInstanceCapacity"


def test_a_zone_that_the_world_does_not_limit_is_unlimited() -> None:
    with local_aws() as aws:
        reserved = reserved_in(aws, aws.world.account, REGION)
        assert free_capacity(reserved, P5, ZONE_ID) is None
        check_capacity(reserved, P5, ZONE_ID, 10_000)


def test_the_refusal_names_the_zone_as_the_account_does() -> None:
    assert (
        "Availability Zone you requested (us-east-1a)" in insufficient(REGION, P5, ZONE_ID).message
    )
    assert "(mars-az1)" in insufficient(REGION, P5, "mars-az1").message


@pytest.mark.parametrize(
    ("instance_type", "zone", "why"),
    [
        (P5, "use1-az99", "p5.48xlarge is not offered in use1-az99"),
        ("p6e-gb200.36xlarge", "use1-dfw2-az1", "is sold as capacity-block only"),
    ],
)
def test_types_that_are_not_offered(instance_type: str, zone: str, why: str) -> None:
    with local_aws() as aws, pytest.raises(AwsError, match=why) as caught:
        check_offered(aws, REGION, instance_type, zone)
    assert caught.value.code == "Unsupported"


def test_vcpus_of_reservations_are_limited_by_the_quota() -> None:
    with local_aws(quotas={"ec2/L-417A185B": 400}) as aws:
        account = aws.world.account
        check_vcpus(aws, account, REGION, P5, 2)
        with pytest.raises(AwsError, match="current vCPU limit of 400 allows") as caught:
            check_vcpus(aws, account, REGION, P5, 3)
        assert caught.value.code == "VcpuLimitExceeded"
        check_vcpus(aws, account, REGION, "x1.unknown", 10_000)
