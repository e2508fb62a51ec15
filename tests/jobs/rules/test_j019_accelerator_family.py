"""CW-J019: The job is for the accelerators of its nodes."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("#SBATCH -p gpu\nsrun neuron_parallel_compile python train.py\n", "error"),
        ("#SBATCH -p gpu\nnccom-test -r 32 allr\n", "error"),
        ("#SBATCH -p trn\n#SBATCH --gres=gpu:8\nsrun a\n", "error"),
        ("#SBATCH -p trn\nnvidia-smi\n", "error"),
        ("#SBATCH -p gpu\nexport NEURON_RT_NUM_CORES=32\nsrun a\n", "warning"),
        ("#SBATCH -p trn\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nsrun a\n", "warning"),
    ],
)
def test_jobs_for_others(text: str, severity: str) -> None:
    assert fails("CW-J019", f"#!/bin/bash\n{text}").severity == severity


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH -p trn\nsrun neuron_parallel_compile python train.py\n",
        "#SBATCH -p gpu --gres=gpu:8\nnvidia-smi\n",
        "#SBATCH -p cpu\nsrun python tokenise.py\n",
    ],
)
def test_jobs(text: str) -> None:
    passes("CW-J019", f"#!/bin/bash\n{text}")
