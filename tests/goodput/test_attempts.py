"""Starts of the program in files of several kinds, and the jobs that they belong to."""

from __future__ import annotations

import pytest

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog, assign, attempts_of, step_median
from clusterwright.job_logs import read_log
from tests.support.training_logs import WRITERS, Attempt

START = 1_764_000_000
ONE, TWO = Attempt(START, 0, 12, saves=(10,)), Attempt(START + 600, 10, 20)


def record(job_id: str, start: int, end: int) -> JobRecord:
    return JobRecord(job_id, "llama3", start - 5, start - 5, start, end, "FAILED", 2, "", "")


JOBS = [record("101", START - 10, START + 300), record("102", START + 500, START + 900)]


def log(path: str, text: str) -> NamedLog:
    return NamedLog(path, read_log(text))


def test_a_file_for_each_job() -> None:
    logs = [log("a-102.out", WRITERS["megatron"](TWO)), log("a-101.out", WRITERS["megatron"](ONE))]
    found = attempts_of(logs, JOBS)
    assert assign(found, JOBS) == []
    assert [(a.path, a.resumed_at, a.last_step) for a in found] == [
        ("a-101.out", 0, 12),
        ("a-102.out", 10, 20),
    ]
    assert [a.record for a in found] == JOBS


def test_logs_of_two_ranks_count_once() -> None:
    text = WRITERS["torchtitan"](ONE)
    logs = [log("rank0.log", text), log("rank8.log", text.replace("[rank0]", "[rank8]"))]
    assert [a.path for a in attempts_of(logs, [])] == ["rank0.log"]


def test_stamps_in_local_time_are_moved_into_the_jobs() -> None:
    """Nodes in Tokyo write nine hours more than UTC."""
    moved = Attempt(**{**vars(ONE), "starts_at": START + 9 * 3600})
    found = attempts_of([log("x.out", WRITERS["megatron"](moved))], JOBS)
    assert assign(found, JOBS) == []
    assert (found[0].first_time, found[0].record) == (START, JOBS[0])


def test_resume_without_a_load_line() -> None:
    text = WRITERS["torchtitan"](ONE) + "".join(
        f"{line}\n" for line in WRITERS["torchtitan"](TWO).splitlines() if "loss:" in line
    )
    assert [a.resumed_at for a in attempts_of([log("x.out", text)], [])] == [0, 10]


def test_program_that_wrote_no_step() -> None:
    text = WRITERS["torchtitan"](Attempt(START, 40, 40))
    (found,) = attempts_of([log("x.out", text)], [])
    assert (found.steps, found.resumed_at) == ([], 40)


@pytest.mark.parametrize("names", [("a-101.out", "a-102.out"), ("one.out", "two.out")])
def test_logs_without_times_are_assigned_by_name_or_order(names: tuple[str, str]) -> None:
    text = "iteration {0}/ 99 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0 |\n"
    logs = [log(name, text.format(step)) for name, step in zip(names, (1, 11), strict=True)]
    found = attempts_of(logs, JOBS)
    assert all(a.relative for a in found)
    assert assign(found, JOBS) == []
    assert [a.record for a in found] == JOBS


def test_logs_that_fit_no_job_are_left() -> None:
    text = "iteration 1/ 99 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.0 |\n"
    found = attempts_of([log("one.out", text)], JOBS)
    assert assign(found, JOBS) == found


def test_median_is_without_saves_and_of_lines_that_state_it() -> None:
    run = Attempt(START, 0, 9, saves=(2, 4, 6), save_s=500)
    assert step_median(attempts_of([log("x", WRITERS["torchtitan"](run))], [])) == 10.0
    text = "iteration 1/ 9 | elapsed time per iteration (ms): 1500.0 |\n"
    assert step_median(attempts_of([log("x", text)], [])) == 1.5
    assert step_median([]) is None
