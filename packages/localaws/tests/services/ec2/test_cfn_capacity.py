"""Placement groups, capacity reservations and launch templates of a template."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.ec2.cfn_capacity import (
    CapacityReservation,
    LaunchTemplate,
    PlacementGroup,
)
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def test_a_placement_group_changes_its_tags_only() -> None:
    ec2 = client("ec2")
    before = {"Strategy": "cluster", "Tags": tags(a="1")}
    created = PlacementGroup().create(context(), before)
    name = created.physical_id
    (found,) = ec2.describe_placement_groups(GroupNames=[name])["PlacementGroups"]
    assert created.attributes == {"GroupId": found["GroupId"], "GroupName": name}
    PlacementGroup().update(context(), name, before, {**before, "Tags": tags(b="2")})
    (found,) = ec2.describe_placement_groups(GroupNames=[name])["PlacementGroups"]
    assert found["Tags"] == tags(b="2")
    PlacementGroup().delete(context(), name, before)
    assert ec2.describe_placement_groups()["PlacementGroups"] == []


class TestCapacityReservation:
    BEFORE: dict[str, Any] = {  # noqa: RUF012
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZoneId": "use1-az6",
        "InstanceCount": 2,
        "InstanceMatchCriteria": "targeted",
        "TagSpecifications": [{"ResourceType": "capacity-reservation", "Tags": tags(a="1")}],
    }

    def described(self, name: str) -> dict[str, Any]:
        (found,) = client("ec2").describe_capacity_reservations(CapacityReservationIds=[name])[
            "CapacityReservations"
        ]
        return dict(found)

    def test_created_grown_and_cancelled(self) -> None:
        created = CapacityReservation().create(context(stack_tags={"team": "x"}), self.BEFORE)
        name = created.physical_id
        assert created.attributes["State"] == "active"
        assert created.attributes["TotalInstanceCount"] == "2"
        found = {tag["Key"]: tag["Value"] for tag in self.described(name)["Tags"]}
        assert found == {"team": "x", "a": "1"}
        after = {**self.BEFORE, "InstanceCount": 3}
        grown = CapacityReservation().update(context(), name, self.BEFORE, after)
        assert grown.attributes["AvailableInstanceCount"] == "3"
        CapacityReservation().delete(context(), name, after)
        assert self.described(name)["State"] == "cancelled"
        CapacityReservation().delete(context(), name, after)  # already cancelled: no error

    def test_changed_tags_replace_it(self) -> None:
        assert CapacityReservation().replacing(self.BEFORE, self.BEFORE) == set()
        assert CapacityReservation().replacing(self.BEFORE, {}) == {"TagSpecifications"}

    def test_a_failed_one_fails_its_resource(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(CapacityReservation, "_described", lambda *_: {"State": "failed"})
        with pytest.raises(HandlerFailure, match=r"the reservation cr-\w+ is failed") as caught:
            CapacityReservation().create(context(), self.BEFORE)
        assert caught.value.code == "NotStabilized"


def test_a_changed_launch_template_is_a_new_version() -> None:
    before = {"LaunchTemplateData": {"InstanceType": "m5.large"}}
    created = LaunchTemplate().create(context(), before)
    name = created.physical_id
    assert created.attributes["LatestVersionNumber"] == "1"
    same = LaunchTemplate().update(context(), name, before, before)
    assert same.attributes["LatestVersionNumber"] == "1"
    after = {"LaunchTemplateData": {"InstanceType": "m5.xlarge"}, "VersionDescription": "two"}
    changed = LaunchTemplate().update(context(), name, before, after)
    assert changed.attributes == {
        "LaunchTemplateId": name,
        "DefaultVersionNumber": "1",
        "LatestVersionNumber": "2",
    }
    LaunchTemplate().delete(context(), name, after)
    assert client("ec2").describe_launch_templates()["LaunchTemplates"] == []
