"""CreateFileSystemFromBackup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.fsx.file_systems import create_from
from clusterwright_localaws.services.fsx.state import (
    Backup,
    FileSystem,
    bad_request,
    store_of,
)
from clusterwright_localaws.services.fsx.views import view

# Settings that a new file system inherits from the backup unless the request sets them.
_INHERITED = ("FileSystemTypeVersion", "KmsKeyId", "StorageCapacity", "StorageType")


@operation("fsx", "CreateFileSystemFromBackup")
def create_file_system_from_backup(call: Call) -> Mapping[str, Any]:
    store = store_of(call)

    def make() -> FileSystem:
        requested = dict(call.parameters)
        backup = store.backups.find_available(requested.pop("BackupId"))
        return create_from(call, _restored(backup, requested))

    return {"FileSystem": view(store.file_systems.create(call, make))}


def _restored(backup: Backup, requested: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request of the new file system: the backup's settings, overridden by the
    caller's.
    """
    kind = backup.file_system.kind
    name = "LustreConfiguration" if kind == "LUSTRE" else "OpenZFSConfiguration"
    settings = {**backup.request[name], **(requested.get(name) or {})}
    metadata = settings.get("MetadataConfiguration") or {}
    if metadata.get("Mode") == "AUTOMATIC":
        settings["MetadataConfiguration"] = {"Mode": "AUTOMATIC"}
    iops = settings.get("DiskIopsConfiguration") or {}
    if iops.get("Mode") == "AUTOMATIC":
        settings["DiskIopsConfiguration"] = {"Mode": "AUTOMATIC"}
    capacity = requested.get("StorageCapacity")
    before = backup.request.get("StorageCapacity")
    if capacity is not None and before is not None:
        if kind == "LUSTRE" and capacity != before:
            raise bad_request("The storage capacity of a backup can be changed for OpenZFS only.")
        if capacity < before:
            raise bad_request(f"StorageCapacity must be at least that of the backup, {before}.")
    inherited = {key: backup.request[key] for key in _INHERITED if key in backup.request}
    given = {key: value for key, value in requested.items() if key not in ("Tags",)}
    return {"FileSystemType": kind, **inherited, **given, name: settings}
