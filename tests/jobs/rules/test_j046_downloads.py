"""CW-J046: One process downloads, not every rank."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun hf download a/b",
        "srun bash -c 'pip install torch && python train.py'",
        "srun --ntasks-per-node=8 wget https://x.org/a",
        "srun enroot import docker://a",
        "srun bash -c 'git clone --depth 1 https://x.org/a.git'",
        "srun torchrun sft.py --model_name_or_path meta-llama/Llama-3.1-8B",
    ],
)
def test_every_rank(text: str) -> None:
    fails("CW-J046", HEAD + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun -N1 -n1 hf download a/b",
        "hf download a/b",
        "srun bash -c 'git clone --single-branch /fsx/repositories/a .'",
        "srun torchrun sft.py --model_name_or_path /fsx/m",
        "export HF_HUB_OFFLINE=1\nsrun torchrun sft.py --model_name_or_path meta-llama/Llama",
        "srun bash -c 'if [ $SLURM_LOCALID = 0 ]; then pip install a; fi'",
    ],
)
def test_once(text: str) -> None:
    passes("CW-J046", HEAD + text + "\n")
