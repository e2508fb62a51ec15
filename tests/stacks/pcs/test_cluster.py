"""Tests of stacks.pcs.cluster."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import only, properties
from tests.support.rich_specs import PCS, PCS_MINIMAL, changed
from tests.support.synthesis import Assembly, Build

GROUP = "AWS::PCS::ComputeNodeGroup"


def groups(assembly: Assembly) -> dict[str, dict[str, Any]]:
    return {one["Name"]: one for one in properties(assembly, GROUP)}


def test_lists_of_settings_are_never_empty(build: Build) -> None:
    found = only(build(PCS_MINIMAL), "AWS::PCS::Cluster")["SlurmConfiguration"]
    assert found["SlurmCustomSettings"]
    assert not {"SlurmdbdCustomSettings", "CgroupCustomSettings"} & found.keys()
    assert found["Accounting"] == {"Mode": "NONE"}


def test_controller_has_one_subnet_and_the_group_of_the_nodes(build: Build) -> None:
    found = only(build(PCS), "AWS::PCS::Cluster")["Networking"]
    assert len(found["SubnetIds"]) == 1
    assert len(found["SecurityGroupIds"]) == 1


def test_compute_nodes_run_the_scripts_of_their_queue(build: Build) -> None:
    found = groups(build(PCS))
    prefixes = {
        name: str(one["NodeLifecycleActions"]["Stages"]["NodeBootstrapped"][0]["Arguments"][0])
        for name, one in found.items()
    }
    assert len(set(prefixes.values())) == 3
    assert "lifecycle/queues/" in prefixes["workers"]
    assert "lifecycle/queues/" not in prefixes["login"]


def test_count_of_a_group_changes_no_lifecycle_action(build: Build) -> None:
    """PCS replaces the instances of a group whose actions change, with the users on them."""
    few = groups(build(PCS_MINIMAL))
    more = groups(build(changed(PCS_MINIMAL, compute__1__count=6)))
    assert few["workers"]["ScalingConfiguration"] != more["workers"]["ScalingConfiguration"]
    for name, group in few.items():
        assert group["NodeLifecycleActions"] == more[name]["NodeLifecycleActions"], name


def test_reservation_and_block_are_named_in_the_template(build: Build) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    assembly = build(changed(PCS_MINIMAL, compute__1__capacity=block))
    assert groups(assembly)["workers"]["PurchaseOption"] == "CAPACITY_BLOCK"
    data = [one["LaunchTemplateData"] for one in properties(assembly, "AWS::EC2::LaunchTemplate")]
    (found,) = (one for one in data if "InstanceMarketOptions" in one)
    assert found["InstanceType"] == "p5.48xlarge"
    assert found["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert found["CapacityReservationSpecification"] == {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
    }
    assert "Placement" not in found


def test_interruptible_reservation_has_its_purchase_option_and_market(build: Build) -> None:
    lent = {"kind": "reservation", "id": "cr-0123456789abcdef0", "interruptible": True}
    assembly = build(changed(PCS_MINIMAL, compute__1__capacity=lent))
    option = groups(assembly)["workers"]["PurchaseOption"]
    assert option == "INTERRUPTIBLE_CAPACITY_RESERVATION"
    data = [one["LaunchTemplateData"] for one in properties(assembly, "AWS::EC2::LaunchTemplate")]
    (found,) = (one for one in data if "InstanceMarketOptions" in one)
    assert found["InstanceMarketOptions"] == {"MarketType": "interruptible-capacity-reservation"}
    assert "InstanceType" not in found
    target = found["CapacityReservationSpecification"]["CapacityReservationTarget"]
    assert target == {"CapacityReservationId": "cr-0123456789abcdef0"}


def test_image_of_the_spec_replaces_that_of_pcs(build: Build) -> None:
    assert "{{resolve:ssm:/aws/service/pcs/ami/" in groups(build(PCS))["workers"]["AmiId"]
    own = changed(PCS_MINIMAL, image={"image_id": "ami-0123456789abcdef0"})
    assert groups(build(own))["workers"]["AmiId"] == "ami-0123456789abcdef0"
