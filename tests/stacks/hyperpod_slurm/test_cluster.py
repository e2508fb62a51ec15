"""The HyperPod cluster: every property of the spec, in one mode or the other."""

from __future__ import annotations

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
    """Type of each entry of InstanceStorageConfigs, in order."""
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
    # With continuous provisioning, the default, the API refuses any strategy.
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
    # The same file systems on every group: a group without a volume has one entry less.
    assert storage(assembly, "workers") == [
        "EbsVolumeConfig",
        "FsxOpenZfsConfig",
        "FsxLustreConfig",
    ]
    # The node program receives the file systems that it must mount.
    told = deployed_file(assembly, "cluster.json")["lustre"]
    assert {entry["name"]: entry["by_platform"] for entry in told} == {
        "fsx": True,
        "archive": False,
        "lake": False,
    }
    assert not any(entry["existing"] for entry in told)


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


def test_only_the_controller_has_the_group_that_opens_the_database(build: Build) -> None:
    """Also without a database: HyperPod cannot change OverrideVpcConfig of a group later."""
    for spec in (FULL, MINIMAL):
        assembly = build(spec)
        whole = cluster_of(assembly)["VpcConfig"]
        override = group_of(assembly, "controller")["OverrideVpcConfig"]
        assert override["Subnets"] == whole["Subnets"]
        (group,) = [g for g in override["SecurityGroupIds"] if g not in whole["SecurityGroupIds"]]
        assert "Controller" in text_of(group)
        for other in cluster_of(assembly)["InstanceGroups"]:
            if other["InstanceGroupName"] != "controller":
                assert "OverrideVpcConfig" not in other


def test_the_groups_of_an_existing_network_are_used_unchanged(build: Build) -> None:
    existing = {
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
    }
    spec = changed(MINIMAL, network={"availability_zone_id": "use1-az6", "existing": existing})
    assert "OverrideVpcConfig" not in group_of(build(spec), "controller")
