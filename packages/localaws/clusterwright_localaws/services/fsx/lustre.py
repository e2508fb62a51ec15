"""Checks of FSx for Lustre: sizes, tiers, EFA and metadata settings.

Sources: the API model's docstrings (botocore 1.44.5) and AWS's Lustre guide, through the
catalogue. Wordings known from users' reports: hashicorp/terraform-provider-aws#24341 (throughput)
and aws-samples/amazon-eks-autonomous-driving-data-service#12 (capacity); others are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.fsx.state import FileSystem, bad_request, incompatible

DEFAULT_DEPLOYMENT = "SCRATCH_1"
TIERING = "INTELLIGENT_TIERING"
VERSIONS = ("2.10", "2.12", "2.15")
_TIERING_SETTINGS = ("ThroughputCapacity", "DataReadCacheConfiguration")
_PERSISTENT = ("PERSISTENT_1", "PERSISTENT_2")


def check(request: Mapping[str, Any]) -> None:
    """Refuse a CreateFileSystem for Lustre that FSx refuses.

    Raises
    ------
    AwsError
        BadRequest, IncompatibleParameterError or InvalidPerUnitStorageThroughput.
    """
    lustre = request.get("LustreConfiguration") or {}
    deployment = lustre.get("DeploymentType", DEFAULT_DEPLOYMENT)
    storage = request.get("StorageType", "SSD")
    if len(request["SubnetIds"]) != 1:
        raise bad_request("FSx for Lustre file systems take exactly one subnet.")
    _check_storage(deployment, storage, request, lustre)
    _check_version(deployment, request, lustre)
    _check_metadata(deployment, storage, lustre.get("MetadataConfiguration"))
    _check_efa(deployment, storage, lustre)
    if storage == TIERING:
        _check_tiering(request, lustre)
    else:
        for name in ("ThroughputCapacity", "DataReadCacheConfiguration"):
            if name in lustre:
                raise incompatible(name, f"{name} is for Intelligent-Tiering file systems.")
        check_size(
            deployment,
            storage,
            lustre.get("PerUnitStorageThroughput"),
            request.get("StorageCapacity"),
            efa=bool(lustre.get("EfaEnabled")),
        )
    _check_legacy_links(deployment, lustre)


def check_size(
    deployment: str, storage: str, throughput: int | None, capacity: int | None, *, efa: bool
) -> None:
    """Refuse a capacity that is not a step of its tier, or a throughput without a tier."""
    if deployment in _PERSISTENT:
        values = catalog_facts.catalog().lustre.throughput_values(deployment, storage)
        if throughput not in values:
            raise AwsError(
                "InvalidPerUnitStorageThroughput" if throughput is not None else "BadRequest",
                "Invalid Lustre deployment configuration: the provided throughput is invalid or "
                "does not meet the storage capacity requirement",
            )
    elif throughput is not None:
        raise incompatible(
            "PerUnitStorageThroughput",
            f"PerUnitStorageThroughput is not supported by {deployment} file systems.",
        )
    tier = tier_of(deployment, storage, throughput)
    if tier is None:
        raise bad_request(f"{deployment} file systems do not support {storage} storage.")
    if capacity is None:
        raise bad_request("StorageCapacity is required.")
    if efa and tier.efa_step_gib is None:
        raise incompatible("EfaEnabled", "EFA needs a PERSISTENT_2 SSD file system.")
    if not tier.is_valid_capacity(capacity, efa=efa):
        raise bad_request(_size_message(tier, capacity, efa=efa))


def tier_of(deployment: str, storage: str, throughput: int | None) -> Any | None:
    """Return the catalogue's tier, or `None` where FSx has none."""
    for tier in catalog_facts.catalog().lustre.tiers:
        if (tier.deployment_type, tier.storage_type) == (deployment, storage) and (
            tier.throughput_mbps_per_tib == throughput
        ):
            return tier
    return None


