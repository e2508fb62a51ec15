"""CW-J028: Options of the resources agree with each other."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes

TEXT = "#!/bin/bash\n#SBATCH -p gpu {}\nsrun python serve.py\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-N1 --cpus-per-gpu=12 --cpus-per-task=12 -G8", "--cpus-per-gpu and --cpus-per-task are"),
        ("--ntasks-per-gpu=1 --ntasks-per-node=8 -G8", "--ntasks-per-gpu and --ntasks-per-node"),
        ("-n8 --ntasks-per-gpu=1 --gpus-per-task=1", "--ntasks-per-gpu and --gpus-per-task are"),
        ("--exclusive --oversubscribe", "--exclusive and --oversubscribe are"),
        ("--ntasks-per-gpu=1 -c1 --gres=gpu:1", "srun refuses --ntasks-per-gpu beside"),
        ("--gpus-per-task=1", "--gpus-per-task does not say how many tasks"),
        ("--tres-per-task=gres/gpu:1", "--tres-per-task does not say how many tasks"),
        ("--gpus-per-socket=1", "--gpus-per-socket requires --sockets-per-node"),
        ("--mem-per-gpu=10G", "--mem-per-gpu is stated, and the job requests no GPU"),
        ("-n8 --gres=gpu:h100:8 --gpus-per-task=1", "accelerators are requested with a type and"),
        ("-N2 --gpus=12 --gpus-per-node=8", "--gpus=12 is not a multiple of 8 GPUs per node"),
        ("-N2 --gpus=8 --gpus-per-node=8", "--gpus=8 with 8 per node needs 1 nodes, and the job "),
        ("-n4 --gpus-per-task=2 --gpus=6", "4 tasks with 2 GPUs each are 8, and --gpus is 6"),
    ],
)
def test_options_that_slurm_refuses(options: str, message: str) -> None:
    assert fails("CW-J028", TEXT.format(options)).message.startswith(message)


@pytest.mark.parametrize(
    "options",
    [
        "-N1 --gpus-per-task=1",
        "-n8 --gpus-per-task=1 -c 12",
        "-N2 --gpus=16 --gpus-per-node=8",
        "-n4 --gpus-per-task=2 --gpus=8",
        "-G8 --ntasks-per-gpu=1 --cpus-per-gpu=12 --mem-per-gpu=100G",
        "--gpus-per-socket=1 --sockets-per-node=1",
        "-N2 --gpus=$GPUS --gpus-per-node=8",
    ],
)
def test_options_that_slurm_takes(options: str) -> None:
    passes("CW-J028", TEXT.format(options))


def test_components_of_a_heterogeneous_job_have_options_of_their_own() -> None:
    text = (
        "#!/bin/bash\n#SBATCH -p gpu --cpus-per-gpu=2 -G1\n#SBATCH hetjob\n#SBATCH -p cpu -c 4\n"
    )
    passes("CW-J028", text + "srun python serve.py\n")
