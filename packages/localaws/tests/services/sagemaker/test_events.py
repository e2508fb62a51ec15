"""Tests of services.sagemaker.events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    nodes,
    refusal,
)

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


def workers() -> list[dict[str, Any]]:
    return nodes(InstanceGroupNameContains="workers")


class TestEvents:
    def events(self, **filters: Any) -> list[dict[str, Any]]:
        pages = client("sagemaker").get_paginator("list_cluster_events")
        return [
            event
            for page in pages.paginate(ClusterName="train", **filters)
            for event in page["Events"]
        ]

    def test_failure_is_listed_in_the_events(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 1}]):
            site = build_site()
            site.create(site.group("workers", 2), **CONTINUOUS)
            failed = [e for e in self.events() if e["EventLevel"] == "Error"]
            assert failed[0]["Description"] == (
                "Failed to provision EC2 Instance in Cluster train and IG workers"
            )
            detail = client("sagemaker").describe_cluster_event(
                ClusterName="train", EventId=failed[0]["EventId"]
            )["EventDetails"]
            metadata = detail["EventDetails"]["EventMetadata"]
            assert "sufficient capacity" in metadata["InstanceGroup"]["FailureMessage"]

    def test_events_are_filtered_sorted_and_paginated(self, site: Site) -> None:
        site.create(site.group("workers", 150, "ml.c6i.4xlarge"), **CONTINUOUS)
        assert len(self.events(ResourceType="Instance")) == 151
        cluster = self.events(ResourceType="Cluster", SortOrder="Ascending")
        assert [event["Description"] for event in cluster] == [
            "Cluster train creation started successfully",
            "Cluster train creation completed successfully",
        ]
        node = workers()[0]["InstanceId"]
        assert {e["InstanceId"] for e in self.events(NodeId=node)} == {node}
        later = datetime.now(UTC) + timedelta(hours=1)
        assert self.events(EventTimeAfter=later) == []
        assert len(self.events(EventTimeBefore=later)) >= 153

    def test_clusters_without_continuous_provisioning_have_no_events(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, _ = refusal(client("sagemaker").list_cluster_events, ClusterName="train")
        assert code == "ValidationException"

    def test_unknown_event_is_not_found(self, site: Site) -> None:
        site.create(site.group("workers", 1), **CONTINUOUS)
        code, _ = refusal(
            client("sagemaker").describe_cluster_event,
            ClusterName="train",
            EventId="00000000-0000-0000-0000-000000000000",
        )
        assert code == "ResourceNotFound"
