"""Data repository tasks: imports and exports on demand. They end at once and move no data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright.localaws.call import AwsError, Call, operation
from clusterwright.localaws.pages import page
from clusterwright.localaws.services.fsx.state import new_id, once, store_of, tag_list, tag_map
from clusterwright.localaws.zones import partition_of


@operation("fsx", "CreateDataRepositoryTask")
def create_task(call: Call) -> Mapping[str, Any]:
    def make() -> str:
        return str(_create(call)["TaskId"])

    return {"DataRepositoryTask": store_of(call).tasks[once(call, "task", make)]}


@operation("fsx", "DescribeDataRepositoryTasks")
def describe_tasks(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    ids = call.parameters.get("TaskIds")
    found = []
    for task_id in ids or store.tasks:
        if task_id not in store.tasks:
            raise AwsError(
                "DataRepositoryTaskNotFound", f"Data repository task '{task_id}' does not exist."
            )
        found.append(store.tasks[task_id])
    for entry in call.parameters.get("Filters", ()):
        member = {"file-system-id": "FileSystemId", "task-lifecycle": "Lifecycle"}.get(
            str(entry.get("Name"))
        )
        if member:
            found = [task for task in found if task.get(member) in entry.get("Values", ())]
    entries, token = page(found, call, default=100, stale_page_code="BadRequest")
    answer: dict[str, Any] = {"DataRepositoryTasks": list(entries)}
    return {**answer, "NextToken": token} if token else answer


def _create(call: Call) -> dict[str, Any]:
    store = store_of(call)
    asked = call.parameters
    file_system = store.file_system(asked["FileSystemId"])
    linked = "ImportPath" in file_system.lustre or store.of_file_system(file_system)
    if not linked:
        raise AwsError(
            "BadRequest", f"File system {file_system.id} is not linked to a data repository."
        )
    report = asked["Report"]
    if report["Enabled"] and not report.get("Path"):
        raise AwsError("BadRequest", "Report.Path is required when the report is enabled.")
    task_id = new_id("task")
    task: dict[str, Any] = {
        "TaskId": task_id,
        "Lifecycle": "EXECUTING",
        "Type": asked["Type"],
        "CreationTime": call.now,
        "StartTime": call.now,
        "ResourceARN": (
            f"arn:{partition_of(call.region)}:fsx:{call.region}:{call.account}:task/{task_id}"
        ),
        "FileSystemId": file_system.id,
        "Paths": list(asked.get("Paths", ())),
        "Report": report,
    }
    tags = tag_map(asked.get("Tags"))
    if tags:
        task["Tags"] = tag_list(tags)
    store.tasks[task_id] = task

    def done() -> None:
        task["Lifecycle"] = "SUCCEEDED"
        task["EndTime"] = call.runtime.clock.now()
        task["Status"] = {"TotalCount": 0, "SucceededCount": 0, "FailedCount": 0}

    store.later(call.world.delays.association, done)
    return task
