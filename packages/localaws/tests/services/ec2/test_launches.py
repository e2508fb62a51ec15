"""RunInstances and StartInstances: capacity, reservations, blocks and placement groups."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
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


def refused(**more: Any) -> tuple[str, str]:
    return refusal(lambda **_: run(**more))


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


def described(reservation: str) -> dict[str, Any]:
    (found,) = client("ec2").describe_capacity_reservations(CapacityReservationIds=[reservation])[
        "CapacityReservations"
    ]
    one: dict[str, Any] = found
    return one


def stop_all() -> None:
    ec2 = client("ec2")
    ids = [
        instance["InstanceId"]
        for reservation in ec2.describe_instances()["Reservations"]
        for instance in reservation["Instances"]
        if instance["State"]["Name"] == "running"
    ]
    ec2.terminate_instances(InstanceIds=ids)


class TestCapacity:
    def test_launch_is_limited_by_the_capacity_of_the_zone(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 3}]):
            assert len(run(2)) == 2
            code, message = refused(minimum=2)
            assert code == "InsufficientInstanceCapacity"
            assert ZONE in message
            assert P5 in message
            assert len(run(1)) == 1
            stop_all()
            assert len(run(3)) == 3

    def test_count_between_minimum_and_maximum_is_launched(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 3}]):
            assert len(run(1, 8)) == 3

    def test_maximum_is_launched_if_capacity_allows(self) -> None:
        with local_aws():
            assert len(run(1, 3, InstanceType="m5.large")) == 3

    def test_zone_with_capacity_is_selected(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 0}]):
            (instance,) = run(Placement=None)
            assert instance["Placement"]["AvailabilityZone"] != ZONE

    def test_spot_capacity_error_has_its_own_message(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 0}]):
            code, message = refused(InstanceMarketOptions={"MarketType": "spot"})
            assert (code, "Spot" in message) == ("InsufficientInstanceCapacity", True)

    def test_capacity_of_reservations_is_used(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 3}]):
            reserve()
            assert len(run(1, 8)) == 1

    def test_stopped_instance_cannot_start_without_capacity(self) -> None:
        with local_aws(capacity=[{"instance_type": P5, "zone_id": ZONE_ID, "available": 1}]):
            ec2, one = client("ec2"), run()[0]["InstanceId"]
            ec2.stop_instances(InstanceIds=[one])
            run()
            found = refusal(ec2.start_instances, InstanceIds=[one])
            assert found[0] == "InsufficientInstanceCapacity"

    @pytest.mark.usefixtures("aws")
    def test_zone_without_the_type_is_refused(self) -> None:
        code, message = refused(
            InstanceType="p4de.24xlarge", Placement={"AvailabilityZone": "us-east-1e"}
        )
        assert code == "Unsupported"
        assert "us-east-1e" in message
        assert ZONE in message  # the message lists the zones that offer it

    @pytest.mark.usefixtures("aws")
    @pytest.mark.parametrize(
        "more",
        [
            {"MinCount": 0},
            {"MinCount": 3, "MaxCount": 2},
            {"Placement": {"AvailabilityZone": "us-east-1z"}},
            {"Placement": {"AvailabilityZoneId": "use1-az99"}},
        ],
    )
    def test_invalid_counts_and_zones_are_refused(self, more: dict[str, Any]) -> None:
        assert refused(**more)[0] == "InvalidParameterValue"

    @pytest.mark.usefixtures("aws")
    def test_zone_id_is_accepted(self) -> None:
        (instance,) = run(Placement={"AvailabilityZoneId": "use1-az2"})
        assert instance["Placement"]["AvailabilityZone"] == "us-east-1c"

    def test_zone_without_the_type_in_the_world_is_refused(self) -> None:
        with local_aws(not_offered={P5: [ZONE_ID]}):
            assert refused()[0] == "Unsupported"


@pytest.mark.usefixtures("aws")
class TestReservations:
    def test_targeted_reservation_is_used_and_released(self) -> None:
        item = reserve()
        (instance,) = run(**into(item))
        assert instance["CapacityReservationId"] == item
        assert described(item)["AvailableInstanceCount"] == 1
        assert described(item)["CapacityAllocations"] == [{"AllocationType": "used", "Count": 1}]
        usage = client("ec2").get_capacity_reservation_usage(CapacityReservationId=item)
        assert usage["InstanceUsages"] == [{"AccountId": "123456789012", "UsedInstanceCount": 1}]
        run(**into(item))
        code, message = refused(**into(item))
        assert code == "ReservationCapacityExceeded"
        assert "sufficient compatible and available capacity" in message
        stop_all()
        assert described(item)["AvailableInstanceCount"] == 2

    def test_open_reservation_is_used_before_on_demand(self) -> None:
        item = reserve(InstanceMatchCriteria="open")
        taken = [instance.get("CapacityReservationId") for instance in run(3)]
        assert taken == [item, item, None]

    @pytest.mark.parametrize(
        "more",
        [
            {"CapacityReservationSpecification": {"CapacityReservationPreference": "none"}},
            {"InstanceMarketOptions": {"MarketType": "spot"}},
            {"Placement": {"AvailabilityZone": "us-east-1b"}},
            {"InstanceType": "p4d.24xlarge"},
        ],
    )
    def test_open_reservation_is_not_used_with_preference_none(self, more: dict[str, Any]) -> None:
        item = reserve(InstanceMatchCriteria="open")
        run(**more)
        assert described(item)["AvailableInstanceCount"] == 2

    def test_capacity_reservations_only_refuses_on_demand(self) -> None:
        only = {
            "CapacityReservationSpecification": {
                "CapacityReservationPreference": "capacity-reservations-only"
            }
        }
        assert refused(**only)[0] == "ReservationCapacityExceeded"
        item = reserve(InstanceMatchCriteria="open")
        assert [i["CapacityReservationId"] for i in run(1, 5, **only)] == [item, item]

    @pytest.mark.parametrize(
        "more",
        [
            {"Placement": {"AvailabilityZone": "us-east-1b"}},
            {"InstanceType": "p4d.24xlarge"},
            {"minimum": 3},
        ],
    )
    def test_mismatched_reservation_is_refused(self, more: dict[str, Any]) -> None:
        item = reserve()
        assert refused(**into(item, **more))[0] == "ReservationCapacityExceeded"

    def test_unknown_or_expired_reservation_is_refused(self) -> None:
        assert refused(**into("cr-0123456789abcdef0"))[0] == (
            "InvalidCapacityReservationId.NotFound"
        )
        item = reserve()
        client("ec2").cancel_capacity_reservation(CapacityReservationId=item)
        assert refused(**into(item))[0] == "ReservationCapacityExceeded"

    def test_dry_run_checks_reservations(self) -> None:
        code = refused(**into("cr-0123456789abcdef0", DryRun=True))[0]
        assert code == "InvalidCapacityReservationId.NotFound"
        assert refused(**into(reserve(), DryRun=True))[0] == "DryRunOperation"

    def test_instances_of_a_cancelled_reservation_continue_on_demand(self) -> None:
        item = reserve()
        (instance,) = run(**into(item))
        ec2 = client("ec2")
        ec2.cancel_capacity_reservation(CapacityReservationId=item)
        (found,) = ec2.describe_instances(InstanceIds=[instance["InstanceId"]])["Reservations"]
        assert found["Instances"][0]["State"]["Name"] == "running"
        assert "CapacityReservationId" not in found["Instances"][0]

    def test_reservation_cannot_shrink_below_its_instances(self) -> None:
        item = reserve()
        run(2, **into(item))
        found = refusal(
            client("ec2").modify_capacity_reservation, CapacityReservationId=item, InstanceCount=1
        )
        assert found[0] == "InvalidParameterValue"

    def test_launch_template_can_target_a_reservation(self) -> None:
        one, ec2 = reserve(), client("ec2")
        ec2.create_launch_template(
            LaunchTemplateName="template",
            LaunchTemplateData={"InstanceType": P5, "ImageId": "ami-12c6146b", **into(one)},
        )
        (instance,) = run(LaunchTemplate={"LaunchTemplateName": "template"}, InstanceType=None)
        assert instance["CapacityReservationId"] == one

    def test_repeated_client_token_returns_the_same_reservation(self) -> None:
        assert reserve(ClientToken="once") == reserve(ClientToken="once") != reserve()

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"InstanceCount": 1001}, "InvalidParameterValue"),
            ({"InstanceType": "p9.huge"}, "InvalidParameterValue"),
            (
                {"PlacementGroupArn": "arn:aws:ec2:us-east-1:123456789012:placement-group/no"},
                "InvalidPlacementGroup.Unknown",
            ),
        ],
    )
    def test_invalid_reservations_are_refused(self, more: dict[str, Any], code: str) -> None:
        assert refusal(lambda **_: reserve(**more))[0] == code


def test_reserved_instances_count_once_against_the_vcpu_quota() -> None:
    """p5.48xlarge has 192 vCPUs; running on-demand P instances is L-417A185B."""
    with local_aws(quotas={"ec2/L-417A185B": 3 * 192}):
        item = reserve()
        assert len(run(2, **into(item))) == 2
        assert len(run(1)) == 1
        assert refused()[0] == "VcpuLimitExceeded"


class TestBlocks:
    SEED = {  # noqa: RUF012
        "id": "cr-0123456789abcdef0",
        "kind": "capacity-block",
        "instance_type": P5,
        "zone_id": ZONE_ID,
        "instance_count": 2,
        "start": "-1d",
        "end": "+2d",
    }

    def test_instances_in_a_block_end_half_an_hour_before_it(self) -> None:
        with local_aws("new-account", capacity_reservations=[self.SEED]) as aws:
            block = into(str(self.SEED["id"]), **BLOCK)
            first, second = run(2, **block)
            assert first["InstanceLifecycle"] == "capacity-block"
            assert refused(**block)[0] == "ReservationCapacityExceeded"
            aws.clock.advance(2 * 86_400 - 1_900)
            assert self.state(first) == "running"
            aws.clock.advance(200)
            assert self.state(first) == self.state(second) == "terminated"

    def test_launch_in_a_scheduled_block_is_refused(self) -> None:
        with local_aws(capacity_reservations=[{**self.SEED, "start": "+1d"}]):
            code, message = refused(**into(str(self.SEED["id"]), **BLOCK))
            assert code == "InvalidCapacityReservationState.PendingActivation"
            assert "not active yet" in message

    def test_launch_in_an_expired_block_is_refused(self) -> None:
        with local_aws(capacity_reservations=[{**self.SEED, "start": "-9d", "end": "-1d"}]):
            code = refused(**into(str(self.SEED["id"]), **BLOCK))[0]
            assert code == "ReservationCapacityExceeded"

    def test_market_type_must_match_the_reservation(self) -> None:
        with local_aws(capacity_reservations=[self.SEED]):
            assert refused(**BLOCK)[0] == "InvalidParameterCombination"
            assert refused(**into(str(self.SEED["id"])))[0] == "InvalidParameterCombination"
            code = refused(**into(reserve(), **BLOCK))[0]
            assert code == "InvalidParameterCombination"

    def test_other_usage_reduces_free_addresses(self) -> None:
        with local_aws(capacity_reservations=[{**self.SEED, "available_instance_count": 0}]):
            code = refused(**into(str(self.SEED["id"]), **BLOCK))[0]
            assert code == "ReservationCapacityExceeded"

    def test_type_sold_only_in_blocks_is_refused_on_demand(self) -> None:
        with local_aws():
            assert refused(
                ImageId="ami-0123456789abcdef0",
                InstanceType="p6e-gb200.36xlarge",
                Placement={"AvailabilityZone": "us-east-1-dfw-2a"},
            )[0] == ("Unsupported")

    def state(self, instance: dict[str, Any]) -> str:
        found = client("ec2").describe_instances(InstanceIds=[instance["InstanceId"]])
        return str(found["Reservations"][0]["Instances"][0]["State"]["Name"])


@pytest.mark.usefixtures("aws")
class TestPlacementGroups:
    def group(self, strategy: str = "cluster") -> dict[str, Any]:
        made = client("ec2").create_placement_group(GroupName="g", Strategy=strategy)
        found: dict[str, Any] = made["PlacementGroup"]
        return found

    def test_placement_group_in_use_cannot_be_deleted(self) -> None:
        self.group()
        (instance,) = run(Placement={"GroupName": "g", "AvailabilityZone": ZONE})
        assert instance["Placement"]["GroupName"] == "g"
        ec2 = client("ec2")
        found = refusal(ec2.delete_placement_group, GroupName="g")
        assert found[0] == "InvalidPlacementGroup.InUse"
        stop_all()
        ec2.delete_placement_group(GroupName="g")

    def test_unknown_reservation_is_not_found(self) -> None:
        assert refused(Placement={"GroupName": "no"})[0] == "InvalidPlacementGroup.Unknown"

    def test_cluster_placement_group_is_in_one_zone(self) -> None:
        self.group()
        run(Placement={"GroupName": "g", "AvailabilityZone": "us-east-1b"})
        elsewhere = {"GroupName": "g", "AvailabilityZone": ZONE}
        assert refused(Placement=elsewhere)[0] == "InvalidParameterCombination"
        (instance,) = run(Placement={"GroupName": "g"})
        assert instance["Placement"]["AvailabilityZone"] == "us-east-1b"

    def test_unsupported_type_is_refused_in_a_cluster_placement_group(self) -> None:
        self.group()
        code, message = refused(InstanceType="t3.micro", Placement={"GroupName": "g"})
        assert code == "InvalidParameterCombination"
        assert "may not be used with instances of type 't3.micro'" in message

    def test_spread_placement_group_is_limited_to_seven_per_zone(self) -> None:
        self.group("spread")
        place = {"GroupName": "g", "AvailabilityZone": ZONE}
        assert len(run(1, 9, Placement=place)) == 7
        assert refused(Placement=place)[0] == "InsufficientInstanceCapacity"

    def test_reservation_in_a_placement_group_requires_the_group(self) -> None:
        item = reserve(PlacementGroupArn=self.group()["GroupArn"])
        assert refused(**into(item))[0] == "ReservationCapacityExceeded"
        (instance,) = run(**into(item, Placement={"GroupName": "g", "AvailabilityZone": ZONE}))
        assert instance["CapacityReservationId"] == item

    def test_five_hundred_placement_groups_are_the_limit(self) -> None:
        ec2 = client("ec2")
        for number in range(500):
            ec2.create_placement_group(GroupName=f"g{number}")
        found = refusal(ec2.create_placement_group, GroupName="more")
        assert found[0] == "PlacementGroupLimitExceeded"


@pytest.mark.usefixtures("aws")
def test_every_type_of_the_catalogue_is_described() -> None:
    """All types except p6e-gb300.36xlarge, of which AWS publishes only the name."""
    from clusterwright.catalog import load_catalog

    catalog = load_catalog()
    names = catalog.described_names | {name.removeprefix("ml.") for name in catalog.hyperpod_names}
    pages = client("ec2").get_paginator("describe_instance_types").paginate()
    described = {
        instance_type["InstanceType"]: instance_type
        for page in pages
        for instance_type in page["InstanceTypes"]
    }
    assert names - set(described) == {"p6e-gb300.36xlarge"}
    pages = (
        client("ec2")
        .get_paginator("describe_instance_type_offerings")
        .paginate(LocationType="availability-zone-id")
    )
    offered: dict[str, set[str]] = {}
    for page in pages:
        for offering in page["InstanceTypeOfferings"]:
            offered.setdefault(offering["InstanceType"], set()).add(offering["Location"])
    for name in catalog.described_names & set(described):
        zones = getattr(catalog.offering(name, "us-east-1"), "value", None)
        if zones is not None:
            ids = {zone for zone in zones if catalog.local_zone(zone) in (None, "")}
            assert ids <= offered.get(name, set()), name
