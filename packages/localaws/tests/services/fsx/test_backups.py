"""Backups, snapshots, states of volumes, and tasks of FSx."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_requests import create, find, lustre
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    deploy,
    destroy,
    open_lustre_ports,
    refusal,
)

KEPT = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
OPTION = "DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"


@pytest.fixture
def open_site(aws: Runtime) -> Site:
    site = build_site()
    open_lustre_ports(site)
    client("s3").create_bucket(Bucket="corpus")
    return site


def zfs(site: Site, **more: Any) -> dict[str, Any]:
    settings = {"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 64, **more}
    return create(
        {
            "FileSystemType": "OPENZFS",
            "StorageCapacity": 64,
            "SubnetIds": [site.subnet_id],
            "SecurityGroupIds": [site.group_id],
            "OpenZFSConfiguration": settings,
        }
    )


def settled(site: Site, **configuration: Any) -> str:
    name = str(create(lustre(site, 1200, **configuration))["FileSystemId"])
    assert find(name)["Lifecycle"] == "AVAILABLE"
    return name


def backups() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client("fsx").describe_backups()["Backups"]
    return found


class TestBackups:
    def test_backup_is_created_described_and_deleted(self, open_site: Site) -> None:
        fsx, name = client("fsx"), settled(open_site, **KEPT)
        tags = [{"Key": "a", "Value": "1"}]
        made = fsx.create_backup(FileSystemId=name, Tags=tags)["Backup"]
        assert (made["Lifecycle"], made["Type"], made["Tags"]) == (
            "CREATING",
            "USER_INITIATED",
            tags,
        )
        (found,) = backups()
        assert (found["Lifecycle"], found["ProgressPercent"]) == ("AVAILABLE", 100)
        assert found["FileSystem"]["FileSystemId"] == name
        for filters in ({"file-system-id": name}, {"file-system-type": "LUSTRE"}):
            ((key, value),) = filters.items()
            listed = fsx.describe_backups(Filters=[{"Name": key, "Values": [value]}])
            assert len(listed["Backups"]) == 1
        other = fsx.describe_backups(Filters=[{"Name": "file-system-type", "Values": ["OPENZFS"]}])
        assert other["Backups"] == []
        assert fsx.list_tags_for_resource(ResourceARN=found["ResourceARN"])["Tags"] == tags
        fsx.delete_file_system(FileSystemId=name)
        assert len(backups()) == 1
        gone = fsx.delete_backup(BackupId=found["BackupId"])
        assert gone["Lifecycle"] == "DELETED"
        assert refusal(fsx.describe_backups, BackupIds=[found["BackupId"]])[0] == "BackupNotFound"

    def test_unsupported_file_systems_cannot_be_backed_up(self, open_site: Site) -> None:
        fsx = client("fsx")
        scratch = settled(open_site, DeploymentType="SCRATCH_2")
        assert refusal(fsx.create_backup, FileSystemId=scratch)[0] == "UnsupportedOperation"
        linked = settled(open_site, **KEPT)
        fsx.create_data_repository_association(
            FileSystemId=linked, FileSystemPath="/d", DataRepositoryPath="s3://corpus"
        )
        assert refusal(fsx.create_backup, FileSystemId=linked)[0] == "UnsupportedOperation"
        assert refusal(fsx.create_backup, FileSystemId="fs-0000000000000000a")[0] == (
            "FileSystemNotFound"
        )

    def test_concurrent_backups_and_early_deletion_are_refused(self) -> None:
        with local_aws(delays={"backup": 60}) as runtime:
            site = build_site()
            open_lustre_ports(site)
            fsx, name = client("fsx"), settled(site, **KEPT)
            made = fsx.create_backup(FileSystemId=name)["Backup"]["BackupId"]
            assert refusal(fsx.create_backup, FileSystemId=name)[0] == "BackupInProgress"
            assert refusal(fsx.delete_backup, BackupId=made)[0] == "BackupInProgress"
            restored = {"BackupId": made, "SubnetIds": [site.subnet_id]}
            assert refusal(fsx.create_file_system_from_backup, **restored)[0] == "BadRequest"
            runtime.clock.advance(61)
            fsx.delete_backup(BackupId=made)

    def test_repeated_token_returns_the_same_backup(self, open_site: Site) -> None:
        fsx, name = client("fsx"), settled(open_site, **KEPT)
        ids = {
            fsx.create_backup(FileSystemId=name, ClientRequestToken="t")["Backup"]["BackupId"]
            for _ in range(2)
        }
        assert len(ids) == 1
        fsx.delete_backup(BackupId=ids.pop())
        again = fsx.create_backup(FileSystemId=name, ClientRequestToken="t")["Backup"]
        assert len(backups()) == 1
        assert again["Lifecycle"] == "CREATING"

    def test_openzfs_keeps_a_final_backup_by_default(self, open_site: Site) -> None:
        fsx = client("fsx")
        first, second = zfs(open_site)["FileSystemId"], zfs(open_site)["FileSystemId"]
        answer = fsx.delete_file_system(FileSystemId=first)
        (kept,) = backups()
        assert answer["OpenZFSResponse"]["FinalBackupId"] == kept["BackupId"]
        fsx.delete_file_system(FileSystemId=second, OpenZFSConfiguration={"SkipFinalBackup": True})
        assert len(backups()) == 1

    def test_lustre_keeps_a_final_backup_if_requested(self, open_site: Site) -> None:
        fsx, name = client("fsx"), settled(open_site, **KEPT)
        answer = fsx.delete_file_system(
            FileSystemId=name, LustreConfiguration={"SkipFinalBackup": False}
        )
        assert answer["LustreResponse"]["FinalBackupId"] == backups()[0]["BackupId"]


@pytest.mark.parametrize(
    ("made", "asked", "code"),
    [
        (KEPT, {"ThroughputCapacity": 4000}, "IncompatibleParameterError"),
        (
            KEPT,
            {"DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"}},
            "IncompatibleParameterError",
        ),
        (
            {"DeploymentType": "SCRATCH_2"},
            {"AutomaticBackupRetentionDays": 3},
            "IncompatibleParameterError",
        ),
        (
            {"DeploymentType": "SCRATCH_2"},
            {"PerUnitStorageThroughput": 125},
            "IncompatibleParameterError",
        ),
        (KEPT, {"PerUnitStorageThroughput": 130}, "InvalidPerUnitStorageThroughput"),
        (KEPT, {"AutoImportPolicy": "NEW"}, "IncompatibleParameterError"),
    ],
)
def test_update_of_missing_settings_is_refused(
    open_site: Site, made: dict[str, Any], asked: dict[str, Any], code: str
) -> None:
    name = settled(open_site, **made)
    found = refusal(client("fsx").update_file_system, FileSystemId=name, LustreConfiguration=asked)
    assert found[0] == code


def test_a_stack_deletes_volumes_too(open_site: Site) -> None:
    settings = {
        "DeploymentType": "SINGLE_AZ_1",
        "ThroughputCapacity": 64,
        "Options": [OPTION],
    }
    resources = {
        "Zfs": {
            "Type": "AWS::FSx::FileSystem",
            "Properties": {
                "FileSystemType": "OPENZFS",
                "StorageCapacity": 64,
                "SubnetIds": [open_site.subnet_id],
                "SecurityGroupIds": [open_site.group_id],
                "OpenZFSConfiguration": settings,
            },
        },
        "Volume": {
            "Type": "AWS::FSx::Volume",
            "Properties": {
                "Name": "v",
                "VolumeType": "OPENZFS",
                "OpenZFSConfiguration": {
                    "ParentVolumeId": {"Fn::GetAtt": ["Zfs", "RootVolumeId"]}
                },
            },
        },
    }
    assert deploy("s", resources)["StackStatus"] == "CREATE_COMPLETE"
    destroy("s")
    assert client("fsx").describe_volumes()["Volumes"] == backups() == []
