"""CW-J066: Steps get the variables that the batch script exports."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

NONE = HEAD + "#SBATCH --export=NONE\n"


def test_steps_inherit_the_option() -> None:
    text = "export NCCL_DEBUG=INFO\nexport A=1 B=2 C=3\nsrun torchrun train.py\n"
    found = fails("CW-J066", NONE + text)
    assert "do not get PATH, A, B, C and 1 more from the script" in found.message
    assert (
        "PATH, NCCL_DEBUG from"
        in fails(
            "CW-J066",
            HEAD + "#SBATCH --export=A\nexport A=1 NCCL_DEBUG=INFO\nsrun torchrun train.py\n",
        ).message
    )


@pytest.mark.parametrize(
    "text",
    [
        NONE + "export SLURM_EXPORT_ENV=ALL\nsrun torchrun train.py\n",
        NONE + "unset SLURM_EXPORT_ENV\nsrun torchrun train.py\n",
        NONE + "srun --export=ALL torchrun train.py\n",
        NONE + "torchrun --standalone train.py\n",
        HEAD + "#SBATCH --export=ALL,A=1\nsrun torchrun train.py\n",
        HEAD + "srun torchrun train.py\n",
    ],
)
def test_steps_get_all(text: str) -> None:
    passes("CW-J066", text)
