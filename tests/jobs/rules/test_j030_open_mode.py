"""CW-J030: The log of a job that is requeued is appended to."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize("lines", ["--requeue", "--requeue --open-mode=truncate"])
def test_truncated(lines: str) -> None:
    found = fails("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")
    assert "--open-mode=append" in (found.hint or "")


TRAINING = """#!/bin/bash
#SBATCH --nodes=8 {}
srun torchrun train.py{}
"""


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        ("", ""),
        ("--open-mode=truncate", ""),
        ("--open-mode=append", " 2>&1 | tee train.log"),
        ("--open-mode=append --requeue", " | tee -i logs/$SLURM_JOB_ID.log"),
    ],
)
def test_slurm_requeues_a_training_without_an_option(lines: str, output: str) -> None:
    fails("CW-J030", TRAINING.format(lines, output))


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        ("--no-requeue", " | tee train.log"),
        ("--open-mode=append", " | tee -a train.log"),
        ("--open-mode=append", " | tee -ia train.log"),
        ("--open-mode=append", " | tee --append train.log"),
        ("--open-mode=append", " | tee log.$SLURM_RESTART_COUNT"),
        ("--open-mode=append", " | tee /dev/stderr"),
        ("--time=10 ", " | tee train.log"),
    ],
)
def test_a_training_that_appends_or_is_not_requeued(lines: str, output: str) -> None:
    passes("CW-J030", TRAINING.format(lines, output))


@pytest.mark.parametrize("lines", ["--requeue --open-mode=append", "--no-requeue", "-N1"])
def test_appended(lines: str) -> None:
    passes("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")
