"""CW-J039: A run that is requeued goes on from its own checkpoints."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

REQUEUED = HEAD + "#SBATCH --requeue\n"
RUN = "srun torchrun pretrain_gpt.py --num-layers 32 "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--save /fsx/c", "loads no checkpoint from /fsx/c"),
        ("--save /fsx/c --load /fsx/base", "loads /fsx/base, not what it wrote to /fsx/c"),
        ("--save /fsx/c --load /fsx/c --finetune", "begins at step 0"),
    ],
)
def test_begins_again(arguments: str, message: str) -> None:
    assert message in fails("CW-J039", f"{REQUEUED}{RUN}{arguments}\n").message


@pytest.mark.parametrize(
    "arguments",
    [
        "--save /fsx/c --load /fsx/c",
        "--save $C --load $C",
        "--save /fsx/c --load /fsx/base --pretrained-checkpoint /fsx/base",
        "--load /fsx/base --finetune",
    ],
)
def test_goes_on(arguments: str) -> None:
    passes("CW-J039", f"{REQUEUED}{RUN}{arguments}\n")


def test_not_requeued_or_another_program() -> None:
    passes("CW-J039", f"{HEAD}{RUN}--save /fsx/c\n")
    passes("CW-J039", REQUEUED + "srun torchrun train.py --save /fsx/c\n")
