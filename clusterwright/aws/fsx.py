"""FSx file systems of an account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class FileSystem:
    """A file system. `capacity_gib` is 0 for Intelligent-Tiering, which has no fixed size."""

    id: str
    kind: str
    """LUSTRE, OPENZFS, ONTAP or WINDOWS."""

    lifecycle: str
    storage_type: str
    deployment_type: str
    capacity_gib: int
    throughput_mbps: int
    """Of the whole file system, where it is set; else 0."""

    efa: bool
    vpc_id: str | None
    subnet_ids: tuple[str, ...]
    dns_name: str | None
    mount_name: str | None
    stack: str | None
    """The CloudFormation stack that built it."""

    read_cache_gib: int = 0
    """SSD cache of Intelligent-Tiering; 0 where it follows the throughput, or there is none."""

    throughput_mbps_per_tib: int = 0
    """Of Lustre, where it is set; else 0."""

    interface_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Association:
    """A link between a folder of a Lustre file system and a bucket."""

    file_system_path: str
    export_events: tuple[str, ...]


def associations(session: AwsSession, file_system_id: str) -> tuple[Association, ...]:
    """Every association of one file system."""
    wanted = [{"Name": "file-system-id", "Values": [file_system_id]}]
    return tuple(
        Association(
            found.get("FileSystemPath") or "/",
            tuple(((found.get("S3") or {}).get("AutoExportPolicy") or {}).get("Events") or ()),
        )
        for page in session.pages("fsx", "DescribeDataRepositoryAssociations", Filters=wanted)
        for found in page["Associations"]
    )


def file_systems(session: AwsSession) -> tuple[FileSystem, ...]:
    """Every file system of the account in the region."""
    return tuple(
        _file_system(answer)
        for page in session.pages("fsx", "DescribeFileSystems")
        for answer in page["FileSystems"]
    )


def _file_system(answer: Mapping[str, Any]) -> FileSystem:
    kind = answer["FileSystemType"]
    key = {"LUSTRE": "LustreConfiguration", "OPENZFS": "OpenZFSConfiguration"}.get(kind, "")
    settings = answer.get(key) or {}
    tags = {tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()}
    return FileSystem(
        id=answer["FileSystemId"],
        kind=kind,
        lifecycle=answer["Lifecycle"],
        storage_type=answer.get("StorageType") or "SSD",
        deployment_type=settings.get("DeploymentType") or "",
        capacity_gib=answer.get("StorageCapacity") or 0,
        throughput_mbps=settings.get("ThroughputCapacity") or 0,
        efa=bool(settings.get("EfaEnabled")),
        vpc_id=answer.get("VpcId"),
        subnet_ids=tuple(answer.get("SubnetIds") or ()),
        dns_name=answer.get("DNSName"),
        mount_name=settings.get("MountName"),
        stack=tags.get("aws:cloudformation:stack-name"),
        read_cache_gib=(settings.get("DataReadCacheConfiguration") or {}).get("SizeGiB") or 0,
        throughput_mbps_per_tib=settings.get("PerUnitStorageThroughput") or 0,
        interface_ids=tuple(answer.get("NetworkInterfaceIds") or ()),
    )
