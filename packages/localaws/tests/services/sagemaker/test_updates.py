"""Tests of services.sagemaker.updates."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    LIFECYCLE,
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
    refusal,
)

P5_NODES_NEED = 32


class TestUpdate:
    def update(self, **parameters: Any) -> dict[str, Any]:
        client("sagemaker").update_cluster(ClusterName="train", **parameters)
        return describe()

    def test_count_changes_add_and_remove_nodes(self, site: Site) -> None:
        site.create(site.group("workers", 4))
        first = {node["InstanceId"] for node in nodes()}
        self.update(InstanceGroups=[site.group("workers", 6)])
        more = {node["InstanceId"] for node in nodes()}
        assert len(more) == 7
        assert first < more
        self.update(InstanceGroups=[site.group("workers", 2)])
        fewer = {node["InstanceId"] for node in nodes()}
        assert len(fewer) == 3
        assert fewer < first

    def test_groups_are_added_and_removed(self, site: Site) -> None:
        before = site.free_addresses()
        site.create(site.group("workers", 2))
        cluster = self.update(
            InstanceGroups=[site.group("others", 1)], InstanceGroupsToDelete=["workers"]
        )
        assert [g["InstanceGroupName"] for g in cluster["InstanceGroups"]] == [
            "controller",
            "others",
        ]
        assert site.free_addresses() == before - P5_NODES_NEED - 1

    def test_omitted_group_is_kept(self, site: Site) -> None:
        site.create(site.group("workers", 2))
        cluster = self.update(NodeRecovery="None")
        assert cluster["NodeRecovery"] == "None"
        assert group_of(cluster, "workers")["TargetCount"] == 2

    def test_growth_beyond_the_quota_is_refused(self) -> None:
        with local_aws(quotas={"sagemaker/L-8762A75F": 4}):
            site = build_site()
            site.create(site.group("workers", 3))
            code, message = refusal(
                client("sagemaker").update_cluster,
                ClusterName="train",
                InstanceGroups=[site.group("workers", 5)],
            )
            assert code == "ResourceLimitExceeded"
            assert "current utilization of 3 Instances and a request delta of 2" in message
            assert group_of(describe(), "workers")["TargetCount"] == 3

    def test_growth_without_capacity_rolls_back(self) -> None:
        with local_aws():
            site = build_site(cidr="10.0.0.0/24")
            site.create(site.group("workers", 4))
            free = site.free_addresses()
            cluster = self.update(InstanceGroups=[site.group("workers", 8)])
            assert cluster["ClusterStatus"] == "InService"
            assert "free IP addresses" in cluster["FailureMessage"]
            assert group_of(cluster, "workers")["TargetCount"] == 4
            assert len(nodes()) == 5
            assert site.free_addresses() == free

    def test_the_slurm_configuration_is_kept(self, site: Site) -> None:
        site.create(site.group("workers", 2))
        bare = site.group("workers", 3, SlurmConfig=None)
        cluster = self.update(InstanceGroups=[bare])
        assert group_of(cluster, "workers")["SlurmConfig"] == {"NodeType": "Compute"}

    def test_capacity_type_cannot_change(self, site: Site) -> None:
        bought = {"CapacityRequirements": {"OnDemand": {}}}
        site.create(site.group("workers", 1, **bought))
        changed = site.group("workers", 1, CapacityRequirements={"Spot": {}})
        code, message = refusal(
            client("sagemaker").update_cluster, ClusterName="train", InstanceGroups=[changed]
        )
        assert code == "ValidationException"
        assert "CapacityRequirements of instance group workers cannot be changed" in message
        more = site.group("workers", 2, **bought)
        assert group_of(self.update(InstanceGroups=[more]), "workers")["TargetCount"] == 2

    def test_a_failed_cluster_cannot_be_updated(self, site: Site) -> None:
        missing = {"SourceS3Uri": LIFECYCLE, "OnCreate": "absent.sh"}
        site.create(site.group("workers", 1, LifeCycleConfig=missing))
        assert (
            refusal(
                client("sagemaker").update_cluster,
                ClusterName="train",
                InstanceGroups=[site.group("workers", 1)],
            )[0]
            == "ConflictException"
        )

    def test_the_controller_cannot_be_deleted(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, _ = refusal(
            client("sagemaker").update_cluster,
            ClusterName="train",
            InstanceGroupsToDelete=["controller"],
        )
        assert code == "ValidationException"
        assert len(nodes()) == 2

    def test_changed_type_replaces_the_nodes(self, site: Site) -> None:
        site.create(site.group("workers", 2))
        before = {node["InstanceId"] for node in nodes()}
        self.update(InstanceGroups=[site.group("workers", 2, "ml.p4d.24xlarge")])
        after = nodes(InstanceGroupNameContains="workers")
        assert {node["InstanceType"] for node in after} == {"ml.p4d.24xlarge"}
        assert before.isdisjoint({node["InstanceId"] for node in after})
