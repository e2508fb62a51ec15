"""What of a Lustre file system is in its buckets, as far as FSx and CloudWatch can tell."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.session import AwsSession

_NAMESPACE: Final = "AWS/FSx"
_PERIOD_SECONDS: Final = 60
_MOST_DATAPOINTS: Final = 1_440
"""Of one answer of GetMetricStatistics (CloudWatch API reference)."""


@dataclass(frozen=True)
class Found:
    """A file system with what its tags and answers say of it."""

    id: str
    name: str | None
    """The tag Name."""

    kind: str
    lifecycle: str
    deployment_type: str
    created: dt.datetime
    import_path: str | None
    """Of a file system that is tied to a bucket in the old way, without associations."""


@dataclass(frozen=True)
class Association:
    """A path of the file system and the bucket behind it."""

    id: str
    path: str
    bucket: str
    lifecycle: str
    failure: str
    created: dt.datetime
    export_events: tuple[str, ...]

    @property
    def exports_by_itself(self) -> bool:
        """Whether new and changed files are exported without anybody asking."""
        return {"NEW", "CHANGED"} <= set(self.export_events)


@dataclass(frozen=True)
class ExportTask:
    """A task that exports; `paths` is empty for the whole file system."""

    id: str
    lifecycle: str
    paths: tuple[str, ...]
    created: dt.datetime
    ended: dt.datetime | None
    failed_count: int | None

    @property
    def succeeded(self) -> bool:
        return self.lifecycle == "SUCCEEDED" and self.failed_count == 0


def file_systems(session: AwsSession) -> tuple[Found, ...]:
    """Every file system of the account in the region."""
    return tuple(
        _found(answer)
        for page in session.pages("fsx", "DescribeFileSystems")
        for answer in page["FileSystems"]
    )


def associations(session: AwsSession, file_system_id: str) -> tuple[Association, ...]:
    """The associations of one file system, in any state."""
    pages = session.pages(
        "fsx",
        "DescribeDataRepositoryAssociations",
        Filters=[{"Name": "file-system-id", "Values": [file_system_id]}],
    )
    return tuple(_association(answer) for page in pages for answer in page["Associations"])


def export_tasks(session: AwsSession, file_system_id: str) -> tuple[ExportTask, ...]:
    """The export tasks of one file system, newest first."""
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
    """How long the oldest change waits for its automatic export; None without a datapoint.

    The newest AgeOfOldestQueuedMessage (AutoExport) of the last 15 minutes: DeleteFileSystem
    documents 0 as the sign that all is written back.
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
    """What clients have written since a time (None: 15 minutes ago); None without a datapoint."""
    now = dt.datetime.now(dt.UTC)
    start = since if since is not None else now - dt.timedelta(minutes=15)
    points = _points(session, "DataWriteBytes", {"FileSystemId": file_system_id}, "Sum", start)
    return sum(value for _, value in points) if points else None


def _points(
    session: AwsSession,
    metric: str,
    dimensions: Mapping[str, str],
    statistic: str,
    start: dt.datetime,
) -> list[tuple[dt.datetime, float]]:
    now = dt.datetime.now(dt.UTC)
    seconds = (now - start).total_seconds()
    minutes = max(1, -int(-seconds // (_MOST_DATAPOINTS * 60)))
    answer = session.call(
        "cloudwatch",
        "GetMetricStatistics",
        Namespace=_NAMESPACE,
        MetricName=metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
        StartTime=start - dt.timedelta(minutes=minutes),
        EndTime=now,
        Period=_PERIOD_SECONDS * minutes,
        Statistics=[statistic],
    )
    return sorted((p["Timestamp"], float(p[statistic])) for p in answer["Datapoints"])


def _found(answer: Mapping[str, Any]) -> Found:
    settings = answer.get("LustreConfiguration") or {}
    old = settings.get("DataRepositoryConfiguration") or {}
    tags = {tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()}
    return Found(
        answer["FileSystemId"],
        tags.get("Name"),
        answer["FileSystemType"],
        answer["Lifecycle"],
        settings.get("DeploymentType") or "",
        answer["CreationTime"],
        old.get("ImportPath"),
    )


def _association(answer: Mapping[str, Any]) -> Association:
    export = (answer.get("S3") or {}).get("AutoExportPolicy") or {}
    return Association(
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
