"""CW-J034: A step ends on all nodes when it fails on one."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text", ["srun torchrun train.py", "srun --kill-on-bad-exit=0 torchrun train.py"]
)
def test_others_wait(text: str) -> None:
    fails("CW-J034", HEAD + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun --kill-on-bad-exit=1 torchrun train.py",
        "srun -K torchrun train.py",
        "export SLURM_KILL_BAD_EXIT=1\nsrun torchrun train.py",
        "srun all_reduce_perf -g 1",
    ],
)
def test_ends(text: str) -> None:
    passes("CW-J034", HEAD + text + "\n")
