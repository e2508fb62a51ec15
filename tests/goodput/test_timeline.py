"""Histories with a known answer in every form of log, and random ones: parts always add up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import Attempt as ReadAttempt
from clusterwright.goodput.attempts import NamedLog, assign, attempts_of
from clusterwright.goodput.timeline import Timeline, timeline
from clusterwright.job_logs import read_log
from tests.support.training_logs import WRITERS, Attempt

START = 1_764_000_000
KILLED = Attempt(START, 0, 27, start_s=60, saves=(10, 20))
LAST = Attempt(START + 900, 20, 40, saves=(30, 40), stalls={35: 200.0}, finished=True)
NOT_SAID = {"mllog": "saves", "hf-trainer": "the beginning of a second start in the same file"}


def record(submit: int, start: int, end: int | None, job_id: str = "7") -> JobRecord:
    return JobRecord(job_id, "llama3", submit, submit, start, end, "NODE_FAIL", 2, "w-[1-2]", "")


JOBS = [
    record(START - 100, START - 20, START + 400),
    record(START + 450, START + 880, START + 1500),
]


def made(text: str, jobs: list[JobRecord]) -> tuple[Timeline, list[ReadAttempt]]:
    attempts = attempts_of([NamedLog("slurm-7.out", read_log(text))], jobs)
    assert not jobs or assign(attempts, jobs) == []
    return timeline(attempts, jobs), attempts


def check_sum(found: Timeline) -> None:
    assert sum(found.parts.values()) == found.wall_s
    assert all(seconds >= 0 for seconds in found.parts.values())
    edges = [found.begin, *(span.end for span in found.spans)]
    assert [span.begin for span in found.spans] == edges[:-1]
    assert edges[-1] == found.cursor


@pytest.mark.parametrize("framework", sorted(set(WRITERS) - set(NOT_SAID)))
def test_killed_and_resumed_run_with_accounting(framework: str) -> None:
    found, attempts = made(WRITERS[framework](KILLED) + WRITERS[framework](LAST), JOBS)
    assert found.parts == {
        # 80 s before the first start, and 430 s from the requeue to the second.
        "queue_s": 510.0,
        "boot_s": 40.0,
        "start_s": 90.0,
        # Steps 1 to 20 and 21 to 40; 21 to 27 were lost.
        "productive_s": 400.0,
        "repeated_s": 70.0,
        "checkpoint_s": 20.0,
        "stalled_s": 200.0,
        # 60 s until the failure was noticed, 50 s to the requeue, 160 s after the last save.
        "down_s": 270.0,
    }
    assert found.steps(attempts).productive == 40
    assert found.steps(attempts).repeated == 7
    check_sum(found)


@pytest.mark.parametrize("framework", WRITERS)
def test_steps_that_were_done_again(framework: str) -> None:
    found, attempts = made(WRITERS[framework](KILLED) + WRITERS[framework](LAST), JOBS)
    steps = found.steps(attempts)
    assert (steps.productive, steps.repeated, steps.first, steps.last) == (40, 7, 0, 40)
    assert found.parts["stalled_s"] == 200.0
    check_sum(found)


@pytest.mark.parametrize("framework", WRITERS)
def test_without_accounting_the_wall_time_begins_with_the_first_line(framework: str) -> None:
    found, _ = made(WRITERS[framework](KILLED) + WRITERS[framework](LAST), [])
    assert found.begin == START * 8
    assert (found.parts["queue_s"], found.parts["boot_s"]) == (0.0, 0.0)
    assert found.parts["repeated_s"] == pytest.approx(70.0, abs=5)
    check_sum(found)


def test_run_killed_three_times() -> None:
    """The second attempt dies before its first save; the third loses the newest checkpoint."""
    history = [
        Attempt(START, 0, 27, saves=(10, 20)),
        Attempt(START + 1000, 20, 25),
        Attempt(START + 2000, 20, 38, saves=(30,)),
        Attempt(START + 3000, 10, 50, saves=(50,), finished=True),
    ]
    found, attempts = made("".join(WRITERS["torchtitan"](one) for one in history), [])
    # 17 + 5 + 18 steps were lost; 10 of the first and 40 of the last are kept.
    assert (found.kept, found.lost) == ([10, 0, 0, 40], [17, 5, 18, 0])
    assert found.parts["repeated_s"] == 400.0
    assert found.parts["productive_s"] == 500.0
    assert found.steps(attempts).productive == 50


def test_log_without_time_stamps_is_placed_by_its_job() -> None:
    text = WRITERS["megatron"](KILLED)
    bare = "\n".join(
        line.split("] ", 1)[-1] if line.lstrip().startswith("[20") else line
        for line in text.splitlines()
        if "datetime" not in line
    )
    found, attempts = made(bare + "\n", JOBS[:1])
    assert attempts[0].relative
    assert found.parts["productive_s"] == 270.0
    check_sum(found)


def test_line_every_ten_steps() -> None:
    """Only what the lines show is counted; a checkpoint proves the steps after the last line."""

    def thinned(attempt: Attempt) -> str:
        lines = WRITERS["torchtitan"](attempt).splitlines()
        return "".join(
            f"{line}\n"
            for line in lines
            if "loss:" not in line or int(line.split("step:")[1].split()[0]) % 10 == 0
        )

    history = [Attempt(START, 0, 35, saves=(35,), save_s=0), Attempt(START + 800, 35, 60)]
    found, attempts = made("".join(map(thinned, history)), [])
    assert (found.kept, found.lost) == ([35, 25], [0, 0])
    assert found.steps(attempts).productive == 60


def test_steps_without_any_log_are_a_finding() -> None:
    jobs = [record(START - 10, START, START + 330), record(START + 340, START + 900, None)]
    history = [Attempt(START, 0, 27), Attempt(START + 900, 500, 520)]
    found, _ = made("".join(map(WRITERS["torchtitan"], history)), jobs)
    assert [one.code for one in found.findings] == ["steps-missing"]
    check_sum(found)


def test_job_that_wrote_nothing_is_boot() -> None:
    jobs = [record(START - 900, START - 800, START - 300), *JOBS]
    found, _ = made(WRITERS["torchtitan"](KILLED) + WRITERS["torchtitan"](LAST), jobs)
    assert found.parts["boot_s"] == 540.0
    check_sum(found)


def test_jobs_that_wait_for_each_other_are_not_in_the_queue_meanwhile() -> None:
    """Submitted at once with a dependency: the second waits from the end of the first."""
    second = replace(JOBS[1], job_id="8", submit=START - 100, eligible=START + 400)
    text = WRITERS["torchtitan"](KILLED) + WRITERS["torchtitan"](LAST)
    found, _ = made(text, [JOBS[0], second])
    assert found.parts["queue_s"] == 80.0 + 480.0
    check_sum(found)


history = st.lists(
    st.builds(
        Attempt,
        starts_at=st.integers(0, 3000),
        resumed=st.integers(0, 30),
        last=st.integers(0, 60),
        start_s=st.floats(0, 500),
        step_s=st.floats(0.01, 40),
        save_s=st.floats(0, 90),
        saves=st.lists(st.integers(1, 60), max_size=4).map(tuple),
        stalls=st.dictionaries(st.integers(1, 60), st.floats(0, 2000), max_size=2),
        finished=st.booleans(),
    ),
    max_size=5,
)
jobs = st.lists(
    st.tuples(*(st.integers(0, 3000) for _ in range(3))).map(
        lambda t: record(START + t[0], START + t[1], START + t[1] + t[2] if t[2] else None)
    ),
    max_size=4,
)


@settings(max_examples=60)
@given(st.sampled_from(sorted(WRITERS)), history, jobs)
def test_parts_of_any_history_add_up(
    framework: str, runs: list[Attempt], records: list[JobRecord]
) -> None:
    records = sorted(records, key=lambda r: r.start)
    now, text = START, ""
    for run in runs:
        now += run.starts_at
        moved = Attempt(**{**vars(run), "starts_at": now})
        text += WRITERS[framework](moved)
        now = int(moved.last_time) + 1
    attempts = attempts_of([NamedLog("x.out", read_log(text))], records)
    assign(attempts, records)
    if attempts or records:
        found = timeline(attempts, records)
        check_sum(found)
        assert sum(found.kept) + sum(found.lost) >= max(
            (a.last_step - a.resumed_at for a in attempts if a.steps and a.last_step), default=0
        )


def test_program_that_was_started_again_within_one_job() -> None:
    """HyperPod's auto-resume and torchrun start the program again in the same job."""
    job = record(START - 100, START - 20, START + 1500)
    found, attempts = made(WRITERS["torchtitan"](KILLED) + WRITERS["torchtitan"](LAST), [job])
    assert found.parts["queue_s"] == 80.0
    # From the last step of the first start to the first line of the second.
    assert found.parts["down_s"] == 560.0 + 160.0
    assert (found.steps(attempts).productive, found.steps(attempts).repeated) == (40, 7)
    check_sum(found)


def test_accounting_without_duplicates_has_only_the_last_start() -> None:
    attempts = attempts_of(
        [
            NamedLog(
                "slurm-7.out",
                read_log(WRITERS["torchtitan"](KILLED) + WRITERS["torchtitan"](LAST)),
            )
        ],
        JOBS[1:],
    )
    assert [a.last_step for a in assign(attempts, JOBS[1:])] == [27]
    found = timeline(attempts, JOBS[1:])
    assert (sum(found.kept), sum(found.lost)) == (40, 7)
    check_sum(found)
