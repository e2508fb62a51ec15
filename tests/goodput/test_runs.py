"""Which jobs and logs belong to a run."""

from __future__ import annotations

import pytest

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog
from clusterwright.goodput.runs import SeveralRuns, of_run
from clusterwright.job_logs import read_log


def record(job_id: str, name: str, comment: str = "") -> JobRecord:
    return JobRecord(job_id, name, None, None, 1.0, 2.0, "COMPLETED", 2, "", comment)


JOBS = [record("101", "llama3"), record("102", "llama3"), record("103", "mixtral", "run=moe-a")]
LOGS = [NamedLog(name, read_log("")) for name in ("x-101.out", "x-102.out", "y/103.log", "notes")]


@pytest.mark.parametrize(
    ("run", "jobs", "logs"),
    [
        ("llama3", ["101", "102"], ["x-101.out", "x-102.out"]),
        ("102", ["102"], ["x-102.out"]),
        ("moe-a", ["103"], ["y/103.log"]),
        ("y", [], ["y/103.log"]),
        ("10", [], []),
    ],
)
def test_named_run(run: str, jobs: list[str], logs: list[str]) -> None:
    found_logs, found_jobs = of_run(run, LOGS, JOBS)
    assert [j.job_id for j in found_jobs] == jobs
    assert [named.path for named in found_logs] == logs


def test_the_only_run_needs_no_name() -> None:
    logs, jobs = of_run(None, LOGS[:1], JOBS)
    assert ([j.job_id for j in jobs], [n.path for n in logs]) == (["101", "102"], ["x-101.out"])
    assert of_run(None, LOGS[3:], JOBS[:2]) == (LOGS[3:], JOBS[:2])
    assert of_run(None, LOGS, []) == (LOGS, [])


def test_several_runs_must_be_named() -> None:
    with pytest.raises(SeveralRuns) as raised:
        of_run(None, LOGS, JOBS)
    assert raised.value.names == ("llama3", "mixtral")


def test_logs_without_a_job_in_their_name_belong_to_the_named_job() -> None:
    logs, _ = of_run("mixtral", [LOGS[0], LOGS[3]], JOBS)
    assert [named.path for named in logs] == ["notes"]
