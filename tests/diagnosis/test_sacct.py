"""Jobs of sacct's output."""

from __future__ import annotations

import json

import pytest

from clusterwright.diagnosis import sacct
from clusterwright.diagnosis.scheduler import of_ended


def test_json_of_slurm() -> None:
    job = {
        "job_id": 99,
        "name": "train",
        "user": "ada",
        "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
        "exit_code": {
            "status": ["SIGNALED"],
            "return_code": {"set": True, "number": 0},
            "signal": {"id": {"set": True, "number": 7}, "name": "BUS"},
        },
        "nodes": "workers-[1-2]",
        "time": {"start": 1795420800, "end": 1795421800},
        "restart_cnt": 1,
        "comment": {"job": "", "system": "x"},
    }
    (found,) = sacct.jobs(json.dumps({"jobs": [job]}))
    (item,) = of_ended(found, "f")
    assert item.text == "FAILED exit 0:7 reason NonZeroExitCode; x"
    assert item.fields["nodes"] == "workers-1,workers-2"
    assert (item.job, str(item.time)) == ("99", "2026-11-23 08:16:40+00:00")


def test_step_that_ran_out_of_memory_says_why() -> None:
    job = {"job_id": 5, "state": ["FAILED"], "steps": [{"state": ["OUT_OF_MEMORY"]}]}
    (found,) = sacct.jobs(json.dumps({"jobs": [job]}))
    assert found["state"] == "OUT_OF_MEMORY"


def test_table() -> None:
    text = "JobID|State|ExitCode|NodeList\n7|FAILED|1:0|workers-1\n7.batch|FAILED|1:0|workers-1\n"
    (found,) = sacct.jobs(text)
    assert found == {"id": "7", "state": "FAILED", "exit_code": "1:0", "nodes": "workers-1"}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}', "hello\nworld"])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(sacct.SacctError):
        sacct.jobs(text)
