"""File systems and backups as the API answers them."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.services.fsx.state import (
    Backup,
    FileSystem,
    tag_list,
)

_OPENZFS_HIDDEN = ("RootVolumeConfiguration",)
_LUSTRE_SHOWN = frozenset(
    {
        "WeeklyMaintenanceStartTime",
        "DeploymentType",
        "PerUnitStorageThroughput",
        "DailyAutomaticBackupStartTime",
        "AutomaticBackupRetentionDays",
        "CopyTagsToBackups",
        "DriveCacheType",
        "DataCompressionType",
        "LogConfiguration",
        "RootSquashConfiguration",
        "MetadataConfiguration",
        "EfaEnabled",
        "ThroughputCapacity",
        "DataReadCacheConfiguration",
    }
)
_REPOSITORY = ("ImportPath", "ExportPath", "ImportedFileChunkSize", "AutoImportPolicy")


def view(file_system: FileSystem) -> dict[str, Any]:
    """Return a file system in the shape of the API."""
    request = file_system.request
    answer: dict[str, Any] = {
        "OwnerId": file_system.account,
        "CreationTime": file_system.created_at,
        "FileSystemId": file_system.id,
        "FileSystemType": file_system.kind,
        "Lifecycle": file_system.lifecycle,
        "StorageType": file_system.storage_type,
        "VpcId": file_system.vpc_id,
        "SubnetIds": request["SubnetIds"],
        "NetworkInterfaceIds": file_system.interface_ids,
        "DNSName": file_system.dns_name,
        "ResourceARN": file_system.arn,
        "NetworkType": request.get("NetworkType", "IPV4"),
    }
    if file_system.storage_type != "INTELLIGENT_TIERING":
        answer["StorageCapacity"] = file_system.capacity_gib
    if request.get("KmsKeyId"):
        answer["KmsKeyId"] = request["KmsKeyId"]
    if file_system.tags:
        answer["Tags"] = tag_list(file_system.tags)
    if file_system.actions:
        answer["AdministrativeActions"] = file_system.actions
    if file_system.kind == "LUSTRE":
        answer["FileSystemTypeVersion"] = request["FileSystemTypeVersion"]
        answer["LustreConfiguration"] = _lustre_view(file_system)
    else:
        answer["OpenZFSConfiguration"] = {
            **{k: v for k, v in file_system.openzfs.items() if k not in _OPENZFS_HIDDEN},
            "RootVolumeId": file_system.root_volume_id,
        }
    return answer


def _lustre_view(file_system: FileSystem) -> dict[str, Any]:
    answer = {k: v for k, v in file_system.lustre.items() if k in _LUSTRE_SHOWN}
    answer["MountName"] = file_system.mount_name
    linked = {k: file_system.lustre[k] for k in _REPOSITORY if k in file_system.lustre}
    if linked:
        answer["DataRepositoryConfiguration"] = {"Lifecycle": "AVAILABLE", **linked}
    return answer


def backup_view(backup: Backup) -> dict[str, Any]:
    """Return a backup in the shape of the API."""
    answer: dict[str, Any] = {
        "BackupId": backup.id,
        "Lifecycle": backup.lifecycle,
        "Type": "USER_INITIATED",
        "ProgressPercent": 100 if backup.lifecycle == "AVAILABLE" else 0,
        "CreationTime": backup.created_at,
        "ResourceARN": backup.arn,
        "ResourceType": "FILE_SYSTEM",
        "OwnerId": backup.file_system.account,
        "FileSystem": {k: v for k, v in backup.snapshot.items() if k != "AdministrativeActions"},
    }
    if backup.request.get("KmsKeyId"):
        answer["KmsKeyId"] = backup.request["KmsKeyId"]
    return {**answer, "Tags": tag_list(backup.tags)} if backup.tags else answer
