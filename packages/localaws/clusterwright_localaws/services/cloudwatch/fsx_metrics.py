"""Metrics of Lustre file systems in CloudWatch: export queue, written bytes and free space.

https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html. No file is written here: the
metrics are those of the world's `file_system_activity`. Other metrics have no datapoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.services.fsx.state import Store, store_of
from clusterwright_localaws.services.sagemaker.events import aware

NAMESPACE = "AWS/FSx"
_MOST_DATAPOINTS = 1_440
"""The limit of one answer (GetMetricStatistics, API model)."""


def statistics(call: Call) -> Mapping[str, Any]:
    """Return the answer of GetMetricStatistics for a metric of FSx."""
    requested = call.parameters
    name, period = requested["MetricName"], int(requested["Period"])
    value = _value(call, name, {d["Name"]: d["Value"] for d in requested.get("Dimensions", ())})
    points = []
    if value is not None:
        per_minute, unit = value
        for moment in _moments(
            aware(requested["StartTime"]), min(aware(requested["EndTime"]), call.now), period
        ):
            minutes = max(1, period // 60)
            point: dict[str, Any] = {"Timestamp": moment, "Unit": unit}
            for statistic in requested.get("Statistics") or ["Maximum"]:
                whole = per_minute * minutes if statistic == "Sum" else per_minute
                point[statistic] = float(minutes if statistic == "SampleCount" else whole)
            points.append(point)
    return {"Label": name, "Datapoints": points}


def _value(call: Call, name: str, dimensions: dict[str, str]) -> tuple[float, str] | None:
    """Return the value of the metric per minute, and its unit."""
    store: Store = store_of(call)
    found = store.file_systems.get(dimensions.get("FileSystemId", ""))
    if found is None or found.kind != "LUSTRE":
        return None
    activity = call.world.file_system_activity
    if name == "FreeDataStorageCapacity" and set(dimensions) == {"FileSystemId"}:
        return found.capacity_gib * 1024**3 * activity.free_percent / 100, "Bytes"
    if name == "DataWriteBytes" and set(dimensions) == {"FileSystemId"}:
        return activity.written_bytes_per_minute, "Bytes"
    if name == "AgeOfOldestQueuedMessage" and dimensions.get("Publisher") == "AutoExport":
        exported = any(
            (each.request.get("S3") or {}).get("AutoExportPolicy", {}).get("Events")
            for each in store.of_file_system(found)
        )
        seconds = activity.oldest_queued_export_seconds
        return None if seconds is None or not exported else (seconds, "Seconds")
    return None


def _moments(start: datetime, end: datetime, period_seconds: int) -> list[datetime]:
    """Return the starts of the periods in between, at most the latest 1,440."""
    step = timedelta(seconds=period_seconds)
    moments: list[datetime] = []
    moment = end - step
    while moment >= start and len(moments) < _MOST_DATAPOINTS:
        moments.append(moment)
        moment -= step
    return moments
