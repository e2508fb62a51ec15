"""Tests of lustre."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stacks.storage.queries import lustre, one
from tests.stacks.templates import properties
from tests.support.rich_specs import FULL
from tests.support.synthesis import Build


def test_efa_file_system_has_metadata_servers(build: Build) -> None:
    properties_ = one(
        build,
        capacity_gib=9600,
        throughput_mbps_per_tib=500,
        efa=True,
        metadata={"mode": "provisioned", "iops": 12000},
    )
    configuration = properties_["LustreConfiguration"]
    assert properties_["StorageCapacity"] == 9600
    assert configuration["EfaEnabled"] is True
    assert configuration["PerUnitStorageThroughput"] == 500
    assert configuration["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 12000}
    assert configuration["DeploymentType"] == "PERSISTENT_2"


def test_efa_adds_the_required_metadata_configuration(build: Build) -> None:
    found = one(build, capacity_gib=9600, throughput_mbps_per_tib=500, efa=True)
    assert found["LustreConfiguration"]["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}


def test_scratch_has_no_persistent_properties(build: Build) -> None:
    found = one(build, deployment_type="SCRATCH_2", capacity_gib=1200)
    assert "KmsKeyId" not in found
    assert not found["LustreConfiguration"].keys() & {
        "EfaEnabled",
        "MetadataConfiguration",
        "PerUnitStorageThroughput",
        "AutomaticBackupRetentionDays",
        "DriveCacheType",
    }


def test_hdd_file_systems_state_their_cache(build: Build) -> None:
    for cache, word in ((True, "READ"), (False, "NONE")):
        found = one(
            build,
            deployment_type="PERSISTENT_1",
            storage_type="HDD",
            capacity_gib=6000,
            throughput_mbps_per_tib=12,
            hdd_read_cache=cache,
        )
        assert found["StorageType"] == "HDD"
        assert found["LustreConfiguration"]["DriveCacheType"] == word


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        (None, {"SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}),
        ({"mode": "none"}, {"SizingMode": "NO_CACHE"}),
        (
            {"mode": "provisioned", "capacity_gib": 4000},
            {"SizingMode": "USER_PROVISIONED", "SizeGiB": 4000},
        ),
    ],
)
def test_intelligent_tiering_has_throughput_and_a_cache_but_no_capacity(
    build: Build, cache: dict[str, Any] | None, expected: dict[str, Any]
) -> None:
    spec: dict[str, Any] = {"storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 8000}
    if cache is not None:
        spec["read_cache"] = cache
    found = one(build, **spec)
    assert "StorageCapacity" not in found
    assert found["StorageType"] == "INTELLIGENT_TIERING"
    assert found["LustreConfiguration"]["ThroughputCapacity"] == 8000
    assert found["LustreConfiguration"]["DataReadCacheConfiguration"] == expected


def test_other_settings_are_passed_to_the_file_system(build: Build) -> None:
    found = one(
        build,
        capacity_gib=2400,
        throughput_mbps_per_tib=250,
        compression="none",
        version="2.12",
        maintenance_window="3:01:30",
        backup_retention_days=5,
    )
    configuration = found["LustreConfiguration"]
    assert found["FileSystemTypeVersion"] == "2.12"
    assert configuration["DataCompressionType"] == "NONE"
    assert configuration["WeeklyMaintenanceStartTime"] == "3:01:30"
    assert configuration["AutomaticBackupRetentionDays"] == 5
    assert configuration["CopyTagsToBackups"] is True


def test_file_systems_are_in_one_subnet_of_the_training_zone(build: Build) -> None:
    assembly = build(FULL)
    for found in properties(assembly, "AWS::FSx::FileSystem"):
        (subnet,) = found["SubnetIds"]
        assert "NodesSubnet" in subnet["Fn::ImportValue"]
        assert len(found["SecurityGroupIds"]) == 1


def test_associations_have_events_and_depend_on_the_bucket(build: Build) -> None:
    assembly = build(FULL)
    resources = assembly.resources("AWS::FSx::DataRepositoryAssociation")
    by_path = {r["Properties"]["FileSystemPath"]: r for r in resources.values()}
    data, checkpoints = by_path["/data"], by_path["/checkpoints"]
    assert data["Properties"]["DataRepositoryPath"] == "s3://test-corpus/tokens"
    assert data["Properties"]["S3"] == {
        "AutoImportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}
    }
    assert checkpoints["Properties"]["S3"] == {"AutoExportPolicy": {"Events": ["NEW", "CHANGED"]}}
    assert data["Properties"]["BatchImportMetaDataOnCreate"] is True
    buckets = {
        name.split("/")[1]
        for name, bucket in assembly.resources("AWS::S3::Bucket").items()
        if bucket["Properties"]["BucketName"] == "test-checkpoints"
    }
    assert buckets <= set(checkpoints["DependsOn"])
    assert "DependsOn" not in data


def test_lustre_logs_repository_errors(build: Build) -> None:
    assembly = build(FULL)
    with_repositories, *others = lustre(assembly)
    log = with_repositories["LustreConfiguration"]["LogConfiguration"]
    assert log["Level"] == "WARN_ERROR"
    groups = [p["LogGroupName"] for p in properties(assembly, "AWS::Logs::LogGroup")]
    assert "/aws/fsx/test" in groups
    assert all("LogConfiguration" not in o["LustreConfiguration"] for o in others)
