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
        (
            "CUDA_VISIBLE_DEVICES=0 torchrun --standalone --nproc-per-node=8 train.py\n",
            "1 device for 8 processes per node",
        ),
        (
            "export CUDA_VISIBLE_DEVICES=0,1\npython a.py\nexport CUDA_VISIBLE_DEVICES=0\n"
            + TRAIN,
            "=0: 1 device for 8 processes per node",
        ),
        (
            "#SBATCH --gpus-per-node=8\nCUDA_VISIBLE_DEVICES=0 python train.py\n",
            "1 of the 8 accelerators that the job has",
        ),
        ("CUDA_VISIBLE_DEVICES=7,8 python a.py &\n" + TRAIN, "device 8 of nodes with 8"),
        (
            "srun --export=ALL,CUDA_VISIBLE_DEVICES=0,1 true\n"
            "srun env CUDA_VISIBLE_DEVICES=0 torchrun --nnodes=4 --nproc-per-node=8 train.py\n",
            "1 device for 8 processes per node",
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
        "export CUDA_VISIBLE_DEVICES=0\npython smoke.py\n"
        "export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n" + TRAIN,
        "#SBATCH --gpus-per-node=8\nCUDA_VISIBLE_DEVICES=0 python serve.py --port 8000 &\n"
        "CUDA_VISIBLE_DEVICES=1 python serve.py --port 8001 &\n"
        "CUDA_VISIBLE_DEVICES=2,3,4,5,6,7 torchrun --standalone --nproc-per-node=6 rl.py\n",
        "#SBATCH --gpus-per-node=8\n"
        "CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --standalone --nproc-per-node=4 a.py &\n"
        "CUDA_VISIBLE_DEVICES=4,5,6,7 torchrun --standalone --nproc-per-node=4 b.py &\nwait\n",
        "#SBATCH --gpus-per-node=8\n"
        "CUDA_VISIBLE_DEVICES=0,1 accelerate launch --num_processes 2 eval.py\n" + TRAIN,
        "serve() { python serve.py --port $1; }\nCUDA_VISIBLE_DEVICES=0 serve 8000 &\n" + TRAIN,
        "srun env CUDA_VISIBLE_DEVICES=0 python smoke.py\n" + TRAIN,
        "export CUDA_VISIBLE_DEVICES=0,1\npython smoke.py\n"
        "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 torchrun --standalone --nproc-per-node=8 train.py\n",
    ],
)
def test_a_list_that_fits(lines: str) -> None:
    passes("CW-J025", HEAD + lines)


def test_a_job_that_shares_a_node_may_choose() -> None:
    passes("CW-J025", "#!/bin/bash\nexport CUDA_VISIBLE_DEVICES=0\npython train.py\n")
