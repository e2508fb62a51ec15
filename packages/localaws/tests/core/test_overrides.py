"""Tests of core.overrides."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.overrides import matches
from clusterwright_localaws.worlds.injections import Override
from packages.localaws.tests.parts import build_site, client, describe, group_of, nodes


def override(service: str, operation: str, **what: Any) -> dict[str, Any]:
    return {"service": service, "operation": operation, **what}


class TestState:
    def test_matching_items_of_a_list_get_new_members(self) -> None:
        changed = override(
            "sagemaker",
            "DescribeCluster",
            each="InstanceGroups",
            match={"InstanceGroupName": "work*"},
            set={"ImageVersionStatus": "SecurityUpdateRequired", "CurrentImageId": "ami-1234567"},
        )
        with local_aws(overrides=[changed]):
            site = build_site()
            site.create(site.group("workers", 2))
            found = describe()
            assert group_of(found, "workers")["ImageVersionStatus"] == "SecurityUpdateRequired"
            assert group_of(found, "workers")["CurrentImageId"] == "ami-1234567"
            assert group_of(found, "controller")["ImageVersionStatus"] == "UpToDate"

    def test_state_of_the_local_aws_is_not_changed(self) -> None:
        with local_aws() as aws:
            site = build_site()
            site.create(site.group("workers", 1))
            client("sagemaker").describe_cluster(ClusterName="train")
            wrong = override(
                "sagemaker",
                "DescribeCluster",
                set={"VpcConfig.Subnets": ["subnet-00000000000000000"]},
            )
            aws.inject(overrides=[Override.model_validate(wrong)])
            assert describe()["VpcConfig"]["Subnets"] == ["subnet-00000000000000000"]
            aws.inject(overrides=[])
            assert describe()["VpcConfig"]["Subnets"] == [site.subnet_id]

    def test_first_limits_the_changed_items(self) -> None:
        failed = {"InstanceStatus": {"Status": "Failure", "Message": "EFA"}}
        changed = override(
            "sagemaker",
            "ListClusterNodes",
            each="ClusterNodeSummaries",
            match={"InstanceGroupName": "workers"},
            first=2,
            set=failed,
        )
        with local_aws(overrides=[changed]):
            site = build_site()
            site.create(site.group("workers", 5))
            states = [node["InstanceStatus"]["Status"] for node in nodes()]
            assert states.count("Failure") == 2

    def test_removed_items_are_not_listed(self) -> None:
        changed = override(
            "sagemaker",
            "ListClusterNodes",
            each="ClusterNodeSummaries",
            match={"InstanceGroupName": "workers"},
            remove=True,
        )
        with local_aws(overrides=[changed]):
            site = build_site()
            site.create(site.group("workers", 2))
            assert {node["InstanceGroupName"] for node in nodes()} == {"controller"}
            assert group_of(describe(), "workers")["CurrentCount"] == 2

    def test_added_items_are_on_the_first_page_only(self) -> None:
        added = {
            "InstanceGroupName": "ghost",
            "InstanceId": "i-00000000000000000",
            "InstanceType": "ml.p5.48xlarge",
            "LaunchTime": "-2h",
            "InstanceStatus": {"Status": "Running"},
        }
        changed = override(
            "sagemaker", "ListClusterNodes", each="ClusterNodeSummaries", add=[added]
        )
        with local_aws(overrides=[changed]):
            site = build_site()
            site.create(site.group("workers", 2))
            pages = client("sagemaker").get_paginator("list_cluster_nodes")
            found = [
                node
                for page in pages.paginate(ClusterName="train", PaginationConfig={"PageSize": 1})
                for node in page["ClusterNodeSummaries"]
            ]
            ghosts = [node for node in found if node["InstanceGroupName"] == "ghost"]
            assert len(ghosts) == 1
            age = datetime.now(UTC) - ghosts[0]["LaunchTime"]
            assert timedelta(hours=1.9) < age < timedelta(hours=2.1)

    def test_null_removes_a_member(self) -> None:
        changed = override("sagemaker", "DescribeCluster", set={"NodeRecovery": None})
        with local_aws(overrides=[changed]):
            site = build_site()
            site.create(site.group("workers", 1))
            assert "NodeRecovery" not in describe()


class TestServices:
    """Services of every protocol, those that moto answers among them."""

    @pytest.mark.parametrize(
        ("changed", "call", "expected"),
        [
            pytest.param(
                override(
                    "fsx",
                    "DescribeFileSystems",
                    each="FileSystems",
                    add=[
                        {
                            "FileSystemId": "fs-00000000000000000",
                            "FileSystemType": "LUSTRE",
                            "Lifecycle": "MISCONFIGURED",
                            "FailureDetails": {"Message": "The security group was changed."},
                        }
                    ],
                ),
                lambda: client("fsx").describe_file_systems()["FileSystems"][0]["Lifecycle"],
                "MISCONFIGURED",
                id="fsx",
            ),
            pytest.param(
                override(
                    "rds",
                    "DescribeDBInstances",
                    each="DBInstances",
                    add=[
                        {"DBInstanceIdentifier": "slurm", "DBInstanceStatus": "storage-full"},
                    ],
                ),
                lambda: client("rds").describe_db_instances()["DBInstances"][0][
                    "DBInstanceStatus"
                ],
                "storage-full",
                id="rds",
            ),
            pytest.param(
                override(
                    "autoscaling",
                    "DescribeScalingActivities",
                    each="Activities",
                    add=[
                        {
                            "ActivityId": "1",
                            "AutoScalingGroupName": "workers",
                            "Cause": "a shortage",
                            "StartTime": "-5m",
                            "StatusCode": "Failed",
                            "StatusMessage": "InsufficientInstanceCapacity",
                        }
                    ],
                ),
                lambda: client("autoscaling").describe_scaling_activities()["Activities"][0][
                    "StatusCode"
                ],
                "Failed",
                id="autoscaling",
            ),
            pytest.param(
                override(
                    "cloudformation",
                    "DescribeStacks",
                    each="Stacks",
                    add=[
                        {
                            "StackName": "storage",
                            "CreationTime": "-1d",
                            "StackStatus": "UPDATE_ROLLBACK_FAILED",
                            "StackStatusReason": "The following resource(s) failed to update",
                        }
                    ],
                ),
                lambda: client("cloudformation").describe_stacks()["Stacks"][0]["StackStatus"],
                "UPDATE_ROLLBACK_FAILED",
                id="cloudformation",
            ),
            pytest.param(
                override(
                    "ec2",
                    "DescribeVpcs",
                    each="Vpcs",
                    set={"State": "pending"},
                ),
                lambda: client("ec2").describe_vpcs()["Vpcs"][0]["State"],
                "pending",
                id="ec2",
            ),
            pytest.param(
                override(
                    "eks",
                    "ListClusters",
                    set={"clusters": ["other"]},
                ),
                lambda: client("eks").list_clusters()["clusters"],
                ["other"],
                id="eks",
            ),
        ],
    )
    def test_service_answers_the_injected_state(
        self, changed: dict[str, Any], call: Any, expected: Any
    ) -> None:
        with local_aws(overrides=[changed]):
            assert call() == expected

    def test_capacity_reservation_ends_at_the_offset(self) -> None:
        seed = {
            "id": "cr-00000000000000001",
            "instance_type": "p5.48xlarge",
            "instance_count": 4,
            "zone_id": "use1-az6",
        }
        changed = override(
            "ec2",
            "DescribeCapacityReservations",
            each="CapacityReservations",
            match={"CapacityReservationId": seed["id"]},
            set={"EndDateType": "limited", "EndDate": "+30m"},
        )
        with local_aws(capacity_reservations=[seed], overrides=[changed]):
            found = client("ec2").describe_capacity_reservations()["CapacityReservations"][0]
            left = found["EndDate"] - datetime.now(UTC)
            assert timedelta(minutes=29) < left < timedelta(minutes=31)


class TestCalls:
    def changed(self, **more: Any) -> dict[str, Any]:
        return override("ec2", "DescribeVpcs", each="Vpcs", set={"State": "pending"}, **more)

    def states(self, count: int) -> list[str]:
        return [client("ec2").describe_vpcs()["Vpcs"][0]["State"] for _ in range(count)]

    def test_after_and_times_select_calls(self) -> None:
        with local_aws(overrides=[self.changed(after=1, times=2)]):
            assert self.states(4) == ["available", "pending", "pending", "available"]

    def test_only_calls_with_the_parameters_count(self) -> None:
        with local_aws(overrides=[self.changed(request={"VpcIds": "vpc-*"}, times=1)]):
            assert self.states(2) == ["available", "available"]
            name = client("ec2").describe_vpcs()["Vpcs"][0]["VpcId"]
            found = client("ec2").describe_vpcs(VpcIds=[name])["Vpcs"][0]
            assert found["State"] == "pending"

    def test_refused_call_is_not_changed(self) -> None:
        changed = override("sagemaker", "DescribeCluster", set={"NodeRecovery": "None"})
        with local_aws(overrides=[changed]), pytest.raises(ClientError, match="does not exist"):
            describe()

    def test_answer_that_lacks_a_required_member_is_refused(self) -> None:
        changed = override("sagemaker", "DescribeCluster", set={"ClusterArn": None})
        with local_aws(overrides=[changed]):
            site = build_site()
            with pytest.raises(ClientError, match="clusterArn"):
                site.create(site.group("workers", 1))


class TestRefusals:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            (
                override("sagemakr", "DescribeCluster", set={"A": 1}),
                "boto3 has no service named 'sagemakr'; did you mean `sagemaker`?",
            ),
            (
                override("sagemaker", "DescribeClusters", set={"A": 1}),
                "did you mean `DescribeCluster`?",
            ),
            (
                override("s3", "ListObjectsV2", each="Contents", remove=True),
                "answers of s3 cannot be changed",
            ),
            (
                override("sagemaker", "DescribeCluster", set={"Status": "Failed"}),
                "DescribeClusterResponse has no member Status",
            ),
            (
                override("sagemaker", "DescribeCluster", set={"ClusterStatus": "Broken"}),
                "Member must satisfy enum value set",
            ),
            (
                override("sagemaker", "DescribeCluster", each="Groups", remove=True),
                "the answer of DescribeCluster has no list Groups",
            ),
            (
                override("sagemaker", "DescribeCluster", request={"Name": "x"}, set={"A": None}),
                "DescribeCluster has no parameter Name",
            ),
            (
                override(
                    "sagemaker",
                    "ListClusterNodes",
                    each="ClusterNodeSummaries",
                    match={"Group": "x"},
                    remove=True,
                ),
                "ClusterNodeSummary has no member Group",
            ),
            (
                override(
                    "sagemaker",
                    "ListClusterNodes",
                    each="ClusterNodeSummaries",
                    add=[{"InstanceGroupName": "x"}],
                ),
                "Member must not be null",
            ),
            (
                override("sagemaker", "DescribeCluster", set={"CreationTime": "soon"}),
                "'soon' is neither a time",
            ),
            (override("sagemaker", "DescribeCluster"), "needs one of set, add or remove"),
            (
                override("sagemaker", "DescribeCluster", first=1, set={"A": 1}),
                "add, remove and first need each",
            ),
            (
                override("sagemaker", "DescribeCluster", each="A", set={"A": 1}, remove=True),
                "either set or remove",
            ),
            (
                override("sagemaker", "DeleteTags", set={"A": 1}),
                "has no member A",
            ),
        ],
    )
    def test_override_that_cannot_apply_is_refused(
        self, changed: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ValueError, match=re.escape(message)), local_aws(overrides=[changed]):
            raise AssertionError("the world was accepted")


def test_paths_match_through_lists() -> None:
    value = {"Reservations": [{"Instances": [{"State": {"Name": "running"}}]}]}
    assert matches(value, {"Reservations.Instances.State.Name": "run*"})
    assert not matches(value, {"Reservations.Instances.State.Name": "stopped"})
    assert matches(value, {"Reservations.OwnerId": None})
