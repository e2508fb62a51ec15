"""Figures of training jobs from their output files."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from clusterwright_common.probe import Probe, ProbeError
from clusterwright_metrics.sources import training
from clusterwright_metrics.text import Metrics

from tests.monitoring.complete_node import TITAN
from tests.nodes.metrics.fake_node import Machine, Samples

PATH = "/shared/llama-7.out"
NOW = 1_800_000_000.0
LINES = TITAN.splitlines(keepends=True)


@pytest.fixture(autouse=True)
def _nothing_followed() -> Iterator[None]:
    training._followed.clear()
    yield
    training._followed.clear()


def job(number: int = 7, restarts: int = 0, nodes: int = 2, name: str = "llama") -> str:
    return f"{number} |workers |alice |research |{restarts} |{nodes} |{name} \n"


def runs(machine: Machine, jobs: str | None = None, path: str = PATH) -> None:
    machine.says("squeue", job() if jobs is None else jobs)
    machine.says("scontrol", f"JobId=7 JobName=llama\n   StdErr={path}\n   StdOut={path}\n")


def writes(machine: Machine, text: str, at: float, path: str = PATH) -> None:
    machine.file(path, text)
    os.utime(machine.root / path.lstrip("/"), (at, at))


def value(found: Samples, name: str, job_id: str = "7") -> float | None:
    """The sample of a job, whatever its other labels."""
    values = [v for (n, labels), v in found.items() if n == name and ("job_id", job_id) in labels]
    assert len(values) <= 1
    return values[0] if values else None


def reason(found: Samples) -> str:
    [labels] = [dict(labels) for name, labels in found if name == "training_log_readable"]
    return labels["reason"]


def test_every_figure_of_a_log(machine: Machine) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    found = machine.samples(training)
    figures = {
        "training_log_readable": 1,
        "training_restarts": 0,
        "training_step": 31,
        "training_total_steps": 1000,
        "training_step_seconds": 1.0,
        # The last line is four seconds younger than that of the step.
        "training_last_step_timestamp_seconds": NOW - 4,
        "training_step_line_interval_seconds": 10,
        "training_loss": 11,
        "training_tokens_per_second": 2048 * 16,
        "training_flops_per_gpu": 494.5e12,
        "training_mfu_ratio": 0.5,
        "training_checkpoint_step": 31,
        "training_checkpoint_timestamp_seconds": NOW,
        "training_checkpoint_seconds": 4,
        "training_checkpoint_interval_seconds": 24,
    }
    assert {name: value(found, name) for name in figures} == figures
    [info] = [dict(labels) for name, labels in found if name == "training_job_info"]
    assert info == {
        "job_id": "7",
        "partition": "workers",
        "job_name": "llama",
        "user": "alice",
        "account": "research",
        "framework": "torchtitan",
    }


def test_mfu_by_the_plan_that_the_job_states(machine: Machine) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    found = machine.samples(training)
    assert value(found, "training_plan_mfu_ratio") is None
    line = "job 7: plan: flops-per-token=1e+11 peak-flops=1e+15 accelerators=16\n"
    writes(machine, line + TITAN, NOW + 60)
    found = machine.samples(training)
    # Each of the 16 accelerators has 2,048 tokens per second.
    assert value(found, "training_plan_flops_per_gpu") == 2048 * 1e11
    assert value(found, "training_plan_mfu_ratio") == pytest.approx(2048 * 1e11 / 1e15)
    # What the framework counts is kept apart.
    assert value(found, "training_mfu_ratio") == 0.5


def test_the_last_step_ages_while_other_lines_come(machine: Machine) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    machine.samples(training)
    writes(machine, TITAN + "NCCL WARN a line without a time\n", NOW + 900)
    found = machine.samples(training)
    assert value(found, "training_last_step_timestamp_seconds") == NOW - 4
    assert value(found, "training_checkpoint_timestamp_seconds") == NOW


def test_a_log_without_times_has_those_of_its_changes(machine: Machine) -> None:
    def step(number: int) -> str:
        return f" iteration {number}/ 99 | elapsed time per iteration (ms): 2000.0 | loss: 1.0 |\n"

    def saved(number: int) -> str:
        return f"  successfully saved checkpoint at iteration {number} to /fsx/c\n"

    runs(machine)
    text = step(1) + step(2) + saved(2)
    writes(machine, text, NOW)
    found = machine.samples(training)
    assert value(found, "training_step_line_interval_seconds") == 2
    assert value(found, "training_checkpoint_interval_seconds") is None
    text += step(3) + step(4) + saved(4)
    writes(machine, text, NOW + 60)
    found = machine.samples(training)
    assert value(found, "training_last_step_timestamp_seconds") == NOW + 60
    assert value(found, "training_checkpoint_step") == 4
    assert value(found, "training_checkpoint_interval_seconds") == 60
    # Neither tokens nor TFLOPS are in these lines.
    assert value(found, "training_tokens_per_second") is None
    assert value(found, "training_flops_per_gpu") is None


def test_only_the_end_of_a_large_file_is_read(machine: Machine) -> None:
    noise = "rank 0 prints this\n" * 40_000
    assert len(noise) > training.HEAD_BYTES + training.TAIL_BYTES
    runs(machine)
    writes(machine, "".join(LINES[:3]) + noise + "".join(LINES[4:]), NOW)
    found = machine.samples(training)
    assert value(found, "training_step") == 31
    # From the beginning of the file.
    assert value(found, "training_tokens_per_second") == 2048 * 16


def test_a_truncated_or_replaced_file_is_a_new_one(machine: Machine) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    machine.samples(training)
    writes(machine, "".join(LINES[:3]), NOW + 60)
    found = machine.samples(training)
    assert value(found, "training_step") == 1
    assert value(found, "training_checkpoint_step") is None
    (machine.root / PATH.lstrip("/")).rename(machine.root / "shared/rotated")
    assert reason(machine.samples(training)) == "missing"
    writes(machine, TITAN, NOW + 120)
    assert value(machine.samples(training), "training_step") == 31


def test_a_requeued_job_is_followed_from_its_new_lines(machine: Machine) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    machine.samples(training)
    runs(machine, job(restarts=1))
    found = machine.samples(training)
    assert value(found, "training_restarts") == 1
    assert list(training._followed) == [("7", "1")]


@pytest.mark.parametrize("broken", ["missing", "permission", "not-a-file"])
def test_a_file_that_cannot_be_read_is_reported(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    runs(machine)
    writes(machine, TITAN, NOW)
    machine.samples(training)
    file = machine.root / PATH.lstrip("/")
    if broken == "permission":
        # Tests may run as root, whom modes do not stop; root_squash does.
        really = os.open

        def opened(path: object, flags: int, *more: int) -> int:
            if str(path) == str(file):
                raise PermissionError(13, "Permission denied", str(path))
            return really(str(path), flags, *more)

        monkeypatch.setattr(os, "open", opened)
    else:
        file.unlink()
    if broken == "not-a-file":
        os.mkfifo(file)
    found = machine.samples(training)
    assert value(found, "training_log_readable") == 0
    assert reason(found) == broken
    # Old figures would look like a training that stands still.
    assert value(found, "training_step") is None


def test_no_step_is_due_after_the_end(machine: Machine) -> None:
    runs(machine)
    end = "[titan] 2026-11-24 10:02:00,000 - root - INFO - Training completed\n"
    writes(machine, TITAN + end, NOW)
    found = machine.samples(training)
    assert value(found, "training_step") == 31
    assert value(found, "training_step_line_interval_seconds") is None


def test_bars_of_an_evaluation_are_no_steps(machine: Machine) -> None:
    runs(machine)
    bars = "".join(f"\r {n}/620 [00:{n:02}<10:00, 1.00it/s]" for n in range(1, 21)) + "\n"
    writes(machine, bars, NOW)
    assert value(machine.samples(training), "training_step") == 20
    evaluation = "".join(f"\r {n}/50 [00:{n:02}<00:50, 1.00it/s]" for n in range(1, 11)) + "\n"
    writes(machine, bars + evaluation * 9000, NOW + 60)
    found = machine.samples(training)
    assert value(found, "training_step") == 20
    assert value(found, "training_last_step_timestamp_seconds") == NOW


def test_the_largest_jobs_are_followed(machine: Machine) -> None:
    jobs = [job(n, nodes=1) for n in range(1, training.MOST_JOBS + 3)] + [job(900, nodes=8)]
    runs(machine, "".join(jobs))
    writes(machine, TITAN, NOW)
    found = machine.samples(training)
    assert found["training_jobs_not_followed", frozenset()] == 3
    assert value(found, "training_step", "900") == 31
    followed = {dict(labels).get("job_id") for name, labels in found if name == "training_step"}
    assert len(followed) == training.MOST_JOBS


def test_files_that_are_left_for_lack_of_time_come_first_next_time(machine: Machine) -> None:
    runs(machine, job(1) + job(2))
    writes(machine, TITAN, NOW)
    probe = machine.probe(60.0)
    calls = iter([60.0, 0.0])
    probe.seconds_left = lambda: next(calls)  # type: ignore[method-assign]
    output = Probe.output
    probe.output = lambda argv, _=5.0: output(machine.probe(), argv)  # type: ignore[method-assign]
    training.collect(probe, Metrics())
    assert list(training._followed) == [("1", "0")]
    machine.samples(training)
    assert list(training._followed) == [("2", "0"), ("1", "0")]


def test_jobs_without_a_file_have_no_samples(machine: Machine) -> None:
    runs(machine, job(name="a|b"))
    machine.says("scontrol", "JobId=7 JobName=a|b\n   Power=\n")
    found = machine.samples(training)
    assert found == {("training_jobs_not_followed", frozenset()): 0}
    runs(machine, "")
    machine.samples(training)
    assert training._followed == {}


def test_a_job_that_has_just_ended_is_no_error(machine: Machine) -> None:
    runs(machine)
    machine.command(
        "scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"
    )
    machine.samples(training)
    training._followed.clear()
    machine.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(ProbeError, match="Unable to contact"):
        training.collect(machine.probe(), Metrics())
