"""Records of jobs in the forms of Slurm's JSON and of sacct's table."""

from __future__ import annotations

import json
from typing import Any

from clusterwright.diagnosis import sacct
from clusterwright.goodput.accounting import JobRecord, records

START, END = 1_764_000_000, 1_764_003_600


def number(value: int) -> dict[str, Any]:
    return {"set": True, "infinite": False, "number": value}


def read(*jobs: dict[str, Any]) -> list[JobRecord]:
    return records(sacct.jobs(json.dumps({"meta": {}, "jobs": list(jobs), "errors": []})))


def of_2024(**times: Any) -> dict[str, Any]:
    """data_parser v0.0.40 to v0.0.42 (Slurm 23.11 to 24.11)."""
    return {
        "job_id": 4711,
        "name": "llama3",
        "state": {"current": ["NODE_FAIL"], "reason": "None"},
        "allocation_nodes": 2,
        "nodes": "workers-[1-2]",
        "comment": {"administrator": "", "job": "run=llama3-a", "system": ""},
        "time": {"submission": START - 90, "eligible": START - 30, "start": START, "end": END}
        | times,
    }


def test_forms_of_slurm_versions_give_the_same_record() -> None:
    """Numbers are plain or objects, states text or lists, depending on the data parser."""
    expected = JobRecord(
        "4711",
        "llama3",
        float(START - 90),
        float(START - 30),
        float(START),
        float(END),
        "NODE_FAIL",
        2,
        "workers-[1-2]",
        "run=llama3-a",
    )
    older = of_2024() | {"state": {"current": "NODE_FAIL", "reason": "None"}}
    newer = of_2024(
        submission=number(START - 90), start=number(START), end=number(END), eligible=number(START)
    ) | {"allocation_nodes": number(2)}
    newer["time"]["eligible"] = number(START - 30)
    assert read(of_2024()) == read(older) == read(newer) == [expected]


def test_table_of_sacct() -> None:
    text = (
        "JobID|JobName|State|Submit|Eligible|Start|End|NNodes\n"
        "7|t|COMPLETED|2025-11-24T15:58:30|2025-11-24T15:59:30|2025-11-24T16:00:00|Unknown|2\n"
        "7.batch|t|COMPLETED||||||\n"
        "8|t|PENDING|2025-11-24T15:58:30|Unknown|Unknown|Unknown|2\n"
    )
    (record,) = records(sacct.jobs(text))
    assert (record.submit, record.start, record.end) == (START - 90.0, float(START), None)
    assert (record.nodes, record.job_id) == (2, "7")


def test_a_requeued_job_has_a_record_for_each_start() -> None:
    second = of_2024(submission=END, eligible=END + 120, start=END + 200, end=0)
    found = read(second, of_2024(), of_2024(), of_2024(start=0))
    assert [(r.start, r.end) for r in found] == [(START, END), (END + 200, None)]


def test_what_is_not_stated_is_unknown() -> None:
    (record,) = read({"job_id": 1, "time": {"start": START, "end": START - 5}})
    assert (record.submit, record.eligible, record.nodes, record.end) == (None, None, None, START)
