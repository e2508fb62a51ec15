"""Tests of services.ec2.placement_groups."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
class TestPlacementGroups:
    def test_every_strategy_is_supported(self) -> None:
        ec2 = client("ec2")
        cluster = ec2.create_placement_group(GroupName="a", Strategy="cluster")["PlacementGroup"]
        assert (cluster["State"], cluster["Strategy"]) == ("available", "cluster")
        assert cluster["GroupArn"].endswith(":placement-group/a")
        spread = ec2.create_placement_group(GroupName="b", Strategy="spread")["PlacementGroup"]
        assert spread["SpreadLevel"] == "rack"
        parts = ec2.create_placement_group(GroupName="c", Strategy="partition", PartitionCount=3)[
            "PlacementGroup"
        ]
        assert parts["PartitionCount"] == 3

    def test_what_is_refused(self) -> None:
        ec2 = client("ec2")
        ec2.create_placement_group(GroupName="a")
        make = ec2.create_placement_group
        assert refusal(make, GroupName="a")[0] == "InvalidPlacementGroup.Duplicate"
        assert (
            refusal(make, GroupName="b", Strategy="cluster", PartitionCount=2)[0]
            == "InvalidParameterCombination"
        )
        assert (
            refusal(make, GroupName="b", Strategy="partition", PartitionCount=8)[0]
            == "InvalidParameterValue"
        )
        assert refusal(make, GroupName="b", DryRun=True)[0] == "DryRunOperation"
        unknown = refusal(ec2.delete_placement_group, GroupName="b")
        assert unknown == (
            "InvalidPlacementGroup.Unknown",
            "The Placement Group 'b' is unknown.",
        )

    def test_filters_tags_and_deletion_are_supported(self) -> None:
        ec2 = client("ec2")
        tag = {"Key": "team", "Value": "ml"}
        ec2.create_placement_group(
            GroupName="a",
            TagSpecifications=[{"ResourceType": "placement-group", "Tags": [tag]}],
        )
        ec2.create_placement_group(GroupName="b", Strategy="spread")

        def named(**filters: str) -> list[str]:
            wanted = [{"Name": key, "Values": [value]} for key, value in filters.items()]
            found = ec2.describe_placement_groups(Filters=wanted)["PlacementGroups"]
            return [item["GroupName"] for item in found]

        assert named() == ["a", "b"]
        assert named(strategy="spread") == ["b"]
        assert named(**{"tag:team": "m*"}) == ["a"]
        tags = ec2.describe_tags(Filters=[{"Name": "key", "Values": ["team"]}])["Tags"]
        assert [item["ResourceType"] for item in tags] == ["placement-group"]
        ec2.delete_placement_group(GroupName="a")
        assert named() == ["b"]
        assert (
            refusal(
                ec2.describe_placement_groups, Filters=[{"Name": "colour", "Values": ["blue"]}]
            )[0]
            == "InvalidParameterValue"
        )
