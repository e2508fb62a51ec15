"""CW-J050: Processes per node are as many as the job has accelerators."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --ntasks-per-node=8\nsrun torchrun --nproc_per_node=8 train.py",
        "srun --ntasks-per-node=8 torchrun --nproc-per-node gpu train.py",
        "srun torchrun --nproc_per_node=16 train.py",
        "#SBATCH --gres=gpu:4\nsrun torchrun --nproc_per_node=8 train.py",
        "srun -n 32 python -m torch.distributed.run --nproc_per_node=8 train.py",
    ],
)
def test_too_many(text: str) -> None:
    assert fails("CW-J050", HEAD + text + "\n").severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --ntasks-per-node=1\nsrun torchrun --nproc_per_node=8 train.py",
        "#SBATCH --ntasks-per-node=8\nsrun --ntasks-per-node=1 torchrun --nproc_per_node=8 t.py",
        "#SBATCH --ntasks-per-node=8\nsrun python train.py",
        "srun torchrun --nproc_per_node=$N train.py",
        "#SBATCH --ntasks-per-node=8\nsrun -n 4 -N 4 torchrun --nproc_per_node=8 train.py",
        "#SBATCH -p trn\nsrun torchrun --nproc_per_node=32 train.py",
    ],
)
def test_one_each(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


def test_lightning_takes_a_task_for_each_device() -> None:
    one = HEAD + "#SBATCH --ntasks-per-node=1\n"
    found = fails("CW-J050", one + "srun python pretrain.py trainer.devices=8\n")
    assert found.message == (
        "Lightning takes one task for each device: 8 devices, and srun starts 1 per node"
    )
    eight = HEAD + "#SBATCH --ntasks-per-node=8\n"
    passes("CW-J050", eight + "srun python pretrain.py trainer.devices=8\n")
    passes("CW-J050", one + "srun torchrun --nproc-per-node=8 pretrain.py trainer.devices=8\n")
    passes("CW-J050", HEAD + "python pretrain.py trainer.devices=8\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun --nproc_per_node=4 train.py",
        "srun accelerate launch --num_machines 4 --num_processes 8 train.py",
        "srun --ntasks-per-node=2 torchrun --nproc-per-node=2 train.py",
        "srun bash -c 'accelerate launch --num_machines 4 --num_processes 4 train.py'",
    ],
)
def test_idle_gpus(text: str) -> None:
    assert fails("CW-J050", HEAD + text + "\n").severity == "warning"


@pytest.mark.parametrize(
    "text",
    [
        "srun accelerate launch --num_machines 4 --num_processes 32 train.py",
        "srun accelerate launch --num_machines 4 --num_processes $N train.py",
        "#SBATCH --gpus-per-node=4\nsrun torchrun --nproc_per_node=4 train.py",
        "export CUDA_VISIBLE_DEVICES=0,1\nsrun torchrun --nproc_per_node=2 train.py",
        "srun --ntasks-per-node=8 torchrun --nnodes=4 --nproc-per-node=1 train.py",
        "#SBATCH --ntasks-per-node=8\nsrun torchrun --nnodes=4 --nproc-per-node=1 train.py",
        "for i in 0 1 2 3; do\n  srun -N1 --gpus=2 --exact torchrun --standalone "
        "--nproc-per-node=2 train.py &\ndone\nwait",
        "srun --gpus-per-node=4 torchrun --nproc-per-node=4 train.py",
        "srun torchrun --nproc-per-node=4 train.py &\npython serve.py &\nwait",
        "srun -w a torchrun --nproc_per_node=4 train.py &\n"
        "srun -w a torchrun --nproc_per_node=4 train.py &\nwait",
    ],
)
def test_as_many_as_are_requested(text: str) -> None:
    passes("CW-J050", HEAD + text + "\n")


def test_words_of_a_shell_text() -> None:
    text = HEAD + "#SBATCH --ntasks-per-node=1\nsrun bash -c 'cd /opt; python t.py "
    fails("CW-J050", text + "trainer.devices=8'\n")
