"""Backups of file systems. They contain no data.

Rules from the API model's docstrings (botocore 1.44.5): Lustre can be backed up with a persistent
deployment type and without a link to a data repository; a deletion creates a final backup of
OpenZFS unless SkipFinalBackup is set, and of Lustre only if it is unset explicitly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.fsx.lustre import TIERING
from clusterwright_localaws.services.fsx.state import (
    Backup,
    FileSystem,
    Filters,
    Store,
    bad_request,
    new_id,
    store_of,
    tag_map,
)
from clusterwright_localaws.services.fsx.views import backup_view, view


@operation("fsx", "CreateBackup")
def create_backup(call: Call) -> Mapping[str, Any]:
    store = store_of(call)

    def make() -> Backup:
        requested = call.parameters
        if requested.get("VolumeId") or not requested.get("FileSystemId"):
            raise bad_request("Backups of volumes are for ONTAP; give a FileSystemId.")
        file_system = store.file_systems.find(requested["FileSystemId"])
        refuse(store, file_system)
        return take(call, store, file_system, tag_map(requested.get("Tags")))

    return {"Backup": backup_view(store.backups.create(call, make))}


@operation("fsx", "DescribeBackups")
def describe_backups(call: Call) -> Mapping[str, Any]:
    filters: Filters[Backup] = {
        "file-system-id": lambda backup: backup.file_system.id,
        "backup-type": lambda backup: "USER_INITIATED",
        "file-system-type": lambda backup: backup.file_system.kind,
    }
    return store_of(call).backups.described(
        call, "Backups", "BackupIds", backup_view, filters, default=25
    )


@operation("fsx", "DeleteBackup")
def delete_backup(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    backup = store.backups.find(call.parameters["BackupId"])
    if backup.lifecycle != "AVAILABLE":
        raise AwsError("BackupInProgress", f"Backup {backup.id} is {backup.lifecycle}.")
    del store.backups[backup.id]
    # "The DeleteBackup call returns instantly. The backup won't show up in later calls."
    return {"BackupId": backup.id, "Lifecycle": "DELETED"}


def refuse(store: Store, file_system: FileSystem) -> None:
    """Refuse backups that FSx does not support.

    Raises
    ------
    AwsError
        UnsupportedOperation, BackupInProgress or BadRequest.
    """
    if file_system.kind == "LUSTRE":
        deployment = str(file_system.lustre["DeploymentType"])
        if deployment.startswith("SCRATCH"):
            raise AwsError(
                "UnsupportedOperation", f"Backups are not supported by {deployment} file systems."
            )
        if "ImportPath" in file_system.lustre or store.of_file_system(file_system):
            raise AwsError(
                "UnsupportedOperation",
                "Backups are not supported by file systems that are linked to a data repository.",
            )
    if file_system.storage_type == TIERING:
        raise AwsError(
            "UnsupportedOperation", "Backups are not supported by Intelligent-Tiering storage."
        )
    if file_system.lifecycle not in ("AVAILABLE", "UPDATING"):
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")
    for other in store.backups.values():
        if other.file_system is file_system and other.lifecycle == "CREATING":
            raise AwsError(
                "BackupInProgress",
                f"Another backup of file system {file_system.id} is in progress: {other.id}.",
            )


def take(call: Call, store: Store, file_system: FileSystem, tags: Mapping[str, str]) -> Backup:
    """Begin a backup. With CopyTagsToBackups, it gets the file system's tags unless tags are
    given.
    """
    settings = file_system.lustre if file_system.kind == "LUSTRE" else file_system.openzfs
    copied = file_system.tags if settings.get("CopyTagsToBackups") and not tags else {}
    backup = Backup(
        id=new_id("backup"),
        file_system=file_system,
        snapshot=view(file_system),
        request=dict(file_system.request),
        created_at=call.now,
        tags={**copied, **tags},
    )
    return store.add(store.backups, backup, call.world.delays.backup)
