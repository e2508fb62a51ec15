"""Tests of services.pcs.launch_templates and services.pcs.network_checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import (
    PcsSite,
    build_pcs_site,
    group,
    instances,
    template,
)

BLOCK_ID = "cr-0a1b2c3d4e5f60718"
BLOCK = {
    "id": BLOCK_ID,
    "instance_type": "p5.48xlarge",
    "instance_count": 2,
    "zone_id": "use1-az6",
    "kind": "capacity-block",
}
MARKET = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {
        "CapacityReservationTarget": {"CapacityReservationId": BLOCK_ID}
    },
    "InstanceType": "p5.48xlarge",
}


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        yield build_pcs_site()


def pcs() -> Any:
    return client("pcs")


def in_block(site: PcsSite, maximum: int = 2, minimum: int = 0, **data: Any) -> dict[str, Any]:
    """Return a group in the capacity block of the world."""
    named = template(
        "block", **{"ImageId": site.image_id, "SecurityGroupIds": [site.site.group_id], **data}
    )
    return site.group(
        customLaunchTemplate={"id": named, "version": "1"},
        purchaseOption="CAPACITY_BLOCK",
        instanceConfigs=[{"instanceType": "p5.48xlarge"}],
        scalingConfiguration={"minInstanceCount": minimum, "maxInstanceCount": maximum},
    )


def test_group_runs_in_an_active_block() -> None:
    with local_aws(capacity_reservations=[{**BLOCK, "start": "-1d", "end": "+3d"}]):
        site = build_pcs_site()
        site.create()
        pcs().create_compute_node_group(**in_block(site, minimum=2, **MARKET))
        found = group()
        assert found.get("errorInfo") is None
        running = instances(found["id"])
        assert {one["CapacityReservationId"] for one in running} == {BLOCK_ID}
        assert len(running) == 2


def test_block_that_starts_later_is_accepted_but_runs_nothing() -> None:
    with local_aws(capacity_reservations=[{**BLOCK, "start": "+1d", "end": "+3d"}]):
        site = build_pcs_site()
        site.create()
        pcs().create_compute_node_group(**in_block(site, minimum=1, **MARKET))
        found = group()
        assert found["status"] == "CREATE_FAILED"
        assert found["errorInfo"][0]["code"] == "InvalidCapacityReservationState.PendingActivation"


@pytest.mark.parametrize(
    ("maximum", "data", "message"),
    [
        (
            3,
            MARKET,
            f"maxInstanceCount 3 exceeds the size of the Capacity Block {BLOCK_ID}, 2.",
        ),
        (
            2,
            {**MARKET, "InstanceType": "p4d.24xlarge"},
            "The launch template's InstanceType is p4d.24xlarge; the compute node group has "
            "p5.48xlarge.",
        ),
        (
            2,
            {"InstanceMarketOptions": {"MarketType": "capacity-block"}},
            "purchaseOption CAPACITY_BLOCK needs a launch template with a CapacityReservationId.",
        ),
    ],
)
def test_block_that_does_not_fit_is_refused(
    maximum: int, data: dict[str, Any], message: str
) -> None:
    with local_aws(capacity_reservations=[{**BLOCK, "start": "-1d", "end": "+3d"}]):
        site = build_pcs_site()
        site.create()
        asked = refusal(pcs().create_compute_node_group, **in_block(site, maximum, **data))
        assert asked == ("ValidationException", message)


def test_ended_block_is_refused() -> None:
    with local_aws(capacity_reservations=[{**BLOCK, "start": "-3d", "end": "-1d"}]):
        site = build_pcs_site()
        site.create()
        code, message = refusal(pcs().create_compute_node_group, **in_block(site, **MARKET))
        assert code == "ValidationException"
        assert message.endswith("it must be scheduled or active.")


def test_template_must_exist_and_have_an_image(site: PcsSite) -> None:
    site.create()
    named = {"id": site.template_id, "version": "7"}
    code, message = refusal(
        pcs().create_compute_node_group, **site.group(customLaunchTemplate=named)
    )
    assert code == "ValidationException"
    assert message.startswith("Could not find the specified version 7")
    empty = template("empty", SecurityGroupIds=[site.site.group_id])
    assert refusal(
        pcs().create_compute_node_group,
        **site.group(customLaunchTemplate={"id": empty, "version": "1"}),
    ) == (
        "ValidationException",
        "The launch template doesn't define the AMI ID, and amiId is not specified.",
    )
    code, message = refusal(pcs().create_compute_node_group, **site.group(sshKeyName="absent"))
    assert (code, "absent" in message) == ("ValidationException", True)


def test_groups_and_interfaces_of_the_template_exclude_each_other(site: PcsSite) -> None:
    site.create()
    cards = [{"DeviceIndex": 0, "Groups": [site.site.group_id]}]
    named = template("cards", ImageId=site.image_id, NetworkInterfaces=cards)
    assert refusal(
        pcs().create_compute_node_group,
        **site.group(
            customLaunchTemplate={"id": named, "version": "1"},
            securityGroupIds=[site.site.group_id],
        ),
    ) == (
        "ValidationException",
        "securityGroupIds can't be specified: the custom launch template defines network "
        "interfaces.",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"subnetIds": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]},
            "AWS PCS currently supports only 1 subnet in this list.",
        ),
        ({"networkType": "IPV6"}, "The local AWS has no IPv6 subnets: networkType IPV6."),
        (
            {"securityGroupIds": ["sg-0123456789abcdef0"]},
            "The security group 'sg-0123456789abcdef0' does not exist",
        ),
    ],
)
def test_network_of_a_cluster_is_refused(
    site: PcsSite, change: dict[str, Any], message: str
) -> None:
    request = site.request()
    request["networking"].update(change)
    found = refusal(pcs().create_cluster, **request)
    assert (found[0], found[1]) == ("ValidationException", message)


def test_local_zone_is_refused(site: PcsSite) -> None:
    subnet = client("ec2").create_subnet(
        VpcId=site.site.vpc_id, CidrBlock="10.0.192.0/20", AvailabilityZone="us-east-1-dfw-2a"
    )["Subnet"]["SubnetId"]
    request = site.request()
    request["networking"]["subnetIds"] = [subnet]
    assert refusal(pcs().create_cluster, **request) == (
        "ValidationException",
        f"The subnet {subnet} is in us-east-1-dfw-2a, a local-zone: not supported.",
    )


def test_full_subnet_is_refused() -> None:
    with local_aws(new_subnets={"free_addresses": 0}):
        site = build_pcs_site()
        assert refusal(pcs().create_cluster, **site.request()) == (
            "ValidationException",
            f"The subnet {site.site.subnet_id} has no available IP address.",
        )


def interruptible(site: PcsSite, identifier: str) -> dict[str, Any]:
    """Return a group of two instances in an interruptible reservation."""
    target = {"CapacityReservationTarget": {"CapacityReservationId": identifier}}
    named = template(
        "interruptible",
        ImageId=site.image_id,
        SecurityGroupIds=[site.site.group_id],
        InstanceMarketOptions={"MarketType": "interruptible-capacity-reservation"},
        CapacityReservationSpecification=target,
    )
    return site.group(
        customLaunchTemplate={"id": named, "version": "1"},
        purchaseOption="INTERRUPTIBLE_CAPACITY_RESERVATION",
        instanceConfigs=[{"instanceType": "p5.48xlarge"}],
        scalingConfiguration={"minInstanceCount": 2, "maxInstanceCount": 2},
    )


def test_group_runs_in_an_interruptible_reservation_only(site: PcsSite) -> None:
    ec2 = client("ec2")
    source = ec2.create_capacity_reservation(
        InstanceType="p5.48xlarge",
        InstancePlatform="Linux/UNIX",
        AvailabilityZoneId="use1-az6",
        InstanceCount=4,
    )["CapacityReservation"]["CapacityReservationId"]
    site.create()
    asked = refusal(pcs().create_compute_node_group, **interruptible(site, source))
    message = f"The capacity reservation {source} is not interruptible."
    assert asked == ("ValidationException", message)
    ec2.create_interruptible_capacity_reservation_allocation(
        CapacityReservationId=source, InstanceCount=2
    )
    shown = ec2.describe_capacity_reservations(CapacityReservationIds=[source])
    allocation = shown["CapacityReservations"][0]["InterruptibleCapacityAllocation"]
    lent = allocation["InterruptibleCapacityReservationId"]
    ec2.delete_launch_template(LaunchTemplateName="interruptible")
    pcs().create_compute_node_group(**interruptible(site, lent))
    found = group()
    assert found.get("errorInfo") is None
    running = instances(found["id"])
    assert [one["CapacityReservationId"] for one in running] == [lent, lent]
    assert {one["InstanceLifecycle"] for one in running} == {"interruptible-capacity-reservation"}
