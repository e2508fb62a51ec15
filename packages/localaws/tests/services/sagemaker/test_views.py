"""Tests of services.sagemaker.views."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import (
    Site,
    client,
    group_of,
)

ROLLING = {
    "RollingUpdatePolicy": {
        "MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1},
        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENTAGE", "Value": 50},
    },
    "WaitIntervalInSeconds": 30,
}


GROUP_MEMBERS: dict[str, Any] = {
    "ThreadsPerCore": 2,
    "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
    "OnStartDeepHealthChecks": ["InstanceStress"],
    "ScheduledUpdateConfig": {"ScheduleExpression": "cron(0 0 * * ? *)"},
    "ImageId": "ami-0123456789abcdef0",
    "ImageReleaseVersion": "1.2.3",
    "MinInstanceCount": 1,
    "CapacityRequirements": {"Spot": {}},
    "NetworkInterface": {"InterfaceType": "efa-only"},
    "AutoPatchConfig": {
        "PatchingStrategy": "DrainFirst",
        "DrainPolicy": {"DrainTimeoutInSeconds": 60, "OnDrainTimeout": "Force"},
        "DeploymentConfig": ROLLING,
    },
}


@pytest.mark.parametrize("member", sorted(GROUP_MEMBERS))
def test_member_of_a_group_is_described(site: Site, member: str) -> None:
    """The requested value, under its name or the answer's name."""
    wanted = GROUP_MEMBERS[member]
    bare = site.create(site.group("workers", 1), name="bare")
    full = site.create(site.group("workers", 1, **{member: wanted}), name="full")
    before, after = (dict(group_of(c, "workers")) for c in (bare, full))
    assert before != after
    shown = {
        "ImageId": "DesiredImageId",
        "ImageReleaseVersion": "DesiredImageReleaseVersion",
        "MinInstanceCount": "MinCount",
    }.get(member, member)
    if member == "AutoPatchConfig":
        assert after[member]["PatchingStrategy"] == "DrainFirst"
        assert after[member]["DrainPolicy"] == wanted["DrainPolicy"]
    else:
        assert after[shown] == wanted


def test_every_member_of_a_group_is_tested() -> None:
    """A member that a newer model adds must be listed here."""
    model = client("sagemaker").meta.service_model
    members = set(model.shape_for("ClusterInstanceGroupSpecification").members)
    elsewhere = {
        "InstanceCount",  # test_clusters
        "InstanceGroupName",
        "InstanceType",
        "InstanceRequirements",
        "LifeCycleConfig",
        "ExecutionRole",
        "OverrideVpcConfig",
        "SlurmConfig",
        "TrainingPlanArn",  # test_plans
        "KubernetesConfig",  # test_orchestrator
    }
    assert members == set(GROUP_MEMBERS) | elsewhere
