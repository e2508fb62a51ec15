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
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.fsx.lustre import TIERING
from clusterwright_localaws.services.fsx.state import (
    Backup,
    FileSystem,
    Store,
    bad_request,
    idempotent,
    new_id,
    store_of,
    tag_map,
)
from clusterwright_localaws.services.fsx.views import backup_view, view


@operation("fsx", "CreateBackup")
def create_backup(call: Call) -> Mapping[str, Any]:
    store = store_of(call)

    def make() -> str:
        requested = call.parameters
        if requested.get("VolumeId") or not requested.get("FileSystemId"):
            raise bad_request("Backups of volumes are for ONTAP; give a FileSystemId.")
        file_system = store.file_system(requested["FileSystemId"])
        refuse(store, file_system)
        return take(call, store, file_system, tag_map(requested.get("Tags"))).id

    return {"Backup": backup_view(store.backups[idempotent(call, "backup", make, store.backups)])}


@operation("fsx", "DescribeBackups")
def describe_backups(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    ids = call.parameters.get("BackupIds")
    found = [find_backup(store, each) for each in ids] if ids else [*store.backups.values()]
    for entry in call.parameters.get("Filters", ()):
        found = [each for each in found if _matches(each, entry)]
    return paged(call, "Backups", found, backup_view, default=25, stale_page_code="BadRequest")


@operation("fsx", "DeleteBackup")
def delete_backup(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    backup = find_backup(store, call.parameters["BackupId"])
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
    store.backups[backup.id] = backup
    store.after(call.world.delays.backup, lambda: setattr(backup, "lifecycle", "AVAILABLE"))
    return backup


def find_backup(store: Store, backup_id: str) -> Backup:
    found = store.backups.get(backup_id)
    if found is None:
        raise AwsError("BackupNotFound", f"Backup '{backup_id}' does not exist.")
    return found


def _matches(backup: Backup, entry: Mapping[str, Any]) -> bool:
    values = {
        "file-system-id": backup.file_system.id,
        "backup-type": "USER_INITIATED",
        "file-system-type": backup.file_system.kind,
    }
    return values.get(str(entry.get("Name"))) in entry.get("Values", ())
