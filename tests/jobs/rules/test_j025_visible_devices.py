"""CW-J025: Scripts leave it to Slurm and the launcher which accelerators a process sees."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

TRAIN = "srun torchrun --nnodes=4 --nproc-per-node=8 train.py\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("export CUDA_VISIBLE_DEVICES=0,1,2,3\n" + TRAIN, "4 devices for 8 processes per node"),
        ("export CUDA_VISIBLE_DEVICES=8\npython test.py\n", "device 8 of nodes with 8"),
        (
            "#SBATCH --gpus-per-node=8\nexport CUDA_VISIBLE_DEVICES=0\npython train.py\n",
            "1 of the 8 accelerators that the job has",
        ),
        (
            "#SBATCH --ntasks-per-node=8\nexport CUDA_VISIBLE_DEVICES=0,1\nsrun python train.py\n",
            "2 devices for 8 processes per node",
        ),
    ],
)
def test_a_list_that_does_not_fit(lines: str, message: str) -> None:
    found = fails("CW-J025", HEAD + lines)
    assert message in found.message


@pytest.mark.parametrize(
    "lines",
    [
        "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n" + TRAIN,
        "export CUDA_VISIBLE_DEVICES=$SLURM_LOCALID\n" + TRAIN,
        TRAIN,
    ],
)
def test_a_list_that_fits(lines: str) -> None:
    passes("CW-J025", HEAD + lines)


def test_a_job_that_shares_a_node_may_choose() -> None:
    passes("CW-J025", "#!/bin/bash\nexport CUDA_VISIBLE_DEVICES=0\npython train.py\n")
