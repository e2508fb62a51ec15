"""Tests of services.sagemaker.provision."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
    refusal,
)

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


class TestAwaitedNodes:
    def test_pending_nodes_have_logical_ids(self) -> None:
        capacity = [{"instance_type": "p5.48xlarge", "available": 2}]
        with local_aws(capacity=capacity) as runtime:
            site = build_site()
            site.create(site.group("workers", 1), **CONTINUOUS)
            sagemaker = client("sagemaker")
            added = sagemaker.batch_add_cluster_nodes(
                ClusterName="train",
                NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 3}],
            )["Successful"]
            assert len(added) == 3
            waiting = [item["NodeLogicalId"] for item in added if item["Status"] == "Pending"]
            assert len(waiting) == 2
            assert len(nodes(InstanceGroupNameContains="workers")) == 2
            shown = nodes(InstanceGroupNameContains="workers", IncludeNodeLogicalIds=True)
            assert {entry["NodeLogicalId"] for entry in shown[2:]} == set(waiting)
            details = sagemaker.describe_cluster_node(
                ClusterName="train", NodeLogicalId=waiting[0]
            )["NodeDetails"]
            assert details["InstanceStatus"]["Status"] == "Pending"
            assert "InstanceId" not in details
            sagemaker.batch_delete_cluster_nodes(ClusterName="train", NodeLogicalIds=[waiting[0]])
            assert group_of(describe(), "workers")["TargetCount"] == 3
            assert refusal(
                sagemaker.describe_cluster_node,
                ClusterName="train",
                NodeLogicalId=waiting[0],
            )[0] == ("ResourceNotFound")
            # A deleted node frees capacity for a waiting node, which keeps its logical id.
            first = nodes(InstanceGroupNameContains="workers")[0]["InstanceId"]
            sagemaker.batch_delete_cluster_nodes(ClusterName="train", NodeIds=[first])
            runtime.clock.advance(31)
            come = {n["NodeLogicalId"] for n in nodes(InstanceGroupNameContains="workers")}
            assert waiting[1] in come

    def test_zones_and_types_filter_offerings(self, site: Site) -> None:
        site.create(site.group("workers", 1), **CONTINUOUS)
        narrowed = {
            "AvailabilityZones": ["us-east-1a"],
            "InstanceTypes": ["ml.p5.48xlarge"],
        }
        answer = client("sagemaker").batch_add_cluster_nodes(
            ClusterName="train",
            NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 1, **narrowed}],
        )
        (found,) = answer["Successful"]
        assert {name: found[name] for name in narrowed} == narrowed
