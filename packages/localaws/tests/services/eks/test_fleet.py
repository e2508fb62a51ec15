"""The instances of a managed node group."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.eks.fleet import (
    CLUSTER_TAG,
    GROUP_TAG,
    Fleet,
    template_data,
    template_of,
)
from clusterwright_localaws.services.eks.state import ChildResource, Store, store_in
from packages.localaws.tests.parts import Site, build_site, client

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def store(aws: Runtime) -> Store:
    return store_in(aws, aws.world.account, "us-east-1")


def fleet(aws: Runtime, site: Site, **members: Any) -> Fleet:
    described = {
        "clusterName": "eks",
        "nodegroupName": "system",
        "subnets": [site.subnet_id],
        "instanceTypes": ["m5.large"],
        "capacityType": "ON_DEMAND",
        "nodes": [],
        **members,
    }
    return Fleet(store(aws), ChildResource("arn", NOW, described))


def instances(state: str = "running") -> list[dict[str, Any]]:
    found = client("ec2").describe_instances(
        Filters=[{"Name": "instance-state-name", "Values": [state]}]
    )["Reservations"]
    return [instance for reservation in found for instance in reservation["Instances"]]


def test_nodes_start_with_the_tags_of_their_group_and_end_with_their_addresses(
    aws: Runtime, site: Site
) -> None:
    before = site.free_addresses()
    found = fleet(aws, site)
    assert found.grow_to(2) is None
    tags = [{tag["Key"]: tag["Value"] for tag in each["Tags"]} for each in instances()]
    assert tags == [{CLUSTER_TAG: "eks", GROUP_TAG: "system"}] * 2
    assert site.free_addresses() < before - 2
    found.shrink_to(1)
    assert len(instances()) == len(found.nodes) == 1
    found.end()
    assert (instances(), found.nodes) == ([], [])
    assert site.free_addresses() == before


def test_a_second_type_is_tried_where_the_first_has_no_capacity() -> None:
    capacity = [{"instance_type": "m5.large", "zone_id": "use1-az6", "available": 1}]
    with local_aws(capacity=capacity) as aws:
        found = fleet(aws, build_site(), instanceTypes=["m5.large", "m5.xlarge"])
        assert found.grow_to(3) is None
        types = sorted(each["InstanceType"] for each in instances())
        assert types == ["m5.large", "m5.xlarge", "m5.xlarge"]


def test_without_capacity_no_new_node_remains() -> None:
    capacity = [{"instance_type": "m5.large", "zone_id": "use1-az6", "available": 2}]
    with local_aws(capacity=capacity) as aws:
        found = fleet(aws, build_site())
        assert found.grow_to(1) is None
        code, message = found.grow_to(3) or ("", "")
        assert code == "AsgInstanceLaunchFailures"
        assert "InsufficientInstanceCapacity" in message
        assert len(instances()) == len(found.nodes) == 1


def test_a_subnet_without_addresses_is_named() -> None:
    with local_aws() as aws:
        site = build_site(cidr="10.0.0.0/28")
        code, message = fleet(aws, site).grow_to(2) or ("", "")
        assert code == "InsufficientFreeAddresses"
        assert message.startswith(f"Subnet {site.subnet_id} has 11 free IP addresses, ")


@pytest.mark.parametrize(
    ("config", "steps"),
    [
        (None, 1),
        ({"maxUnavailable": 3}, 3),
        ({"maxUnavailablePercentage": 50}, 2),
        ({"maxUnavailablePercentage": 10}, 1),
        ({"maxUnavailable": 500}, 100),
    ],
)
def test_nodes_that_are_replaced_at_once(
    aws: Runtime, site: Site, config: dict[str, int] | None, steps: int
) -> None:
    assert fleet(aws, site, updateConfig=config)._at_once(4) == steps


@pytest.mark.parametrize("strategy", ["DEFAULT", "MINIMAL"])
def test_recycling_replaces_every_node(aws: Runtime, site: Site, strategy: str) -> None:
    found = fleet(aws, site, updateConfig={"updateStrategy": strategy, "maxUnavailable": 1})
    found.grow_to(2)
    before = {node[0] for node in found.nodes}
    assert found.recycle() is None
    after = {node[0] for node in found.nodes}
    assert len(after) == 2
    assert not before & after
    assert {each["InstanceId"] for each in instances()} == after


class TestTemplates:
    def template(self, **data: Any) -> str:
        made = client("ec2").create_launch_template(
            LaunchTemplateName="nodes", LaunchTemplateData=data
        )["LaunchTemplate"]
        return str(made["LaunchTemplateId"])

    def test_versions(self, aws: Runtime) -> None:
        name = self.template(InstanceType="m5.large")
        client("ec2").create_launch_template_version(
            LaunchTemplateId=name, LaunchTemplateData={"InstanceType": "m5.xlarge"}
        )
        for version, expected in (
            (None, "large"),
            ("1", "large"),
            ("2", "xlarge"),
            ("$Latest", "xlarge"),
        ):
            named = {"id": name, "version": version}
            assert template_data(store(aws), named)["InstanceType"] == f"m5.{expected}"
        assert template_of(store(aws), {"name": "nodes"}) is template_of(store(aws), {"id": name})
        assert template_of(store(aws), {"id": "lt-0"}) is None
        assert template_data(store(aws), {}) == {}

    def test_an_image_must_exist_and_fit(self, aws: Runtime, site: Site) -> None:
        arm = client("ec2").describe_images(
            Filters=[{"Name": "architecture", "Values": ["arm64"]}]
        )["Images"][0]["ImageId"]
        for image, text in (
            ("ami-00000000", "InvalidAMIID.NotFound - The image id '[ami-00000000]'"),
            (arm, "does not match the architecture 'arm64' of the specified AMI"),
        ):
            code, message = fleet(aws, site)._wrong_image(image, "p5.48xlarge") or ("", "")
            assert code == "AsgInstanceLaunchFailures"
            assert text in message

    def test_market_placement_and_groups_are_those_of_the_template(
        self, aws: Runtime, site: Site
    ) -> None:
        name = self.template(
            Placement={"GroupName": "pg"},
            NetworkInterfaces=[{"DeviceIndex": 0, "Groups": [site.group_id]}],
            TagSpecifications=[
                {"ResourceType": "instance", "Tags": [{"Key": "own", "Value": "1"}]}
            ],
        )
        found = fleet(aws, site, launchTemplate={"id": name}, capacityType="SPOT")
        assert found._asked() == {
            "Placement": {"GroupName": "pg"},
            "InstanceMarketOptions": {"MarketType": "spot"},
        }
        assert found._interface(site.subnet_id)["Groups"] == [site.group_id]
        assert next(found._tags()) == {"Key": "own", "Value": "1"}
