"""Properties of HyperPod's instance groups."""

from __future__ import annotations

import pytest

from tests.stacks.templates import cluster_of, group_of
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_capacity_kinds_are_set(build: Build) -> None:
    assert group_of(build(FULL), "workers")["TrainingPlanArn"].endswith("training-plan/tests")
    assert "CapacityRequirements" not in group_of(build(FULL), "workers")
    assert group_of(build(FULL), "spot")["CapacityRequirements"] == {"Spot": {}}
    assert group_of(build(FULL), "controller")["CapacityRequirements"] == {"OnDemand": {}}


def test_volumes_are_encrypted_with_the_cluster_key(build: Build) -> None:
    root, extra, *_ = group_of(build(FULL), "controller")["InstanceStorageConfigs"]
    assert root["EbsVolumeConfig"]["RootVolume"] is True
    assert "VolumeSizeInGB" not in root["EbsVolumeConfig"]
    assert extra["EbsVolumeConfig"]["VolumeSizeInGB"] == 500
    for entry in (root, extra):
        assert "Key" in entry["EbsVolumeConfig"]["VolumeKmsKeyId"]["Fn::ImportValue"]


def test_volume_key_requires_continuous_provisioning(build: Build) -> None:
    spec = changed(
        MINIMAL,
        resilience={"node_provisioning": "all-at-once"},
        compute__1__ebs={"capacity_gib": 200},
    )
    assembly = build(spec)
    assert "NodeProvisioningMode" not in cluster_of(assembly)
    assert group_of(assembly, "workers")["InstanceStorageConfigs"] == [
        {"EbsVolumeConfig": {"VolumeSizeInGB": 200}}
    ]
    assert "InstanceStorageConfigs" not in group_of(assembly, "controller")


def test_deep_health_checks_are_for_accelerated_groups(build: Build) -> None:
    assembly = build(changed(FULL, compute__3__instance_type="m5.4xlarge"))
    checks = ["InstanceStress", "InstanceConnectivity"]
    assert group_of(assembly, "workers")["OnStartDeepHealthChecks"] == checks
    for name in ("controller", "login", "spot"):
        assert "OnStartDeepHealthChecks" not in group_of(assembly, name)


@pytest.mark.parametrize(
    ("spec", "api"), [("when-idle", "WhenIdle"), ("when-all-idle", "WhenAllIdle")]
)
def test_patch_schedule_is_set(build: Build, spec: str, api: str) -> None:
    assembly = build(changed(MINIMAL, image={"auto_patch": {"strategy": spec}}))
    for group in cluster_of(assembly)["InstanceGroups"]:
        assert group["AutoPatchConfig"] == {"PatchingStrategy": api}
    for group in cluster_of(build(MINIMAL))["InstanceGroups"]:
        assert "AutoPatchConfig" not in group
