"""CW-J031: Long training jobs on several nodes are requeued."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

TRAIN = "srun torchrun train.py\n"


@pytest.mark.parametrize("lines", ["--time=2-0", "--time=2-0 --no-requeue", "--exclusive"])
def test_not_requeued(lines: str) -> None:
    fails("CW-J031", HEAD + f"#SBATCH {lines}\n{TRAIN}")


@pytest.mark.parametrize("lines", ["--time=2-0 --requeue", "--time=1:00:00"])
def test_requeued_or_short(lines: str) -> None:
    passes("CW-J031", HEAD + f"#SBATCH {lines}\n{TRAIN}")


def test_auto_resume_and_one_node() -> None:
    passes("CW-J031", HEAD + "srun --auto-resume=1 torchrun train.py\n")
    passes("CW-J031", f"#!/bin/bash\n#SBATCH -t 2-0\n{TRAIN}")
