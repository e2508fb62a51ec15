"""Tests of services.fsx.tasks."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.fsx_requests import create, find, lustre
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    open_lustre_ports,
    refusal,
)


def settled(site: Site, **configuration: Any) -> str:
    name = str(create(lustre(site, 1200, **configuration))["FileSystemId"])
    assert find(name)["Lifecycle"] == "AVAILABLE"
    return name


class TestTasks:
    @pytest.fixture
    def task(self) -> Any:
        with local_aws(delays={"task": 60}) as runtime:
            site = build_site()
            open_lustre_ports(site)
            client("s3").create_bucket(Bucket="corpus")
            name = settled(site, DeploymentType="SCRATCH_2")
            client("fsx").create_data_repository_association(
                FileSystemId=name, FileSystemPath="/d", DataRepositoryPath="s3://corpus"
            )
            yield runtime, name

    def state(self, task_id: str) -> str:
        found = client("fsx").describe_data_repository_tasks(TaskIds=[task_id])
        return str(found["DataRepositoryTasks"][0]["Lifecycle"])

    def make(self, name: str, **more: Any) -> str:
        wanted = {"Type": "EXPORT_TO_REPOSITORY", "Report": {"Enabled": False}, **more}
        made = client("fsx").create_data_repository_task(FileSystemId=name, **wanted)
        assert made["DataRepositoryTask"]["Lifecycle"] == "PENDING"
        return str(made["DataRepositoryTask"]["TaskId"])

    def test_task_runs_and_succeeds(self, task: tuple[Runtime, str]) -> None:
        runtime, name = task
        item = self.make(name)
        assert self.state(item) == "EXECUTING"
        runtime.clock.advance(61)
        assert self.state(item) == "SUCCEEDED"
        ended = refusal(client("fsx").cancel_data_repository_task, TaskId=item)
        assert ended[0] == "DataRepositoryTaskEnded"

    def test_task_is_cancelled(self, task: tuple[Runtime, str]) -> None:
        runtime, name = task
        item = self.make(name)
        answer = client("fsx").cancel_data_repository_task(TaskId=item)
        assert answer["Lifecycle"] == self.state(item) == "CANCELING"
        runtime.clock.advance(61)
        assert self.state(item) == "CANCELED"
        listed = client("fsx").describe_data_repository_tasks(
            Filters=[{"Name": "task-lifecycle", "Values": ["CANCELED"]}]
        )
        assert [each["TaskId"] for each in listed["DataRepositoryTasks"]] == [item]

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"Report": {"Enabled": True}}, "BadRequest"),
            ({"Report": {"Enabled": True, "Path": "s3://corpus/r"}}, "BadRequest"),
            ({"Type": "AUTO_RELEASE_DATA"}, "UnsupportedOperation"),
            ({"CapacityToRelease": 1}, "UnsupportedOperation"),
        ],
    )
    def test_invalid_tasks_are_refused(
        self, task: tuple[Runtime, str], more: dict[str, Any], code: str
    ) -> None:
        wanted = {"Type": "EXPORT_TO_REPOSITORY", "Report": {"Enabled": False}, **more}
        found = refusal(client("fsx").create_data_repository_task, FileSystemId=task[1], **wanted)
        assert found[0] == code
