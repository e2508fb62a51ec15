"""Tests of services.eks.nodegroups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import WaiterError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.eks.fleet import Fleet
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


def nodes() -> list[str]:
    """Instances of node groups that run."""
    found = client("ec2").describe_instances(
        Filters=[
            {"Name": "tag:eks:cluster-name", "Values": ["eks"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return sorted(
        instance["InstanceId"]
        for reservation in found["Reservations"]
        for instance in reservation["Instances"]
    )


def launch_template(data: dict[str, Any]) -> str:
    made = client("ec2").create_launch_template(
        LaunchTemplateName=f"nodes-{len(str(data))}", LaunchTemplateData=data
    )
    return str(made["LaunchTemplate"]["LaunchTemplateId"])


def own_image(architecture: str) -> str:
    found = client("ec2").describe_images(
        Filters=[{"Name": "architecture", "Values": [architecture]}]
    )
    return str(found["Images"][0]["ImageId"])


def with_template(
    site: EksSite, template: str, name: str = "system", **more: Any
) -> dict[str, Any]:
    named = {"launchTemplate": {"id": template, "version": "1"}, **more}
    request = site.group(name, **named)
    del request["instanceTypes"]
    return request


class TestNodegroups:
    def test_nodegroup_releases_its_addresses_on_deletion(
        self, eks_site: EksSite, eks: Any
    ) -> None:
        before = eks_site.site.free_addresses()
        each = catalog_facts.addresses_per_node("m5.xlarge", "eks")
        eks.create_nodegroup(**eks_site.group(labels={"a": "b"}))
        assert eks_site.site.free_addresses() == before - 2 * each
        assert len(nodes()) == 2
        name = {"clusterName": "eks", "nodegroupName": "system"}
        taint = {"key": "k", "value": "v", "effect": "NO_SCHEDULE"}
        eks.update_nodegroup_config(
            **name,
            scalingConfig={"desiredSize": 3},
            labels={"addOrUpdateLabels": {"c": "d"}, "removeLabels": ["a"]},
            taints={"addOrUpdateTaints": [taint]},
        )
        shown = eks.describe_nodegroup(**name)["nodegroup"]
        assert shown["scalingConfig"] == {"minSize": 1, "maxSize": 3, "desiredSize": 3}
        assert (shown["labels"], shown["taints"]) == ({"c": "d"}, [taint])
        assert eks_site.site.free_addresses() == before - 3 * each
        assert len(nodes()) == 3
        assert eks_site.node_role in eks.list_access_entries(clusterName="eks")["accessEntries"]
        eks.delete_nodegroup(**name)
        assert eks.list_nodegroups(clusterName="eks")["nodegroups"] == []
        assert (eks_site.site.free_addresses(), nodes()) == (before, [])

    def test_terminated_nodes_are_replaced(self, eks_site: EksSite, eks: Any) -> None:
        eks.create_nodegroup(**eks_site.group())
        free, (first, second) = eks_site.site.free_addresses(), nodes()
        client("ec2").terminate_instances(InstanceIds=[first])
        assert second in nodes()
        assert first not in nodes()
        assert (len(nodes()), eks_site.site.free_addresses()) == (2, free)
        eks.delete_nodegroup(clusterName="eks", nodegroupName="system")
        assert nodes() == []

    def test_nodes_start_from_a_registered_image(self, eks_site: EksSite, eks: Any) -> None:
        image = client("ec2").register_image(
            Name="mine", Architecture="x86_64", VirtualizationType="hvm"
        )["ImageId"]
        template = launch_template({"InstanceType": "m5.xlarge", "ImageId": image})
        eks.create_nodegroup(**with_template(eks_site, template))
        name = {"clusterName": "eks", "nodegroupName": "system"}
        assert eks.describe_nodegroup(**name)["nodegroup"]["status"] == "ACTIVE"
        assert len(nodes()) == 2

    def test_new_launch_template_version_replaces_every_node(
        self, eks_site: EksSite, eks: Any
    ) -> None:
        template = launch_template({"InstanceType": "m5.xlarge"})
        eks.create_nodegroup(**with_template(eks_site, template))
        first = nodes()
        name = {"clusterName": "eks", "nodegroupName": "system"}
        client("ec2").create_launch_template_version(
            LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
        )
        eks.update_nodegroup_version(**name, launchTemplate={"id": template, "version": "2"})
        second = nodes()
        assert len(second) == 2
        assert not set(first) & set(second)
        eks.update_nodegroup_version(**name, launchTemplate={"id": template, "version": "2"})
        assert nodes() == second

    @pytest.mark.parametrize(("strategy", "succeeds"), [("MINIMAL", True), ("DEFAULT", False)])
    def test_minimal_strategy_terminates_old_nodes_first(
        self, strategy: str, succeeds: bool
    ) -> None:
        with local_aws(capacity=[{"instance_type": "m5.xlarge", "available": 2}]):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            template = launch_template({"InstanceType": "m5.xlarge"})
            update = {"maxUnavailable": 1, "updateStrategy": strategy}
            eks.create_nodegroup(**with_template(site, template, updateConfig=update))
            first = nodes()
            client("ec2").create_launch_template_version(
                LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
            )
            name = {"clusterName": "eks", "nodegroupName": "system"}
            started = eks.update_nodegroup_version(
                **name, launchTemplate={"id": template, "version": "2"}
            )["update"]
            found = eks.describe_update(
                name="eks", nodegroupName="system", updateId=started["id"]
            )["update"]
            assert found["status"] == ("Successful" if succeeds else "Failed")
            assert len(nodes()) == 2
            assert (set(nodes()) & set(first) == set()) is succeeds

    def test_nodes_count_against_quotas_and_reservations(self) -> None:
        block = {
            "id": "cr-0a1b2c3d4e5f60718",
            "instance_type": "p5.48xlarge",
            "instance_count": 2,
            "zone_id": "use1-az6",
            "kind": "capacity-block",
            "state": "active",
            "start": "2026-11-20T00:00:00Z",
            "end": "2027-11-20T00:00:00Z",
        }
        # 192 vCPUs each: one node fits, and those of a block do not count.
        quotas = {"ec2/L-417A185B": 200}
        with local_aws(quotas=quotas, capacity_reservations=[block]):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            scaling = {"minSize": 0, "maxSize": 2, "desiredSize": 2}
            types = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": scaling}
            eks.create_nodegroup(**site.group("paid-by-hour", **types))
            failed = eks.describe_nodegroup(clusterName="eks", nodegroupName="paid-by-hour")
            (issue,) = failed["nodegroup"]["health"]["issues"]
            assert "VcpuLimitExceeded" in issue["message"]
            template = launch_template(
                {
                    "InstanceType": "p5.48xlarge",
                    "InstanceMarketOptions": {"MarketType": "capacity-block"},
                    "CapacityReservationSpecification": {
                        "CapacityReservationTarget": {"CapacityReservationId": block["id"]}
                    },
                }
            )
            bought = with_template(
                site, template, name="bought", capacityType="CAPACITY_BLOCK", scalingConfig=scaling
            )
            code, words = refusal(eks.create_nodegroup, **{**bought, "capacityType": "ON_DEMAND"})
            assert (code, "go together" in words) == ("InvalidParameterException", True)
            eks.create_nodegroup(**bought)
            shown = eks.describe_nodegroup(clusterName="eks", nodegroupName="bought")
            assert shown["nodegroup"]["status"] == "ACTIVE"
            found = client("ec2").describe_capacity_reservations()["CapacityReservations"]
            assert [item["AvailableInstanceCount"] for item in found] == [0]
            again = {**bought, "nodegroupName": "again"}
            eks.create_nodegroup(**again)
            shown = eks.describe_nodegroup(clusterName="eks", nodegroupName="again")
            assert "ReservationCapacityExceeded" in str(shown["nodegroup"]["health"])

    def test_custom_image_has_type_custom_and_cannot_change(
        self, eks_site: EksSite, eks: Any
    ) -> None:
        """EKS user guide, "Limits and conditions when specifying an AMI ID"."""
        image = own_image("x86_64")
        template = launch_template({"InstanceType": "m5.xlarge", "ImageId": image})
        for name, value in (("amiType", "AL2023_x86_64_STANDARD"), ("version", "1.35")):
            refused = with_template(eks_site, template, **{name: value})
            code, message = refusal(eks.create_nodegroup, **refused)
            assert (code, name in message) == ("InvalidParameterException", True)
        eks.create_nodegroup(**with_template(eks_site, template))
        named = {"clusterName": "eks", "nodegroupName": "system"}
        assert eks.describe_nodegroup(**named)["nodegroup"]["amiType"] == "CUSTOM"
        started = client("ec2").describe_instances(InstanceIds=nodes())["Reservations"]
        assert {i["ImageId"] for item in started for i in item["Instances"]} == {image}
        code, message = refusal(eks.update_nodegroup_version, **named, version="1.35")
        assert (code, "version" in message) == ("InvalidParameterException", True)
        client("ec2").create_launch_template_version(
            LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.xlarge"}
        )
        code, message = refusal(
            eks.update_nodegroup_version, **named, launchTemplate={"id": template, "version": "2"}
        )
        assert (code, "create a new node group" in message) == ("InvalidParameterException", True)

    @pytest.mark.parametrize(
        ("architecture", "words"),
        [(None, "InvalidAMIID.NotFound"), ("arm64", "does not match the architecture 'arm64'")],
    )
    def test_invalid_custom_image_is_refused(
        self, eks_site: EksSite, eks: Any, architecture: str | None, words: str
    ) -> None:
        image = own_image(architecture) if architecture else "ami-0123456789abcdef0"
        template = launch_template({"InstanceType": "m5.xlarge", "ImageId": image})
        eks.create_nodegroup(**with_template(eks_site, template))
        found = eks.describe_nodegroup(clusterName="eks", nodegroupName="system")["nodegroup"]
        assert found["status"] == "CREATE_FAILED"
        assert words in found["health"]["issues"][0]["message"]

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ({"IamInstanceProfile": {"Name": "nodes"}}, "IamInstanceProfile"),
            ({"InstanceMarketOptions": {"MarketType": "spot"}}, "InstanceMarketOptions"),
        ],
    )
    def test_invalid_launch_templates_are_refused(
        self, eks_site: EksSite, eks: Any, data: dict[str, Any], words: str
    ) -> None:
        template = launch_template({"InstanceType": "m5.xlarge", **data})
        code, message = refusal(eks.create_nodegroup, **with_template(eks_site, template))
        assert (code, words in message) == ("InvalidParameterException", True)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"scalingConfig": {"minSize": 3, "maxSize": 2}}, "can't be greater than"),
            (
                {"scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 5}},
                "desired capacity 5 can't be greater than max size 2",
            ),
            (
                {"instanceTypes": ["m5.gigantic"]},
                "The following supplied instance types do not exist: [m5.gigantic]",
            ),
            ({"subnets": ["subnet-00000000"]}, "does not exist"),
            ({"nodeRole": "arn:aws:iam::123456789012:role/absent"}, "cannot be found"),
            ({"nodeRole": "CLUSTER"}, "Following required service principals"),
            ({"capacityType": "CAPACITY_BLOCK"}, "needs a launch template"),
            ({"launchTemplate": {"name": "absent"}, "instanceTypes": []}, "does not exist"),
            ({"version": "9.99"}, "should be equal to Cluster kubernetes version"),
            (
                {"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 1}},
                "Specify only one",
            ),
        ],
    )
    def test_invalid_nodegroups_are_refused(
        self, eks_site: EksSite, eks: Any, change: dict[str, Any], words: str
    ) -> None:
        if change.get("nodeRole") == "CLUSTER":
            change = {"nodeRole": eks_site.cluster_role}
        code, message = refusal(eks.create_nodegroup, **{**eks_site.group(), **change})
        assert (code, words in message) == ("InvalidParameterException", True)
        assert eks.list_nodegroups(clusterName="eks")["nodegroups"] == []

    @pytest.mark.parametrize(
        ("world", "code"),
        [
            ({"not_offered": {"m5.xlarge": ["use1-az6"]}}, "AsgInstanceLaunchFailures"),
            (
                {"capacity": [{"instance_type": "m5.xlarge", "available": 1}]},
                "AsgInstanceLaunchFailures",
            ),
        ],
    )
    def test_nodes_that_cannot_be_launched_fail_the_nodegroup(
        self, world: dict[str, Any], code: str
    ) -> None:
        with local_aws(**world):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            eks.create_nodegroup(**site.group())
            name = {"clusterName": "eks", "nodegroupName": "system"}
            shown = eks.describe_nodegroup(**name)["nodegroup"]
            assert shown["status"] == "CREATE_FAILED"
            assert shown["health"]["issues"][0]["code"] == code
            with pytest.raises(WaiterError):
                eks.get_waiter("nodegroup_active").wait(**name)
            eks.delete_nodegroup(**name)

    def test_nodegroup_and_node_quotas_are_enforced(self) -> None:
        with local_aws(quotas={"eks/L-6D54EA21": 1, "eks/L-BD136A63": 3}):
            site = build_eks_site()
            site.create()
            eks = client("eks")
            big = site.group(scalingConfig={"minSize": 1, "maxSize": 4, "desiredSize": 1})
            assert refusal(eks.create_nodegroup, **big)[0] == "ResourceLimitExceededException"
            eks.create_nodegroup(**site.group("a"))
            assert refusal(eks.create_nodegroup, **site.group("b"))[0] == (
                "ResourceLimitExceededException"
            )

    def test_cluster_with_nodegroups_cannot_be_deleted(self, eks_site: EksSite, eks: Any) -> None:
        eks.create_nodegroup(**eks_site.group())
        assert refusal(eks.delete_cluster, name="eks") == (
            "ResourceInUseException",
            "Cluster has nodegroups attached",
        )


SYSTEM = {"clusterName": "eks", "nodegroupName": "system"}


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("EC2 is down")


class TestFailuresOfOtherServices:
    """A failure that EKS has no issue for ends in a state: nothing waits for it without end."""

    def described(self, eks: Any) -> dict[str, Any]:
        return dict(eks.describe_nodegroup(**SYSTEM)["nodegroup"])

    def test_a_creation_fails_and_can_be_deleted(
        self, eks_site: EksSite, eks: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Fleet, "grow_to", broken)
            eks.create_nodegroup(**eks_site.group())
            found = self.described(eks)
        assert found["status"] == "CREATE_FAILED"
        (issue,) = found["health"]["issues"]
        assert (issue["code"], issue["message"]) == ("InternalFailure", "EC2 is down")
        eks.delete_nodegroup(**SYSTEM)
        assert eks.list_nodegroups(clusterName="eks")["nodegroups"] == []

    def test_an_update_fails_and_the_group_keeps_its_configuration(
        self, eks_site: EksSite, eks: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        eks.create_nodegroup(**eks_site.group())
        before = self.described(eks)
        with monkeypatch.context() as patch:
            patch.setattr(Fleet, "grow_to", broken)
            update = eks.update_nodegroup_config(**SYSTEM, scalingConfig={"desiredSize": 3})
            after = self.described(eks)
        shown = eks.describe_update(
            name="eks", nodegroupName="system", updateId=update["update"]["id"]
        )["update"]
        assert (shown["status"], shown["errors"][0]["errorCode"]) == ("Failed", "Unknown")
        assert after["status"] == "ACTIVE"
        assert after["scalingConfig"] == before["scalingConfig"]
        assert len(nodes()) == 2

    def test_a_deletion_fails_and_can_be_repeated(
        self, eks_site: EksSite, eks: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        eks.create_nodegroup(**eks_site.group())
        with monkeypatch.context() as patch:
            patch.setattr(Fleet, "end", broken)
            eks.delete_nodegroup(**SYSTEM)
            assert self.described(eks)["status"] == "DELETE_FAILED"
        eks.delete_nodegroup(**SYSTEM)
        assert nodes() == []
