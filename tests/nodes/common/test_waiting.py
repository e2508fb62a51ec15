"""Which pending jobs wait for nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_common.waiting import job_that_waits

from tests.nodes.metrics.fake_node import Machine


def asked(folder: Path, *lines: str) -> str | None:
    machine = Machine(folder)
    (folder / "queue").write_text("".join(f"{line}\n" for line in lines))
    machine.command("squeue", f"cat {folder}/queue")
    return job_that_waits(machine.probe())


@pytest.mark.parametrize(
    "reason",
    [
        *("Resources", "Priority", "None", "ReqNodeNotAvail, UnavailableNodes:n1"),
        "a reason of a later version",
    ],
)
def test_a_job_that_may_wait_for_nodes_is_named(tmp_path: Path, reason: str) -> None:
    lines = ("7|Dependency|train", "8|JobHeldUser|train", f"9|{reason}|train")
    assert asked(tmp_path, *lines) == "9"


@pytest.mark.parametrize(
    "line",
    [
        *("7|Dependency|x", "7|BeginTime|x", "7|QOSMaxJobsPerUserLimit|x", "7|Licenses|x"),
        *("7|PartitionDown|x", "7|AssocGrpNodeLimit|x", "7|Priority|clusterwright-recheck", ""),
    ],
)
def test_other_jobs_do_not_wait_for_nodes(tmp_path: Path, line: str) -> None:
    assert asked(tmp_path, line) is None


def test_without_an_answer_a_job_may_wait(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.command("squeue", "exit 1")
    assert job_that_waits(machine.probe()) == "unknown"
