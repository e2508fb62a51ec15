"""CW-J053: Weights, gradients and optimizer fit in the accelerators."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

SHAPE = "--num-layers 96 --hidden-size 12288 --num-attention-heads 96 --bf16 "
RUN = "srun torchrun --nproc_per_node=8 pretrain_gpt.py " + SHAPE


def test_gpt_3_does_not_fit_in_32() -> None:
    found = fails("CW-J053", HEAD + RUN + "--tensor-model-parallel-size 8\n")
    # 174e9 parameters on 8 GPUs, 18 bytes each
    assert found.requested == pytest.approx(174e9 / 8 * 18 / 2**30, rel=0.01)
    assert found.limit == 80


@pytest.mark.parametrize(
    "words",
    [
        "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --use-megatron-fsdp",
        "--tensor-model-parallel-size $TP",
        "--num-experts 8",
        "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --use-distributed-optimizer",
    ],
)
def test_fits_or_is_not_known(words: str) -> None:
    passes("CW-J053", HEAD + RUN + words + "\n")
