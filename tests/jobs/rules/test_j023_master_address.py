"""CW-J023: Processes on several nodes meet at an address that all of them reach."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export MASTER_ADDR=localhost\nsrun python train.py",
        "export MASTER_ADDR=127.0.0.1\nsrun torchrun train.py",
        "srun torchrun --rdzv-endpoint localhost:29500 train.py",
        "srun torchrun --master_addr=127.0.0.1 train.py",
    ],
)
def test_local(text: str) -> None:
    assert "4 nodes" in fails("CW-J023", HEAD + text + "\n").message


@pytest.mark.parametrize(
    "text",
    [
        'export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)\nsrun a',
        "export MASTER_ADDR=localhost\nsrun torchrun --rdzv_endpoint=$HEAD:1 train.py",
    ],
)
def test_the_first_node(text: str) -> None:
    passes("CW-J023", HEAD + text + "\n")


def test_one_node() -> None:
    passes("CW-J023", "#!/bin/bash\nexport MASTER_ADDR=localhost\ntorchrun train.py\n")
