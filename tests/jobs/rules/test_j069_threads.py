"""CW-J069: The threads of a node's processes are not more than its CPUs."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

RUN = "srun torchrun --nproc-per-node=8 train.py\n"


def test_more_threads_than_cpus() -> None:
    found = fails("CW-J069", HEAD + "export OMP_NUM_THREADS=96\n" + RUN)
    assert found.message == "8 processes with 96 threads each: 768 on the 192 CPUs of a node"
    assert found.hint == "OMP_NUM_THREADS=24 at most"


@pytest.mark.parametrize("value", ["1", "24", "$SLURM_CPUS_PER_TASK"])
def test_threads_that_fit(value: str) -> None:
    passes("CW-J069", HEAD + f"export OMP_NUM_THREADS={value}\n" + RUN)
