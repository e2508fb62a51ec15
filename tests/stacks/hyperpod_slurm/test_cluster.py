"""The HyperPod cluster: every property of the spec, in one mode or the other, never a mixture."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stacks.templates import cluster_of, deployed_file, group_of, text_of
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Assembly, Build

WITH_FILE_SYSTEMS = changed(
    MINIMAL,
    storage={
        "lustre": [{"capacity_gib": 2400, "throughput_mbps_per_tib": 250}],
        "home": {"kind": "openzfs", "capacity_gib": 64},
    },
)


def storage(assembly: Assembly, group: str) -> list[str]:
    """What each entry of InstanceStorageConfigs is, in order."""
    return [
        next(iter(entry)) for entry in group_of(assembly, group).get("InstanceStorageConfigs", [])
    ]


def test_groups_have_valid_names_and_counts(build: Build) -> None:
    workers = group_of(build(FULL), "workers")
    assert workers["InstanceType"] == "ml.p5.48xlarge"
    assert workers["InstanceCount"] == 8
    assert workers["MinInstanceCount"] == 6
    assert workers["ThreadsPerCore"] == 1
    assert workers["NetworkInterface"] == {"InterfaceType": "efa-only"}
    assert "MinInstanceCount" not in group_of(build(MINIMAL), "workers")


def test_capacity_kinds_are_set(build: Build) -> None:
    assert group_of(build(FULL), "workers")["TrainingPlanArn"].endswith("training-plan/tests")
    assert "CapacityRequirements" not in group_of(build(FULL), "workers")
    assert group_of(build(FULL), "spot")["CapacityRequirements"] == {"Spot": {}}
    assert group_of(build(FULL), "controller")["CapacityRequirements"] == {"OnDemand": {}}


def test_managed_mode_configures_slurm_through_hyperpod(build: Build) -> None:
    assembly = build(FULL)
    cluster = cluster_of(assembly)
    assert "AccountingDatabase" in cluster["Orchestrator"]["Slurm"]
    assert {g["InstanceGroupName"]: g["SlurmConfig"] for g in cluster["InstanceGroups"]} == {
        "controller": {"NodeType": "Controller"},
        "login": {"NodeType": "Login"},
        "workers": {"NodeType": "Compute", "PartitionNames": ["training"]},
        "spot": {"NodeType": "Compute", "PartitionNames": ["spot"]},
    }
    for group in cluster["InstanceGroups"]:
        assert group["LifeCycleConfig"]["OnInitComplete"] == "on_init_complete.sh"
        assert "OnCreate" not in group["LifeCycleConfig"]


def test_scripted_mode_configures_slurm_through_scripts(build: Build) -> None:
    assembly = build(
        changed(
            WITH_FILE_SYSTEMS, slurm={"configuration": "scripted", "accounting": {"kind": "none"}}
        )
    )
    cluster = cluster_of(assembly)
    assert "Orchestrator" not in cluster
    for group in cluster["InstanceGroups"]:
        assert group["LifeCycleConfig"]["OnCreate"] == "on_create.sh"
        assert "OnInitComplete" not in group["LifeCycleConfig"]
        assert "SlurmConfig" not in group
        assert not set(storage(assembly, group["InstanceGroupName"])) & {
            "FsxLustreConfig",
            "FsxOpenZfsConfig",
        }


def test_strategy_is_set_where_supported(build: Build) -> None:
    at_once = changed(MINIMAL, resilience={"node_provisioning": "all-at-once"})
    assert cluster_of(build(at_once))["Orchestrator"]["Slurm"] == {
        "SlurmConfigStrategy": "Managed"
    }
    # With continuous provisioning, the default, any strategy is an error of the API.
    assert cluster_of(build(MINIMAL))["Orchestrator"]["Slurm"] == {}


def test_file_systems_are_instance_storage_with_their_paths(build: Build) -> None:
    assembly = build(WITH_FILE_SYSTEMS)
    assert storage(assembly, "workers") == [
        "EbsVolumeConfig",
        "FsxOpenZfsConfig",
        "FsxLustreConfig",
    ]
    _, home, lustre = group_of(assembly, "workers")["InstanceStorageConfigs"]
    assert home["FsxOpenZfsConfig"]["MountPath"] == "/home"
    assert lustre["FsxLustreConfig"]["MountPath"] == "/fsx"
    assert "DNSName" in lustre["FsxLustreConfig"]["DnsName"]["Fn::ImportValue"]
    assert "LustreMountName" in lustre["FsxLustreConfig"]["MountName"]["Fn::ImportValue"]


def test_group_has_at_most_four_storage_entries(build: Build) -> None:
    assembly = build(FULL)
    assert storage(assembly, "controller") == [
        "EbsVolumeConfig",
        "EbsVolumeConfig",
        "FsxOpenZfsConfig",
        "FsxLustreConfig",
    ]
    # The same file systems on every group: a group without a volume has an entry less.
    assert storage(assembly, "workers") == [
        "EbsVolumeConfig",
        "FsxOpenZfsConfig",
        "FsxLustreConfig",
    ]
    # The node program is told which ones are its own to mount.
    told = deployed_file(assembly, "cluster.json")["lustre"]
    assert {entry["name"]: entry["by_platform"] for entry in told} == {
        "fsx": True,
        "archive": False,
        "lake": False,
    }
    assert not any(entry["existing"] for entry in told)


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


@pytest.mark.parametrize(("spec", "api"), [("automatic", "Automatic"), ("none", "None")])
def test_node_recovery_is_set(build: Build, spec: str, api: str) -> None:
    assembly = build(changed(MINIMAL, resilience={"node_recovery": spec}))
    assert cluster_of(assembly)["NodeRecovery"] == api


@pytest.mark.parametrize(
    ("pin", "expected"),
    [
        ({"image_id": "ami-0123456789abcdef0"}, {"ImageId": "ami-0123456789abcdef0"}),
        ({"release_version": "1.2.3"}, {"ImageReleaseVersion": "1.2.3"}),
        ({}, {}),
    ],
)
def test_image_of_the_spec_is_set_on_every_group(
    build: Build, pin: dict[str, str], expected: dict[str, str]
) -> None:
    for group in cluster_of(build(changed(MINIMAL, image=pin)))["InstanceGroups"]:
        pinned = {k: v for k, v in group.items() if k in ("ImageId", "ImageReleaseVersion")}
        assert pinned == expected


@pytest.mark.parametrize(
    ("spec", "api"), [("when-idle", "WhenIdle"), ("when-all-idle", "WhenAllIdle")]
)
def test_patch_schedule_is_set(build: Build, spec: str, api: str) -> None:
    assembly = build(changed(MINIMAL, image={"auto_patch": {"strategy": spec}}))
    for group in cluster_of(assembly)["InstanceGroups"]:
        assert group["AutoPatchConfig"] == {"PatchingStrategy": api}
    for group in cluster_of(build(MINIMAL))["InstanceGroups"]:
        assert "AutoPatchConfig" not in group


def test_tags_are_set_on_the_cluster(build: Build) -> None:
    tags = {t["Key"]: t["Value"] for t in cluster_of(build(FULL))["Tags"]}
    assert tags == {
        "clusterwright:environment": "test",
        "cost-centre": "4711",
        "owner": "research",
    }


def test_nodes_have_every_node_subnet_and_group(build: Build) -> None:
    vpc = cluster_of(build(MINIMAL))["VpcConfig"]
    assert len(vpc["Subnets"]) == 1
    assert len(vpc["SecurityGroupIds"]) == 1


def test_cluster_is_deployed_after_its_dependencies(build: Build) -> None:
    assembly = build(FULL)
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    assert set(artifacts["test-cluster"]["dependencies"]) >= {
        "test-identity",
        "test-network",
        "test-storage",
        "test-accounting",
        "test-lifecycle",
        "test-observability",
    }
    resource = assembly.templates["test-cluster"]["Resources"]["Cluster"]
    assert any("NodeRights" in name for name in resource["DependsOn"])


def test_stacks_are_named_environment_and_part(build: Build) -> None:
    assert set(build(FULL).templates) == {
        "test-identity",
        "test-network",
        "test-storage",
        "test-accounting",
        "test-lifecycle",
        "test-observability",
        "test-cluster",
    }


def test_account_and_region_are_explicit(build: Build) -> None:
    artifacts = json.loads((build(FULL).directory / "manifest.json").read_text())["artifacts"]
    places = {
        a["environment"] for a in artifacts.values() if a["type"] == "aws:cloudformation:stack"
    }
    assert places == {"aws://111122223333/us-east-1"}


def outputs(assembly: Assembly) -> dict[str, Any]:
    return {
        name: output["Value"]
        for name, output in assembly.templates["test-cluster"]["Outputs"].items()
    }


def test_outputs_match_the_contract(build: Build) -> None:
    found = outputs(build(FULL))
    assert found["ClusterName"] == "test"
    assert found["ClusterArn"] == {"Fn::GetAtt": ["Cluster", "ClusterArn"]}
    assert found["ListNodesCommand"] == (
        "aws sagemaker list-cluster-nodes --cluster-name test --region us-east-1"
    )
    assert "DNSName" in found["LustreDnsName"]["Fn::ImportValue"]
    assert "LustreMountName" in found["LustreMountName"]["Fn::ImportValue"]
    assert {"LustreDnsName2", "LustreMountName2", "LustreDnsName3"} <= set(found)


def test_login_command_has_a_placeholder_for_the_instance(build: Build) -> None:
    text = text_of(outputs(build(FULL))["SsmLoginCommand"])
    assert "aws ssm start-session --target sagemaker-cluster:" in text
    assert "_login-<instance-id> --region us-east-1" in text
    assert "_controller-<instance-id>" in text_of(outputs(build(MINIMAL))["SsmLoginCommand"])


def test_no_login_command_without_session_manager(build: Build) -> None:
    assembly = build(changed(MINIMAL, identity={"session_manager": False}))
    assert "SsmLoginCommand" not in outputs(assembly)
