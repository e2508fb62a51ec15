"""Tests of services.sagemaker.operations."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import Site, build_site, client, nodes, refusal

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


def operations(**filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client("sagemaker").list_cluster_operations(
        ClusterName="train", **filters
    )["ClusterOperationSummaries"]
    return found


def described(operation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client("sagemaker").describe_cluster_operation(
        ClusterName="train", OperationId=operation["OperationId"]
    )
    return found


def scale(site: Site, count: int, **more: Any) -> None:
    client("sagemaker").update_cluster(
        ClusterName="train",
        InstanceGroups=[site.controller(), site.group("workers", count, **more)],
    )


class TestScaling:
    def test_scaling_has_the_counts_before_and_those_requested(self, site: Site) -> None:
        site.create(site.group("workers", 2), **CONTINUOUS)
        assert operations() == []
        scale(site, 5, MinInstanceCount=1)
        (found,) = operations()
        detail = described(found)
        assert (found["Type"], found["Status"]) == ("Scaling", "Done")
        assert detail["ScalingDetails"] == [
            {
                "InstanceGroupName": "workers",
                "Status": "Done",
                "Original": {"CurrentCount": 2, "TargetCount": 2},
                "Desired": {"TargetCount": 5, "MinCount": 1},
            }
        ]
        assert "DeepHealthCheckDetails" not in detail

    def test_next_scaling_supersedes_one_in_progress(self) -> None:
        with local_aws(delays={"node": 60}) as aws:
            site = build_site()
            site.create(site.group("workers", 1), **CONTINUOUS)
            aws.clock.advance(61)
            scale(site, 3)
            assert [o["Status"] for o in operations()] == ["InProgress"]
            scale(site, 4)
            # The default order is descending.
            assert [o["Status"] for o in operations()] == ["InProgress", "Superseded"]
            aws.clock.advance(61)
            assert [o["Status"] for o in operations()] == ["Done", "Superseded"]
            assert [o["Status"] for o in operations(Status="Superseded")] == ["Superseded"]
            assert operations(SortOrder="Ascending")[0]["Status"] == "Superseded"

    def test_scaling_without_capacity_stays_in_progress(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 2}]) as aws:
            site = build_site()
            site.create(site.group("workers", 2), **CONTINUOUS)
            scale(site, 3)
            aws.clock.advance(86_400)
            assert operations()[0]["Status"] == "InProgress"

    def test_added_and_deleted_nodes_are_scalings(self, site: Site) -> None:
        site.create(site.group("workers", 2), **CONTINUOUS)
        client("sagemaker").batch_add_cluster_nodes(
            ClusterName="train",
            NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 2}],
        )
        last = nodes(InstanceGroupNameContains="workers")[0]["InstanceId"]
        client("sagemaker").batch_delete_cluster_nodes(ClusterName="train", NodeIds=[last])
        assert [
            [
                (each["Original"]["TargetCount"], each["Desired"]["TargetCount"])
                for each in described(found)["ScalingDetails"]
            ]
            for found in operations(SortOrder="Ascending")
        ] == [[(2, 4)], [(4, 3)]]

    def test_events_of_a_scaling_name_it(self) -> None:
        with local_aws(delays={"node": 60}) as aws:
            site = build_site()
            site.create(site.group("workers", 1), **CONTINUOUS)
            aws.clock.advance(61)
            scale(site, 3)
            (found,) = operations()
            events = client("sagemaker").list_cluster_events(
                ClusterName="train", ResourceType="Instance"
            )["Events"]
            detail = client("sagemaker").describe_cluster_event(
                ClusterName="train", EventId=events[0]["EventId"]
            )["EventDetails"]
            assert detail["OperationId"] == found["OperationId"]
            named = client("sagemaker").list_cluster_events(
                ClusterName="train", OperationId=found["OperationId"]
            )["Events"]
            assert len(named) == 3  # the warning and two launches

    def test_update_without_other_counts_is_no_operation(self, site: Site) -> None:
        site.create(site.group("workers", 2), **CONTINUOUS)
        scale(site, 2, ThreadsPerCore=2)
        assert operations() == []


class TestHealthChecks:
    def check(self) -> dict[str, Any]:
        entry = {"InstanceGroupName": "workers", "DeepHealthChecks": ["InstanceStress"]}
        client("sagemaker").start_cluster_health_check(
            ClusterName="train", DeepHealthCheckConfigurations=[entry]
        )
        return entry

    def test_health_check_is_an_operation_until_it_ends(self) -> None:
        with local_aws(delays={"node": 60}) as aws:
            site = build_site()
            site.create(site.group("workers", 2))
            aws.clock.advance(61)
            entry = self.check()
            (found,) = operations(Type="DeepHealthCheck")
            assert (found["Status"], operations(Type="Scaling")) == ("InProgress", [])
            assert described(found)["DeepHealthCheckDetails"] == [entry]
            aws.clock.advance(61)
            assert operations()[0]["Status"] == "Done"


@pytest.mark.parametrize("name", ["train", "absent"])
def test_unknown_operation_is_not_found(site: Site, name: str) -> None:
    site.create(site.group("workers", 1))
    code, _ = refusal(
        client("sagemaker").describe_cluster_operation,
        ClusterName=name,
        OperationId="00000000-0000-0000-0000-000000000000",
    )
    assert code == "ResourceNotFound"
