"""File systems and backups in the shape of the API."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright_localaws.services.fsx.state import Backup, FileSystem
from clusterwright_localaws.services.fsx.views import backup_view, view

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def file_system(kind: str, **request: Any) -> FileSystem:
    return FileSystem(
        id="fs-1",
        kind=kind,
        account="111122223333",
        region="us-east-1",
        created_at=NOW,
        vpc_id="vpc-1",
        request={"SubnetIds": ["subnet-1"], **request},
        interface_ids=["eni-1"],
        mount_name="abcd1234",
        root_volume_id="fsvol-1",
        lifecycle="AVAILABLE",
    )


def test_a_lustre_file_system() -> None:
    found = view(
        file_system(
            "LUSTRE",
            StorageCapacity=1200,
            FileSystemTypeVersion="2.15",
            KmsKeyId="arn:key",
            LustreConfiguration={
                "DeploymentType": "SCRATCH_2",
                "ImportPath": "s3://b",
                "ImportedFileChunkSize": 1024,
                "Internal": 1,
            },
        )
    )
    assert found == {
        "OwnerId": "111122223333",
        "CreationTime": NOW,
        "FileSystemId": "fs-1",
        "FileSystemType": "LUSTRE",
        "Lifecycle": "AVAILABLE",
        "StorageType": "SSD",
        "StorageCapacity": 1200,
        "VpcId": "vpc-1",
        "SubnetIds": ["subnet-1"],
        "NetworkInterfaceIds": ["eni-1"],
        "DNSName": "fs-1.fsx.us-east-1.amazonaws.com",
        "ResourceARN": "arn:aws:fsx:us-east-1:111122223333:file-system/fs-1",
        "NetworkType": "IPV4",
        "KmsKeyId": "arn:key",
        "FileSystemTypeVersion": "2.15",
        "LustreConfiguration": {
            "DeploymentType": "SCRATCH_2",
            "MountName": "abcd1234",
            "DataRepositoryConfiguration": {
                "Lifecycle": "AVAILABLE",
                "ImportPath": "s3://b",
                "ImportedFileChunkSize": 1024,
            },
        },
    }


def test_intelligent_tiering_has_no_capacity() -> None:
    found = view(
        file_system("LUSTRE", StorageType="INTELLIGENT_TIERING", FileSystemTypeVersion="2.15")
    )
    assert "StorageCapacity" not in found
    assert "DataRepositoryConfiguration" not in found["LustreConfiguration"]


def test_an_openzfs_file_system_names_its_root_volume() -> None:
    settings = {"ThroughputCapacity": 64, "RootVolumeConfiguration": {"ReadOnly": True}}
    one = file_system("OPENZFS", StorageCapacity=64, OpenZFSConfiguration=settings)
    one.tags, one.actions = {"a": "1"}, [{"AdministrativeActionType": "FILE_SYSTEM_UPDATE"}]
    found = view(one)
    assert found["OpenZFSConfiguration"] == {"ThroughputCapacity": 64, "RootVolumeId": "fsvol-1"}
    assert found["Tags"] == [{"Key": "a", "Value": "1"}]
    assert found["AdministrativeActions"] == one.actions


def test_a_backup_shows_its_file_system_without_actions() -> None:
    of = file_system("LUSTRE")
    snapshot = {"FileSystemId": "fs-1", "AdministrativeActions": [1]}
    backup = Backup(
        id="backup-1",
        file_system=of,
        snapshot=snapshot,
        request={"KmsKeyId": "arn:key"},
        created_at=NOW,
        tags={"a": "1"},
    )
    assert backup_view(backup) == {
        "BackupId": "backup-1",
        "Lifecycle": "CREATING",
        "Type": "USER_INITIATED",
        "ProgressPercent": 0,
        "CreationTime": NOW,
        "ResourceARN": "arn:aws:fsx:us-east-1:111122223333:backup/backup-1",
        "ResourceType": "FILE_SYSTEM",
        "OwnerId": "111122223333",
        "FileSystem": {"FileSystemId": "fs-1"},
        "KmsKeyId": "arn:key",
        "Tags": [{"Key": "a", "Value": "1"}],
    }
    backup.lifecycle = "AVAILABLE"
    assert backup_view(backup)["ProgressPercent"] == 100
