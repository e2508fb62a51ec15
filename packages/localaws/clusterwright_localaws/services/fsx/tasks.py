"""Data repository tasks: imports, exports and releases on demand. They transfer no data.

A task is PENDING, then EXECUTING for the world's `delays.task`, and ends SUCCEEDED without data
transferred; a cancelled task passes through CANCELING.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.fsx.state import (
    Filters,
    Store,
    Task,
    bad_request,
    new_id,
    store_of,
    tag_list,
    tag_map,
)

_OF_CACHES = "AUTO_RELEASE_DATA"


@operation("fsx", "CreateDataRepositoryTask")
def create_task(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    return {"DataRepositoryTask": view(store.tasks.create(call, lambda: _create(call, store)))}


@operation("fsx", "DescribeDataRepositoryTasks")
def describe_tasks(call: Call) -> Mapping[str, Any]:
    filters: Filters[Task] = {
        "file-system-id": lambda task: task.file_system.id,
        "task-lifecycle": lambda task: task.lifecycle,
    }
    return store_of(call).tasks.described(call, "DataRepositoryTasks", "TaskIds", view, filters)


@operation("fsx", "CancelDataRepositoryTask")
def cancel_task(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    task = store.tasks.find(call.parameters["TaskId"])
    if task.lifecycle not in ("PENDING", "EXECUTING"):
        raise AwsError("DataRepositoryTaskEnded", f"Task {task.id} is {task.lifecycle}.")
    task.lifecycle = "CANCELING"

    def cancelled() -> None:
        task.lifecycle, task.ended_at = "CANCELED", call.runtime.clock.now()

    store.after(call.world.delays.task, cancelled)
    return {"Lifecycle": "CANCELING", "TaskId": task.id}


def view(task: Task) -> dict[str, Any]:
    """Return a task in the shape of the API."""
    answer: dict[str, Any] = {
        "TaskId": task.id,
        "Lifecycle": task.lifecycle,
        "Type": task.request["Type"],
        "CreationTime": task.created_at,
        "ResourceARN": task.arn,
        "FileSystemId": task.request["FileSystemId"],
        "Paths": list(task.request.get("Paths", ())),
        "Report": task.request["Report"],
    }
    for name in ("ReleaseConfiguration",):
        if name in task.request:
            answer[name] = task.request[name]
    if task.started_at is not None:
        answer["StartTime"] = task.started_at
    if task.ended_at is not None:
        answer["EndTime"] = task.ended_at
        answer["Status"] = {"TotalCount": 0, "SucceededCount": 0, "FailedCount": 0}
    return {**answer, "Tags": tag_list(task.tags)} if task.tags else answer


def _create(call: Call, store: Store) -> Task:
    requested = {
        k: v for k, v in call.parameters.items() if k not in ("ClientRequestToken", "Tags")
    }
    file_system = store.file_systems.find(requested["FileSystemId"])
    if requested["Type"] == _OF_CACHES or "CapacityToRelease" in requested:
        raise AwsError("UnsupportedOperation", f"{_OF_CACHES} tasks are for file caches.")
    if file_system.kind != "LUSTRE":
        raise AwsError("UnsupportedOperation", "Data repository tasks are for Lustre.")
    if file_system.lifecycle not in ("AVAILABLE", "UPDATING"):
        raise bad_request(f"File system {file_system.id} is {file_system.lifecycle}.")
    if not ("ImportPath" in file_system.lustre or store.of_file_system(file_system)):
        raise bad_request(f"File system {file_system.id} is not linked to a data repository.")
    report = requested["Report"]
    missing = [name for name in ("Path", "Format", "Scope") if not report.get(name)]
    if report["Enabled"] and missing:
        raise bad_request(f"Report.{missing[0]} is required when the report is enabled.")
    task = Task(
        id=new_id("task"),
        file_system=file_system,
        request=requested,
        created_at=call.now,
        tags=tag_map(call.parameters.get("Tags")),
    )
    store.tasks[task.id] = task

    def begun() -> None:
        if task.lifecycle == "PENDING":
            task.lifecycle, task.started_at = "EXECUTING", call.runtime.clock.now()

    def done() -> None:
        if task.lifecycle == "EXECUTING":
            task.lifecycle, task.ended_at = "SUCCEEDED", call.runtime.clock.now()

    store.after(0, begun)
    store.after(call.world.delays.task, done)
    return task
