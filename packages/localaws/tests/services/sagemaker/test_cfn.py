"""AWS::SageMaker::Cluster in stacks: what the API refuses, the stack refuses."""

from __future__ import annotations

import time
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    deploy,
    describe,
    destroy,
    failure,
    group_of,
    nodes,
    outputs,
    physical_id,
    refusal,
)
from packages.localaws.tests.sagemaker_templates import cluster

P5 = "sagemaker/L-8762A75F"


class TestCreate:
    def test_cluster_is_created_with_its_nodes(self, site: Site) -> None:
        exports = {
            "Arn": {"Value": {"Fn::GetAtt": ["Cluster", "ClusterArn"]}},
            "Ref": {"Value": {"Ref": "Cluster"}},
            "Status": {"Value": {"Fn::GetAtt": ["Cluster", "ClusterStatus"]}},
        }
        stack = deploy("s", cluster(site, site.group("gpu", 4)), Outputs=exports)
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        found = describe()
        assert outputs(stack) == {
            "Arn": found["ClusterArn"],
            "Ref": found["ClusterArn"],
            "Status": "InService",
        }
        assert len(nodes()) == 5

    def test_default_name_is_derived_from_the_stack(self, site: Site) -> None:
        deploy("training", cluster(site, site.group("gpu", 1), name=None))
        (found,) = client("sagemaker").list_clusters()["ClusterSummaries"]
        assert found["ClusterName"].startswith("training-Cluster-")

    def test_cluster_has_the_tags_of_its_resource(self, site: Site) -> None:
        tags = [{"Key": "team", "Value": "vision"}]
        deploy("s", cluster(site, site.group("gpu", 1), Tags=tags))
        found = client("sagemaker").list_tags(ResourceArn=physical_id("s", "Cluster"))["Tags"]
        assert tags[0] in found

    def test_insufficient_quota_rolls_back(self) -> None:
        with local_aws(quotas={P5: 8}):
            site = build_site()
            free = site.free_addresses()
            stack = deploy("s", cluster(site, site.group("gpu", 64)))
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
            reason = failure("s", "Cluster")
            assert "'ml.p5.48xlarge for cluster usage' is 8 Instances" in reason
            assert "request delta of 64 Instances" in reason
            assert "ServiceLimitExceeded" in reason or "ResourceLimitExceeded" in reason
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
            assert site.free_addresses() == free

    def test_too_small_subnet_rolls_back(self) -> None:
        with local_aws("full-subnets"):
            site = build_site()
            stack = deploy("s", cluster(site, site.group("gpu", 2)))
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
            assert site.subnet_id in failure("s", "Cluster")
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []

    def test_expired_plan_rolls_back(self) -> None:
        plan = "arn:aws:sagemaker:us-east-1:123456789012:training-plan/prod-2027"
        with local_aws("expired-plan"):
            site = build_site()
            stack = deploy("s", cluster(site, site.group("gpu", 2, TrainingPlanArn=plan)))
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
            assert "prod-2027" in failure("s", "Cluster")

    def test_missing_scripts_roll_back(self, site: Site) -> None:
        missing = {"SourceS3Uri": "s3://sagemaker-lifecycle/base", "OnCreate": "other.sh"}
        stack = deploy("s", cluster(site, site.group("gpu", 2, LifeCycleConfig=missing)))
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert "ifecycle scripts did not run successfully" in failure("s", "Cluster")

    def test_fewer_nodes_than_the_minimum_fail_the_resource(self) -> None:
        scarce = [{"instance_type": "p5.48xlarge", "available": 3}]
        with local_aws(capacity=scarce):
            site = build_site()
            group = site.group("gpu", 8, MinInstanceCount=6)
            stack = deploy("s", cluster(site, group, NodeProvisioningMode="Continuous"))
            assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
            assert "gpu" in failure("s", "Cluster")
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []

    def test_the_stack_waits_for_the_cluster(self) -> None:
        with local_aws(delays={"cluster": 0.6, "node": 0.3}):
            site = build_site()
            started = time.monotonic()
            stack = deploy("s", cluster(site, site.group("gpu", 1)))
            assert stack["StackStatus"] == "CREATE_COMPLETE"
            assert time.monotonic() - started >= 0.6
            assert describe()["ClusterStatus"] == "InService"


