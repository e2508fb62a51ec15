"""FSx file systems, their data repository associations, and the state of exports to S3."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession

_METRIC_NAMESPACE: Final = "AWS/FSx"
_PERIOD_SECONDS: Final = 60
_MAXIMUM_DATAPOINTS: Final = 1_440
"""In a response of GetMetricStatistics (CloudWatch API reference)."""


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
    """Of the whole file system, 0 if not set."""

    efa: bool
    vpc_id: str | None
    subnet_ids: tuple[str, ...]
    dns_name: str | None
    mount_name: str | None
    stack: str | None
    """The CloudFormation stack that created it."""

    read_cache_gib: int = 0
    """SSD cache of Intelligent-Tiering; 0 if proportional to throughput, or without a cache."""

    throughput_mbps_per_tib: int = 0
    """Of Lustre, 0 if not set."""

    interface_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportSource:
    """A file system as the source of exports to S3."""

    id: str
    name: str | None
    """The tag `Name`."""

    kind: str
    lifecycle: str
    deployment_type: str
    created: dt.datetime
    import_path: str | None
    """Of a file system linked to a bucket without associations (`DataRepositoryConfiguration`)."""


@dataclass(frozen=True)
class DataRepositoryAssociation:
    """A link between a path of a Lustre file system and a bucket."""

    id: str
    path: str
    bucket: str
    lifecycle: str
    failure: str
    created: dt.datetime
    export_events: tuple[str, ...]

    @property
    def exports_automatically(self) -> bool:
        """Whether new and changed files are exported automatically."""
        return {"NEW", "CHANGED"} <= set(self.export_events)


@dataclass(frozen=True)
class ExportTask:
    """An export task; `paths` is empty for the whole file system."""

    id: str
    lifecycle: str
    paths: tuple[str, ...]
    created: dt.datetime
    ended: dt.datetime | None
    failed_count: int | None

    @property
    def succeeded(self) -> bool:
        return self.lifecycle == "SUCCEEDED" and self.failed_count == 0


@dataclass(frozen=True)
class Volume:
    """A volume of an OpenZFS or ONTAP file system."""

    id: str
    file_system_id: str
    lifecycle: str
    kind: str
    """OPENZFS or ONTAP."""


@none_if_not_found("VolumeNotFound")
def volume(session: AwsSession, volume_id: str) -> Volume | None:
    """Return a volume; None if there is none with that id."""
    for answer in session.call("fsx", "DescribeVolumes", VolumeIds=[volume_id])["Volumes"]:
        if answer["VolumeId"] == volume_id:
            return Volume(
                answer["VolumeId"],
                answer["FileSystemId"],
                answer["Lifecycle"],
                answer["VolumeType"],
            )
    return None


def file_systems(session: AwsSession) -> tuple[FileSystem, ...]:
    """Return every file system of the account in the region."""
    return tuple(
        _file_system(answer)
        for answer in session.items("fsx", "DescribeFileSystems", "FileSystems")
    )


def tagged_file_systems(session: AwsSession, vpc_id: str, tag_key: str) -> tuple[str, ...]:
    """Return the ids of the file systems of a VPC with a tag, such as `CSIVolumeName`."""
    return tuple(
        str(answer["FileSystemId"])
        for answer in session.items("fsx", "DescribeFileSystems", "FileSystems")
        if answer.get("VpcId") == vpc_id
        and any(tag["Key"] == tag_key for tag in answer.get("Tags") or ())
    )


def export_sources(session: AwsSession) -> tuple[ExportSource, ...]:
    """Return every file system of the account in the region."""
    return tuple(
        _export_source(answer)
        for answer in session.items("fsx", "DescribeFileSystems", "FileSystems")
    )


def associations(
    session: AwsSession, file_system_id: str
) -> tuple[DataRepositoryAssociation, ...]:
    """Return the associations of a file system, in any state."""
    pages = session.pages(
        "fsx",
        "DescribeDataRepositoryAssociations",
        Filters=[{"Name": "file-system-id", "Values": [file_system_id]}],
    )
    return tuple(_association(answer) for page in pages for answer in page["Associations"])


def export_tasks(session: AwsSession, file_system_id: str) -> tuple[ExportTask, ...]:
    """Return the export tasks of a file system, newest first."""
    pages = session.pages(
        "fsx",
        "DescribeDataRepositoryTasks",
        Filters=[{"Name": "file-system-id", "Values": [file_system_id]}],
    )
    found = [
        _task(answer)
        for page in pages
        for answer in page["DataRepositoryTasks"]
        if answer["Type"] == "EXPORT_TO_REPOSITORY"
    ]
    return tuple(sorted(found, key=lambda task: task.created, reverse=True))


def oldest_pending_export_seconds(session: AwsSession, file_system_id: str) -> float | None:
    """Return the age of the oldest change awaiting automatic export, None without a datapoint.

    The newest AgeOfOldestQueuedMessage (AutoExport) of the last 15 minutes: DeleteFileSystem
    documents 0 as the sign that all changes are exported.
    """
    points = _points(
        session,
        "AgeOfOldestQueuedMessage",
        {"FileSystemId": file_system_id, "Publisher": "AutoExport"},
        "Maximum",
        dt.datetime.now(dt.UTC) - dt.timedelta(minutes=15),
    )
    return points[-1][1] if points else None


def written_bytes(
    session: AwsSession, file_system_id: str, since: dt.datetime | None
) -> float | None:
    """Return the bytes that clients wrote since a time, None without a datapoint.

    `since=None` stands for the last 15 minutes.
    """
    now = dt.datetime.now(dt.UTC)
    start = since if since is not None else now - dt.timedelta(minutes=15)
    points = _points(session, "DataWriteBytes", {"FileSystemId": file_system_id}, "Sum", start)
    return sum(value for _, value in points) if points else None


def free_capacity_gib(session: AwsSession, file_system_id: str) -> float | None:
    """Return the free space of a Lustre file system, None without a datapoint.

    The newest FreeDataStorageCapacity of the last 15 minutes, summed over the targets.
    """
    points = _points(
        session,
        "FreeDataStorageCapacity",
        {"FileSystemId": file_system_id},
        "Sum",
        dt.datetime.now(dt.UTC) - dt.timedelta(minutes=15),
    )
    return points[-1][1] / 1024**3 if points else None


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


def _export_source(answer: Mapping[str, Any]) -> ExportSource:
    settings = answer.get("LustreConfiguration") or {}
    old = settings.get("DataRepositoryConfiguration") or {}
    tags = {tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()}
    return ExportSource(
        answer["FileSystemId"],
        tags.get("Name"),
        answer["FileSystemType"],
        answer["Lifecycle"],
        settings.get("DeploymentType") or "",
        answer["CreationTime"],
        old.get("ImportPath"),
    )


def _association(answer: Mapping[str, Any]) -> DataRepositoryAssociation:
    export = (answer.get("S3") or {}).get("AutoExportPolicy") or {}
    return DataRepositoryAssociation(
        answer["AssociationId"],
        answer.get("FileSystemPath") or "/",
        answer.get("DataRepositoryPath") or "",
        answer["Lifecycle"],
        (answer.get("FailureDetails") or {}).get("Message") or "",
        answer["CreationTime"],
        tuple(export.get("Events") or ()),
    )


def _task(answer: Mapping[str, Any]) -> ExportTask:
    status = answer.get("Status") or {}
    return ExportTask(
        answer["TaskId"],
        answer["Lifecycle"],
        tuple(answer.get("Paths") or ()),
        answer["CreationTime"],
        answer.get("EndTime"),
        status.get("FailedCount"),
    )


def _points(
    session: AwsSession,
    metric: str,
    dimensions: Mapping[str, str],
    statistic: str,
    start: dt.datetime,
) -> list[tuple[dt.datetime, float]]:
    now = dt.datetime.now(dt.UTC)
    seconds = (now - start).total_seconds()
    minutes = max(1, -int(-seconds // (_MAXIMUM_DATAPOINTS * 60)))
    answer = session.call(
        "cloudwatch",
        "GetMetricStatistics",
        Namespace=_METRIC_NAMESPACE,
        MetricName=metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
        StartTime=start - dt.timedelta(minutes=minutes),
        EndTime=now,
        Period=_PERIOD_SECONDS * minutes,
        Statistics=[statistic],
    )
    return sorted((p["Timestamp"], float(p[statistic])) for p in answer["Datapoints"])
