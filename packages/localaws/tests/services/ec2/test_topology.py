"""Tests of services.ec2.topology."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

P5 = "p5.48xlarge"


ZONE, ZONE_ID = "us-east-1a", "use1-az6"


BLOCK = {"InstanceMarketOptions": {"MarketType": "capacity-block"}}


def run(minimum: int = 1, maximum: int | None = None, **more: Any) -> list[dict[str, Any]]:
    request = {
        "ImageId": "ami-12c6146b",
        "InstanceType": P5,
        "MinCount": minimum,
        "MaxCount": maximum or minimum,
        "Placement": {"AvailabilityZone": ZONE},
        **more,
    }
    request = {key: value for key, value in request.items() if value is not None}
    found: list[dict[str, Any]] = client("ec2").run_instances(**request)["Instances"]
    return found


def reserve(**more: Any) -> str:
    made = client("ec2").create_capacity_reservation(
        **{
            "InstanceType": P5,
            "InstancePlatform": "Linux/UNIX",
            "AvailabilityZone": ZONE,
            "InstanceCount": 2,
            "InstanceMatchCriteria": "targeted",
            **more,
        }
    )
    return str(made["CapacityReservation"]["CapacityReservationId"])


def into(reservation: str, **more: Any) -> dict[str, Any]:
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}
    return {"CapacityReservationSpecification": target, **more}


class TestTopology:
    @pytest.mark.usefixtures("aws")
    def test_types_have_the_documented_number_of_network_nodes(self) -> None:
        for name, count in (
            (P5, 3),
            ("p6-b200.48xlarge", 4),
            ("g6e.48xlarge", 3),
            ("m5.large", None),
        ):
            run(InstanceType=name, Placement=None)
            filters = [{"Name": "instance-type", "Values": [name]}]
            (found,) = client("ec2").describe_instance_topology(Filters=filters)["Instances"]
            assert len(found.get("NetworkNodes", ())) == (count or 0), name

    @pytest.mark.usefixtures("aws")
    def test_instances_of_a_cluster_placement_group_are_close(self) -> None:
        ec2 = client("ec2")
        ec2.create_placement_group(GroupName="g")
        for _ in range(2):
            run(Placement={"GroupName": "g", "AvailabilityZone": ZONE})
            run()
        together = ec2.describe_instance_topology(GroupNames=["g"])["Instances"]
        assert {item["GroupName"] for item in together} == {"g"}
        first, second = (item["NetworkNodes"] for item in together)
        assert first == second
        alone = [
            instance["NetworkNodes"]
            for instance in ec2.describe_instance_topology()["Instances"]
            if "GroupName" not in instance
        ]
        assert alone[0][0] == alone[1][0] == first[0]  # one zone
        assert alone[0][1:] != alone[1][1:]

    @pytest.mark.usefixtures("aws")
    def test_large_launch_spans_several_last_nodes(self) -> None:
        run(40)
        pages = client("ec2").get_paginator("describe_instance_topology").paginate()
        found = [instance["NetworkNodes"] for page in pages for instance in page["Instances"]]
        assert len(found) == 40
        assert len({tuple(nodes[:2]) for nodes in found}) == 1
        assert len({nodes[2] for nodes in found}) == 3

    @pytest.mark.usefixtures("aws")
    def test_only_running_instances_have_a_topology(self) -> None:
        ec2, one = client("ec2"), run()[0]["InstanceId"]
        assert len(ec2.describe_instance_topology(InstanceIds=[one])["Instances"]) == 1
        ec2.stop_instances(InstanceIds=[one])
        assert ec2.describe_instance_topology()["Instances"] == []

    @pytest.mark.usefixtures("aws")
    def test_what_is_refused(self) -> None:
        describe = client("ec2").describe_instance_topology
        missing = ["i-0123456789abcdef0"]
        assert refusal(describe, InstanceIds=missing)[0] == "InvalidInstanceID.NotFound"
        assert refusal(describe, GroupNames=["no"])[0] == "InvalidPlacementGroup.Unknown"
        assert (
            refusal(describe, InstanceIds=missing, MaxResults=5)[0]
            == "InvalidParameterCombination"
        )
        filters = [{"Name": "colour", "Values": ["blue"]}]
        run()
        assert refusal(describe, Filters=filters)[0] == "InvalidParameterValue"

    @pytest.mark.usefixtures("aws")
    def test_reservation_has_the_topology_of_its_instances(self) -> None:
        item = reserve()
        ec2 = client("ec2")
        (reserved,) = ec2.describe_capacity_reservation_topology()["CapacityReservations"]
        assert reserved["CapacityReservationId"] == item
        run(2, **into(item))
        for instance in ec2.describe_instance_topology()["Instances"]:
            assert instance["NetworkNodes"] == reserved["NetworkNodes"]
        ec2.cancel_capacity_reservation(CapacityReservationId=item)
        assert ec2.describe_capacity_reservation_topology()["CapacityReservations"] == []

    def test_instances_of_an_ultraserver_share_its_block_id(self) -> None:
        seed = {
            "id": "cr-0123456789abcdef0",
            "kind": "capacity-block",
            "instance_type": "p6e-gb200.36xlarge",
            "zone_id": "use1-dfw2-az1",
            "instance_count": 18,
            "end": "+2d",
            "ultra_server_type": "u-p6e-gb200x72",
        }
        with local_aws(capacity_reservations=[seed]):
            ec2 = client("ec2")
            (block,) = ec2.describe_capacity_blocks()["CapacityBlocks"]
            vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
            subnet = ec2.create_subnet(
                VpcId=vpc, CidrBlock="10.9.0.0/24", AvailabilityZone="us-east-1-dfw-2a"
            )["Subnet"]["SubnetId"]
            run(
                18,
                ImageId="ami-0123456789abcdef0",
                InstanceType="p6e-gb200.36xlarge",
                SubnetId=subnet,
                Placement=None,
                **into(str(seed["id"]), **BLOCK),
            )
            found = ec2.describe_instance_topology()["Instances"]
            assert {item["CapacityBlockId"] for item in found} == {block["CapacityBlockId"]}
            assert len({tuple(item["NetworkNodes"]) for item in found}) == 1
            (reserved,) = ec2.describe_capacity_reservation_topology()["CapacityReservations"]
            assert reserved["CapacityBlockId"] == block["CapacityBlockId"]

    def test_network_node_names_differ_by_account(self, aws: Runtime) -> None:
        from clusterwright_localaws.services.ec2.topology import network_nodes

        mine = network_nodes("111122223333", ZONE_ID, "x", 0, 3)
        assert set(mine).isdisjoint(network_nodes("999988887777", ZONE_ID, "x", 0, 3))