class TestUpdate:
    def test_nodes_follow_the_instance_count(self, site: Site) -> None:
        deploy("s", cluster(site, site.group("gpu", 4)))
        before = {node["InstanceId"] for node in nodes()}
        deploy("s", cluster(site, site.group("gpu", 6)))
        grown = {node["InstanceId"] for node in nodes()}
        assert before < grown
        assert len(grown) == 7
        stack = deploy("s", cluster(site, site.group("gpu", 2)))
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        shrunk = {node["InstanceId"] for node in nodes()}
        assert len(shrunk) == 3
        assert shrunk < grown

    def test_group_is_added_and_another_is_deleted(self, site: Site) -> None:
        deploy("s", cluster(site, site.group("one", 1)))
        first = physical_id("s", "Cluster")
        deploy("s", cluster(site, site.group("two", 2)))
        assert physical_id("s", "Cluster") == first
        assert {node["InstanceGroupName"] for node in nodes()} == {"controller", "two"}

    def test_refused_growth_rolls_back_to_the_former_count(self) -> None:
        with local_aws(quotas={P5: 4}):
            site = build_site()
            deploy("s", cluster(site, site.group("gpu", 4)))
            before = {node["InstanceId"] for node in nodes()}
            stack = deploy("s", cluster(site, site.group("gpu", 5)))
            assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
            assert "is 4 Instances" in failure("s", "Cluster")
            assert {node["InstanceId"] for node in nodes()} == before
            assert group_of(describe(), "gpu")["TargetCount"] == 4

    def test_changed_network_replaces_the_cluster(self, site: Site) -> None:
        other = client("ec2").create_security_group(
            GroupName="other", Description="other", VpcId=site.vpc_id
        )["GroupId"]
        deploy("s", cluster(site, site.group("gpu", 1), name="first"))
        old = physical_id("s", "Cluster")
        network = {"Subnets": [site.subnet_id], "SecurityGroupIds": [other]}
        deploy("s", cluster(site, site.group("gpu", 1), name="second", VpcConfig=network))
        new = physical_id("s", "Cluster")
        assert new != old
        (left,) = client("sagemaker").list_clusters()["ClusterSummaries"]
        assert left["ClusterArn"] == new

    def test_changed_tags_do_not_affect_nodes(self, site: Site) -> None:
        deploy("s", cluster(site, site.group("gpu", 1), Tags=[{"Key": "a", "Value": "1"}]))
        before = nodes()
        deploy("s", cluster(site, site.group("gpu", 1), Tags=[{"Key": "b", "Value": "2"}]))
        found = client("sagemaker").list_tags(ResourceArn=physical_id("s", "Cluster"))["Tags"]
        assert {t["Key"] for t in found if not t["Key"].startswith("aws:")} == {"b"}
        assert nodes() == before


class TestDelete:
    def test_cluster_nodes_and_addresses_are_deleted(self, site: Site) -> None:
        free = site.free_addresses()
        deploy("s", cluster(site, site.group("gpu", 4)))
        assert site.free_addresses() < free
        assert destroy("s")["StackStatus"] == "DELETE_COMPLETE"
        assert refusal(client("sagemaker").describe_cluster, ClusterName="train")[0] == (
            "ResourceNotFound"
        )
        assert site.free_addresses() == free

    def test_manually_deleted_resource_does_not_prevent_deletion(self, site: Site) -> None:
        deploy("s", cluster(site, site.group("gpu", 1)))
        client("sagemaker").delete_cluster(ClusterName="train")
        assert destroy("s")["StackStatus"] == "DELETE_COMPLETE"


class TestDrift:
    def detect(self) -> dict[str, Any]:
        cloudformation = client("cloudformation")
        started = cloudformation.detect_stack_drift(StackName="s")["StackDriftDetectionId"]
        found: dict[str, Any] = cloudformation.describe_stack_drift_detection_status(
            StackDriftDetectionId=started
        )
        return found

    @pytest.mark.parametrize("changed", [False, True])
    def test_manually_changed_count_is_drift(self, site: Site, changed: bool) -> None:
        deploy("s", cluster(site, site.group("gpu", 4)))
        if changed:
            client("sagemaker").update_cluster(
                ClusterName="train", InstanceGroups=[site.controller(), site.group("gpu", 3)]
            )
        assert self.detect()["StackDriftStatus"] == ("DRIFTED" if changed else "IN_SYNC")
