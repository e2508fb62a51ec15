"""CW-J024: Jobs that share nodes do not use a fixed port."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export MASTER_PORT=29500\npython train.py",
        "torchrun --master_port 29500 train.py",
        "torchrun --rdzv-endpoint=localhost:29400 train.py",
    ],
)
def test_fixed(text: str) -> None:
    fails("CW-J024", f"#!/bin/bash\n#SBATCH --gres=gpu:1\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH --gres=gpu:1\nexport MASTER_PORT=$((10000 + RANDOM % 100))\npython train.py",
        "#SBATCH --gres=gpu:8\nexport MASTER_PORT=29500\npython train.py",
        "#SBATCH --exclusive\nexport MASTER_PORT=29500\npython train.py",
        "#SBATCH --gres=gpu:1\ntorchrun --standalone train.py",
    ],
)
def test_chosen_or_alone(text: str) -> None:
    passes("CW-J024", f"#!/bin/bash\n{text}\n")
