"""What a command of Slurm prints about one refused request is one report."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log

REFUSED = "sbatch: error: Batch job submission failed: {}"


def test_words_of_a_plugin_of_the_site_are_the_reason() -> None:
    words = "sbatch: error: {}\n"
    (found,) = findings(
        *of_log(words.format("Job 9 hours long") + REFUSED.format("Unspecified error"))
    )
    assert found.cause.endswith("Unspecified error: Job 9 hours long")
    text = words.format("Cannot find GPU specification") + words.format("see the handbook")
    (found,) = findings(*of_log(text + REFUSED.format("Unspecified error")))
    assert found.cause == (
        "Slurm: a plug-in of the cluster that checks jobs (job_submit) refused it, with these "
        "words: Batch job submission failed: Unspecified error: Cannot find GPU specification see "
        "the handbook"
    )
    assert [e.id for e in found.evidence] == ["stream:3"]


def test_what_did_not_prevent_the_request_is_no_cause() -> None:
    text = "sbatch: error: spank: x11.so: Plugin file not found\n"
    answer = REFUSED.format("I/O error writing script/environment to file")
    (found,) = findings(*of_log(text + answer))
    assert "StateSaveLocation or SlurmdSpoolDir is full or not writable" in found.cause
    (alone,) = findings(*of_log(text))
    assert alone.signature == "slurm-plugin"


def test_lines_of_another_command_and_of_programs_stay_lines() -> None:
    lines = [
        "srun: error: one",
        "sbatch: error: two",
        "a program writes",
        REFUSED.format("Invalid qos specification"),
        *(f"salloc: error: {number}" for number in range(9)),
    ]
    assert [line.text for line in of_log("\n".join(lines))] == lines


def test_a_refusal_without_words_has_no_reason() -> None:
    (found,) = findings(*of_log(REFUSED.format("Unspecified error")))
    assert "refused it without a reason" in found.cause


def test_end_of_a_command_repeats_what_it_said() -> None:
    text = (
        "sbatch: error: --gpus-per-socket option requires --sockets-per-node specification\n"
        "sbatch: error: Invalid generic resource (gres) specification"
    )
    (found,) = findings(*of_log(text))
    assert found.cause == (
        "Slurm: options of the job exclude each other, lack another one, or their numbers do not "
        "fit: --gpus-per-socket option requires --sockets-per-node specification"
    )
    (alone,) = findings(*of_log(text.partition("\n")[2]))
    assert alone.signature == "slurm-error"


@pytest.mark.parametrize(
    ("of_step", "answer", "cause"),
    [
        (
            "ip-10-1-2-3: tasks 0-7: Segmentation fault (core dumped)",
            "Job/step already completing or completed",
            "a program crashed (segmentation fault)",
        ),
        (
            "ip-10-1-2-3: task 3: Out Of Memory",
            "Invalid job id specified",
            "out of memory: the kernel or Slurm killed a process",
        ),
        (
            "Node failure on ip-10-1-1-4",
            "Node is DOWN",
            "the job was cancelled because a node failed",
        ),
    ],
)
def test_a_refused_step_after_one_that_failed(of_step: str, answer: str, cause: str) -> None:
    text = f"srun: error: {of_step}\nsrun: error: Unable to allocate resources: {answer}"
    assert findings(*of_log(text))[0].cause.startswith(cause)


def test_lines_of_a_step_end_what_a_command_said_before_its_answer() -> None:
    lines = [
        "srun: error: ip-1: task 0: Bus error",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        "srun: Force Terminated StepId=12.0",
        "srun: error: Unable to allocate resources: Job/step already completing or completed",
    ]
    evidence = of_log("\n".join(lines))
    assert [line.text for line in evidence] == lines
    (found,) = findings(*evidence)
    assert "ip-1: task 0: Bus error (bus error (SIGBUS)" in found.cause


@pytest.mark.parametrize(
    "before",
    [
        "srun: job 12 queued and waiting for resources",
        "srun: Job allocation 3 has been revoked.",
        "srun: warning: can't run 1 processes on 2 nodes, setting nnodes to 1",
        "srun: error: ip-10-1-2-3: task 0: Killed",
    ],
)
def test_words_of_slurm_are_none_of_a_plugin(before: str) -> None:
    refused = "srun: error: Unable to allocate resources: Unspecified error"
    found = findings(*of_log(f"{before}\n{refused}"))
    assert any("refused it without a reason" in one.cause for one in found)
    assert not any("with these words" in one.cause for one in found)


def test_an_answer_to_a_step_stays_beside_a_later_one() -> None:
    text = (
        "srun: error: Unable to create step for job 12: Invalid generic resource (gres) "
        "specification\nsrun: error: Unable to allocate resources: Requested nodes are busy"
    )
    assert "Invalid generic resource" in findings(*of_log(text))[0].cause


def test_end_of_an_allocation_before_a_refusal() -> None:
    text = "salloc: Relinquishing job allocation 3\n"
    answer = "salloc: error: Job submit/allocate failed: Unspecified error"
    (found,) = findings(*of_log(text + answer))
    assert "refused it without a reason" in found.cause
