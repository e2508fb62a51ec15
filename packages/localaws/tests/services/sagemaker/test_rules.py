"""Tests of services.sagemaker.rules."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    LIFECYCLE,
    Site,
    build_site,
    client,
    refusal,
)


def refused(site: Site, *groups: dict[str, Any], **more: Any) -> tuple[str, str]:
    return refusal(client("sagemaker").create_cluster, **site.request(*groups, **more))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"Orchestrator": {"Slurm": {}, "Eks": {"ClusterArn": "a" * 20}}},
            "exactly one orchestrator configuration",
        ),
        (
            {
                "Orchestrator": {
                    "Slurm": {
                        "AccountingDatabase": {
                            "Endpoint": "db.example",
                            "SecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:x",
                        }
                    }
                }
            },
            "AccountingDatabase is only supported for clusters using Continuous",
        ),
        (
            {
                "NodeProvisioningMode": "Continuous",
                "Orchestrator": {"Slurm": {"SlurmConfigStrategy": "Managed"}},
            },
            "SlurmConfigStrategy is not supported for clusters using Continuous",
        ),
    ],
)
def test_contradictory_clusters_are_refused(
    site: Site, change: dict[str, Any], message: str
) -> None:
    request = {**site.request(site.group("workers", 1)), **change}
    if "Eks" in request["Orchestrator"]:
        request["Orchestrator"]["Eks"] = {
            "ClusterArn": "arn:aws:eks:us-east-1:123456789012:cluster/e"
        }
    code, text = refusal(client("sagemaker").create_cluster, **request)
    assert code == "ValidationException"
    assert message in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"MinInstanceCount": 3}, "MinInstanceCount 3 of instance group workers is greater"),
        (
            {"SlurmConfig": {"NodeType": "Controller"}},
            "2 Controller Groups found: SlurmConfig for InstanceGroups may only have one "
            "Controller Group.",
        ),
        (
            {"SlurmConfig": {"NodeType": "Login", "PartitionNames": ["p"]}},
            "Partitions can only be assigned to Compute node types",
        ),
        (
            {
                "LifeCycleConfig": {
                    "SourceS3Uri": LIFECYCLE,
                    "OnCreate": "on_create.sh",
                    "OnInitComplete": "on_create.sh",
                }
            },
            "mutually exclusive",
        ),
        (
            {"InstanceStorageConfigs": [{"EbsVolumeConfig": {"RootVolume": True}}]},
            "VolumeKmsKeyId is required for the root volume",
        ),
        (
            {
                "InstanceStorageConfigs": [
                    {"EbsVolumeConfig": {"RootVolume": True, "VolumeSizeInGB": 100}}
                ]
            },
            "VolumeSizeInGB cannot be specified for the root volume",
        ),
        (
            {"InstanceStorageConfigs": [{"EbsVolumeConfig": {}}]},
            "VolumeSizeInGB is required",
        ),
        ({"ExecutionRole": "arn:aws:iam::123456789012:role/absent"}, "Could not assume role"),
        ({"InstanceType": None}, "exactly one of InstanceType and InstanceRequirements"),
        ({"InstanceType": "ml.trn2.48xlarge"}, "is not available in the Availability Zones"),
        ({"InstanceGroupName": "controller"}, "InstanceGroupName must be unique: controller"),
    ],
)
def test_contradictory_groups_are_refused(
    site: Site, change: dict[str, Any], message: str
) -> None:
    group = {**site.group("workers", 2), **change}
    group = {key: value for key, value in group.items() if value is not None}
    code, text = refused(site, group)
    assert code == "ValidationException"
    assert message in text


class TestQuotas:
    def test_instance_type_quota_is_enforced(self) -> None:
        with local_aws(quotas={"sagemaker/L-8762A75F": 8}):
            site = build_site()
            code, message = refused(site, site.group("workers", 64))
            assert code == "ResourceLimitExceeded"
            assert message.startswith(
                "The account-level service limit 'ml.p5.48xlarge for cluster usage' is 8 "
                "Instances, with current utilization of 0 Instances and a request delta of 64 "
                "Instances."
            )
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []

    def test_existing_usage_counts_against_the_quota(self) -> None:
        with local_aws(quotas={"sagemaker/L-8762A75F": 8}, usage={"sagemaker/L-8762A75F": 3}):
            site = build_site()
            site.create(site.group("workers", 3))
            code, message = refused(site, site.group("workers", 3), name="second")
            assert code == "ResourceLimitExceeded"
            assert "current utilization of 6 Instances and a request delta of 3" in message
            site.create(site.group("workers", 2), name="third")

    def test_spot_has_its_own_quota(self) -> None:
        with local_aws("new-account", quotas={"sagemaker/L-8762A75F": 8}):
            site = build_site()
            spot = {"CapacityRequirements": {"Spot": {}}}
            code, message = refused(site, site.group("workers", 1, **spot))
            assert code == "ResourceLimitExceeded"
            assert "for cluster spot instance usage" in message

    def test_instances_per_cluster_are_limited(self) -> None:
        with local_aws(quotas={"sagemaker/L-2CE978FC": 20}):
            site = build_site()
            assert (
                "allowed per SageMaker HyperPod cluster' is 20"
                in refused(site, site.group("workers", 20))[1]
            )
            assert site.create(site.group("workers", 19))["ClusterStatus"] == "InService"

    def test_volume_size_is_validated(self) -> None:
        with local_aws(quotas={"sagemaker/L-E13DF72A": 100}):
            site = build_site()
            volume = {"InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 101}}]}
            assert refused(site, site.group("workers", 1, **volume))[0] == "ResourceLimitExceeded"

    def test_new_account_has_no_accelerator_quota(self) -> None:
        with local_aws("new-account"):
            site = build_site()
            assert refused(site, site.group("workers", 1))[0] == "ResourceLimitExceeded"
