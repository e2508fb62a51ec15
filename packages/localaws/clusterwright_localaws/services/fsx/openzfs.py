"""Checks of FSx for OpenZFS. Source: docstrings of the API model (botocore 1.44.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.services.fsx.state import FileSystem, bad_request, incompatible

MIN_CAPACITY_GIB = 64
MAX_CAPACITY_GIB = 524_288
IOPS_PER_GIB = 3
_FIRST_GENERATION = (64, 128, 256, 512, 1024, 2048, 3072, 4096)
_SECOND_GENERATION = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
THROUGHPUT_MBPS = {
    "SINGLE_AZ_1": _FIRST_GENERATION,
    "SINGLE_AZ_HA_1": _FIRST_GENERATION,
    "SINGLE_AZ_2": _SECOND_GENERATION,
    "SINGLE_AZ_HA_2": _SECOND_GENERATION,
    "MULTI_AZ_1": _SECOND_GENERATION,
}
RECORD_SIZES_KIB = (4, 8, 16, 32, 64, 128, 256, 512, 1024)


def check(request: Mapping[str, Any]) -> None:
    """Refuse a CreateFileSystem for OpenZFS that FSx refuses.

    Raises
    ------
    AwsError
        BadRequest, IncompatibleParameterError or MissingFileSystemConfiguration.
    """
    configuration = request["OpenZFSConfiguration"]
    deployment = configuration["DeploymentType"]
    storage = request.get("StorageType", "SSD")
    if storage == "HDD":
        raise bad_request("FSx for OpenZFS does not support HDD storage.")
    if storage == "INTELLIGENT_TIERING" and deployment != "MULTI_AZ_1":
        raise bad_request(
            "INTELLIGENT_TIERING is supported by MULTI_AZ_1 OpenZFS file systems only."
        )
    requested = 2 if deployment == "MULTI_AZ_1" else 1
    if len(request["SubnetIds"]) != requested:
        raise bad_request(f"{deployment} file systems take exactly {requested} subnet(s).")
    if deployment == "MULTI_AZ_1" and (
        configuration.get("PreferredSubnetId") not in request["SubnetIds"]
    ):
        raise bad_request(
            "PreferredSubnetId is required for MULTI_AZ_1 and must be one of the subnets."
        )
    check_size(deployment, storage, request.get("StorageCapacity"), configuration)
    record = (configuration.get("RootVolumeConfiguration") or {}).get("RecordSizeKiB")
    if record is not None and storage == "SSD" and record not in RECORD_SIZES_KIB:
        raise bad_request(f"RecordSizeKiB must be one of {', '.join(map(str, RECORD_SIZES_KIB))}.")


def check_size(
    deployment: str, storage: str, capacity: int | None, configuration: Mapping[str, Any]
) -> None:
    if storage == "SSD" and (
        capacity is None or not MIN_CAPACITY_GIB <= capacity <= MAX_CAPACITY_GIB
    ):
        raise bad_request(
            f"StorageCapacity of an OpenZFS file system must be {MIN_CAPACITY_GIB} to "
            f"{MAX_CAPACITY_GIB} GiB, got {capacity}."
        )
    throughput = configuration.get("ThroughputCapacity")
    values = THROUGHPUT_MBPS[deployment]
    if throughput is not None and throughput not in values:
        raise bad_request(
            f"ThroughputCapacity of {deployment} must be one of "
            f"{', '.join(map(str, values))} MBps, got {throughput}."
        )
    iops = configuration.get("DiskIopsConfiguration") or {}
    if iops.get("Mode") == "USER_PROVISIONED" and capacity is not None:
        if iops.get("Iops", 0) < IOPS_PER_GIB * capacity:
            raise bad_request(f"Iops must be at least {IOPS_PER_GIB} per GiB of storage capacity.")
    elif "Iops" in iops and iops.get("Mode", "AUTOMATIC") == "AUTOMATIC":
        raise incompatible("Iops", "Iops cannot be given in AUTOMATIC mode.")


def check_update(file_system: FileSystem, parameters: Mapping[str, Any]) -> None:
    """Refuse an UpdateFileSystem for OpenZFS that FSx refuses."""
    if file_system.lifecycle != "AVAILABLE":
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")
    capacity = parameters.get("StorageCapacity")
    if capacity is not None and capacity < 1.1 * file_system.capacity_gib:
        raise bad_request(
            "StorageCapacity must be at least 10 percent greater than the current one."
        )
    changes = parameters.get("OpenZFSConfiguration") or {}
    configuration = {**file_system.openzfs, **changes}
    iops = configuration.get("DiskIopsConfiguration") or {}
    if "DiskIopsConfiguration" not in changes and iops.get("Mode") == "AUTOMATIC":
        # Described, but not requested: it follows the capacity.
        configuration["DiskIopsConfiguration"] = {"Mode": "AUTOMATIC"}
    check_size(
        file_system.openzfs["DeploymentType"],
        file_system.storage_type,
        capacity if capacity is not None else file_system.capacity_gib,
        configuration,
    )


def with_defaults(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with defaults, as the file system will be described."""
    filled = dict(request)
    configuration = dict(request["OpenZFSConfiguration"])
    filled["StorageType"] = request.get("StorageType", "SSD")
    configuration.setdefault("AutomaticBackupRetentionDays", 30)
    configuration.setdefault("CopyTagsToBackups", False)
    configuration.setdefault("CopyTagsToVolumes", False)
    configuration.setdefault("WeeklyMaintenanceStartTime", "7:05:00")
    if filled["StorageType"] == "SSD":
        iops = dict(configuration.get("DiskIopsConfiguration") or {})
        iops.setdefault("Mode", "AUTOMATIC")
        iops.setdefault("Iops", IOPS_PER_GIB * int(request["StorageCapacity"]))
        configuration["DiskIopsConfiguration"] = iops
    filled["OpenZFSConfiguration"] = configuration
    return filled


def addresses(request: Mapping[str, Any]) -> int:
    """Return the network interfaces per subnet: the active file server, and its standby if any."""
    deployment = str(request["OpenZFSConfiguration"]["DeploymentType"])
    return 2 if "_HA_" in deployment else 1