def with_defaults(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with defaults, as the file system will be described."""
    filled = dict(request)
    lustre = dict(request.get("LustreConfiguration") or {})
    filled["StorageType"] = request.get("StorageType", "SSD")
    deployment = lustre.setdefault("DeploymentType", DEFAULT_DEPLOYMENT)
    lustre.setdefault("DataCompressionType", "NONE")
    lustre.setdefault("CopyTagsToBackups", False)
    lustre.setdefault("WeeklyMaintenanceStartTime", "7:05:00")
    if deployment in _PERSISTENT:
        lustre.setdefault("AutomaticBackupRetentionDays", 0)
    if deployment == "PERSISTENT_2":
        lustre.setdefault("EfaEnabled", False)
    metadata = lustre.get("MetadataConfiguration")
    if metadata and metadata["Mode"] == "AUTOMATIC":
        iops = catalog_facts.known(
            catalog_facts.catalog().lustre.automatic_metadata_iops(int(request["StorageCapacity"]))
        )
        lustre["MetadataConfiguration"] = {**metadata, **({"Iops": iops} if iops else {})}
    filled["LustreConfiguration"] = lustre
    filled["FileSystemTypeVersion"] = request.get("FileSystemTypeVersion") or _default_version(
        deployment, lustre
    )
    return filled


def servers(request: Mapping[str, Any]) -> int:
    """Return the addresses of a file system: the fewest that FSx can build it with.

    Plans of subnets use the maximum (`LustreFacts.servers` gives both), so that no planned file
    system is refused for lack of addresses.
    """
    lustre = request["LustreConfiguration"]
    tiering = request["StorageType"] == TIERING
    tier = tier_of(
        lustre["DeploymentType"], request["StorageType"], lustre.get("PerUnitStorageThroughput")
    )
    iops = (lustre.get("MetadataConfiguration") or {}).get("Iops")
    found = catalog_facts.catalog().lustre.servers(
        tier,
        capacity_gib=int(request.get("StorageCapacity") or 0),
        tiering_mbps=int(lustre["ThroughputCapacity"]) if tiering else None,
        metadata_iops=int(iops) if iops is not None else None,
        efa=bool(lustre.get("EfaEnabled")),
    )
    return int(found.least)


def check_update(file_system: FileSystem, parameters: Mapping[str, Any]) -> None:
    """Refuse an UpdateFileSystem for Lustre that FSx refuses."""
    lustre = parameters.get("LustreConfiguration") or {}
    old = file_system.lustre
    if file_system.lifecycle not in ("AVAILABLE", "MISCONFIGURED"):
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")
    new_throughput = lustre.get("PerUnitStorageThroughput")
    efa = bool(old.get("EfaEnabled"))
    if new_throughput is not None and efa and new_throughput != old["PerUnitStorageThroughput"]:
        # "EFA-enabled file systems": the tier is fixed at creation.
        raise bad_request("The throughput of an EFA-enabled file system cannot be changed.")
    capacity = parameters.get("StorageCapacity")
    if capacity is not None:
        if old["DeploymentType"] == "SCRATCH_1" or file_system.storage_type == TIERING:
            raise bad_request("The storage capacity of this file system cannot be increased.")
        if capacity <= file_system.capacity_gib:
            raise bad_request("The storage capacity must be greater than the current one.")
    if capacity is not None or new_throughput is not None:
        check_size(
            old["DeploymentType"],
            file_system.storage_type,
            new_throughput if new_throughput is not None else old.get("PerUnitStorageThroughput"),
            capacity if capacity is not None else file_system.capacity_gib,
            efa=efa,
        )
    _check_update_settings(file_system, parameters, lustre)
    throughput = lustre.get("ThroughputCapacity")
    if throughput is not None and throughput < old.get("ThroughputCapacity", 0):
        raise bad_request(
            "The throughput of an Intelligent-Tiering file system can only be increased."
        )
    _check_metadata_update(file_system, lustre.get("MetadataConfiguration"))
    version = parameters.get("FileSystemTypeVersion")
    if version is not None:
        current = str(file_system.request["FileSystemTypeVersion"])
        if version not in VERSIONS[1:] or VERSIONS.index(version) <= VERSIONS.index(current):
            raise bad_request(
                "FileSystemTypeVersion must be 2.12 or 2.15, and newer than the current."
            )


def _check_update_settings(
    file_system: FileSystem, parameters: Mapping[str, Any], lustre: Mapping[str, Any]
) -> None:
    """Refuse settings that the storage or deployment type does not support."""
    old = file_system.lustre
    if "StorageType" in parameters and parameters["StorageType"] != file_system.storage_type:
        raise bad_request("The storage type of a Lustre file system cannot be changed.")
    if file_system.storage_type != TIERING:
        for name in ("ThroughputCapacity", "DataReadCacheConfiguration"):
            if name in lustre:
                raise incompatible(name, f"{name} is for Intelligent-Tiering file systems.")
    elif "PerUnitStorageThroughput" in lustre:
        raise incompatible(
            "PerUnitStorageThroughput",
            "PerUnitStorageThroughput is not for Intelligent-Tiering file systems.",
        )
    else:
        fresh = {k: v for k, v in lustre.items() if k in _TIERING_SETTINGS}
        if fresh:
            _check_tiering({}, {**old, **fresh})
    if old["DeploymentType"] not in _PERSISTENT:
        for name in ("AutomaticBackupRetentionDays", "DailyAutomaticBackupStartTime"):
            if lustre.get(name):
                raise incompatible(
                    name, f"{name} is not supported by {old['DeploymentType']} file systems."
                )
    if lustre.get("AutoImportPolicy") and "ImportPath" not in old:
        raise incompatible(
            "AutoImportPolicy", "AutoImportPolicy needs a file system's ImportPath."
        )


def _check_metadata_update(file_system: FileSystem, metadata: Mapping[str, Any] | None) -> None:
    if not metadata:
        return
    old = file_system.lustre.get("MetadataConfiguration")
    if old is None:
        raise bad_request("The file system was created without a metadata configuration.")
    _check_metadata(file_system.lustre["DeploymentType"], file_system.storage_type, metadata)
    iops = metadata.get("Iops")
    if metadata["Mode"] == "AUTOMATIC":
        iops = catalog_facts.known(
            catalog_facts.catalog().lustre.automatic_metadata_iops(file_system.capacity_gib)
        )
    if iops is not None and iops < old.get("Iops", 0):
        raise bad_request("Metadata IOPS cannot be decreased.")


def _check_storage(
    deployment: str, storage: str, request: Mapping[str, Any], lustre: Mapping[str, Any]
) -> None:
    if storage == "HDD" and deployment != "PERSISTENT_1":
        raise bad_request("HDD storage is supported by PERSISTENT_1 Lustre file systems only.")
    if storage == TIERING and deployment != "PERSISTENT_2":
        raise bad_request(
            "INTELLIGENT_TIERING is supported by PERSISTENT_2 Lustre file systems only."
        )
    if storage == "HDD" and "DriveCacheType" not in lustre:
        raise bad_request("DriveCacheType is required when the storage type is HDD.")
    if storage != "HDD" and "DriveCacheType" in lustre:
        raise incompatible("DriveCacheType", "DriveCacheType is for HDD storage.")
    if deployment not in _PERSISTENT:
        for name in ("AutomaticBackupRetentionDays", "DailyAutomaticBackupStartTime"):
            if lustre.get(name):
                raise incompatible(name, f"{name} is not supported by {deployment} file systems.")
        if request.get("KmsKeyId"):
            raise incompatible("KmsKeyId", f"KmsKeyId is not supported by {deployment}.")


def _check_version(deployment: str, request: Mapping[str, Any], lustre: Mapping[str, Any]) -> None:
    version = request.get("FileSystemTypeVersion")
    if version is None:
        return
    if version not in VERSIONS:
        raise bad_request(f"FileSystemTypeVersion must be one of {', '.join(VERSIONS)}.")
    if deployment == "PERSISTENT_2" and version == "2.10":
        raise bad_request("PERSISTENT_2 file systems do not support Lustre 2.10.")
    if lustre.get("MetadataConfiguration") and version != "2.15":
        raise bad_request("A metadata configuration needs Lustre 2.15.")


def _default_version(deployment: str, lustre: Mapping[str, Any]) -> str:
    if deployment != "PERSISTENT_2":
        return "2.10"
    return "2.15" if lustre.get("MetadataConfiguration") else "2.12"


def _check_metadata(deployment: str, storage: str, metadata: Mapping[str, Any] | None) -> None:
    if not metadata:
        if storage == TIERING:
            raise bad_request("Intelligent-Tiering file systems need a metadata configuration.")
        return
    if deployment != "PERSISTENT_2":
        raise incompatible(
            "MetadataConfiguration", "MetadataConfiguration is for PERSISTENT_2 file systems."
        )
    known = catalog_facts.catalog().lustre
    values = (
        known.tiering_metadata_iops_values if storage == TIERING else known.metadata_iops_values
    )
    if metadata["Mode"] == "AUTOMATIC":
        if storage == TIERING:
            raise bad_request(
                "Intelligent-Tiering file systems need USER_PROVISIONED metadata IOPS."
            )
        if "Iops" in metadata:
            raise bad_request("Iops cannot be given in AUTOMATIC mode.")
    elif metadata.get("Iops") not in values:
        raise bad_request(
            f"Invalid metadata IOPS: {metadata.get('Iops')}. Valid values are "
            f"{', '.join(str(value) for value in values[:4])}"
            + (" and multiples of 12000 up to 192000." if len(values) > 4 else ".")
        )


def _check_efa(deployment: str, storage: str, lustre: Mapping[str, Any]) -> None:
    if not lustre.get("EfaEnabled"):
        return
    if deployment != "PERSISTENT_2" or storage == "HDD":
        raise incompatible("EfaEnabled", "EFA needs a PERSISTENT_2 file system.")
    if not lustre.get("MetadataConfiguration"):
        raise bad_request("An EFA-enabled file system needs a metadata configuration.")


def _check_tiering(request: Mapping[str, Any], lustre: Mapping[str, Any]) -> None:
    known = catalog_facts.catalog().lustre
    if request.get("StorageCapacity") is not None:
        raise incompatible(
            "StorageCapacity", "Intelligent-Tiering file systems take no StorageCapacity."
        )
    if lustre.get("PerUnitStorageThroughput") is not None:
        raise incompatible(
            "PerUnitStorageThroughput",
            "Intelligent-Tiering file systems take ThroughputCapacity.",
        )
    throughput = lustre.get("ThroughputCapacity")
    step = known.tiering_throughput_step_mbps
    if not throughput or throughput % step or throughput > known.tiering_throughput_max_mbps:
        raise bad_request(f"ThroughputCapacity must be a multiple of {step} MBps.")
    cache = lustre.get("DataReadCacheConfiguration")
    if not cache:
        raise bad_request("DataReadCacheConfiguration is required for Intelligent-Tiering.")
    if cache.get("SizingMode") == "USER_PROVISIONED":
        least, most = (bound * (throughput // step) for bound in known.tiering_cache_gib_per_step)
        if not least <= cache.get("SizeGiB", 0) <= most:
            raise bad_request(
                f"The read cache must have {least} to {most} GiB at {throughput} MBps."
            )


def _check_legacy_links(deployment: str, lustre: Mapping[str, Any]) -> None:
    if deployment == "PERSISTENT_2":
        for name in ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize"):
            if name in lustre:
                # The guide: PERSISTENT_2 is linked to S3 by data repository associations only.
                raise incompatible(
                    name,
                    f"{name} is not supported by PERSISTENT_2; create a data "
                    "repository association.",
                )
    if "ExportPath" in lustre and "ImportPath" not in lustre:
        raise bad_request("ExportPath needs an ImportPath.")


def _size_message(tier: Any, capacity: int, *, efa: bool) -> str:
    if efa:
        return (
            f"Invalid Lustre FS storage capacity: {capacity}. Must be a multiple of "
            f"{tier.efa_step_gib} for an EFA-enabled file system."
        )
    singles = [str(value) for value in tier.initial_gib if value % tier.step_gib]
    return (
        f"Invalid Lustre FS storage capacity: {capacity}. Must be "
        + "".join(f"{single} or " for single in singles)
        + f"a multiple of {tier.step_gib}."
    )
