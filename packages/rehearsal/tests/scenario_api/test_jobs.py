"""Restarts of a counting job, as its output shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import pytest

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.jobs import CountingJob
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api.fake_context import FakeContext


@dataclass
class _Job:
    text: str
    state: str = "RUNNING"
    id: str = "7"
    hosts: list[str] = field(default_factory=list)

    def output(self) -> str:
        return self.text

    def show(self) -> dict[str, str]:
        return {"JobState": self.state}


def _counting(text: str, state: str = "RUNNING") -> CountingJob:
    return CountingJob(
        cast(ScenarioContext, FakeContext("")), cast(Job, _Job(text, state)), "/fsx/count"
    )


def test_job_reports_where_it_resumed() -> None:
    job = _counting("start on a at step 0\nslurmstepd: killed\nstart on b at step 6\n")
    assert job.starts == [("a", 0), ("b", 6)]
    assert job.expect_restart(5) == "b"


@pytest.mark.parametrize(
    ("text", "state", "says"),
    [
        ("start on a at step 0\nstart on b at step 4\n", "RUNNING", "although step 5 was saved"),
        ("start on a at step 0\n", "PENDING", "is PENDING"),
        (
            "start on a at step 0\nstart on b at step 6\nstart on a at step 7\n",
            "RUNNING",
            "is RUNNING",
        ),
    ],
)
def test_lost_steps_or_missing_restart_break_the_promise(text: str, state: str, says: str) -> None:
    with pytest.raises(Broken, match=says):
        _counting(text, state).expect_restart(5)
