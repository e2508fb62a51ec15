"""CW-J022: Training jobs do not pin NCCL's choices, nor keep settings for debugging."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "NCCL_PROTO=simple",
        "NCCL_ALGO=Ring",
        "NCCL_P2P_DISABLE=1",
        "NCCL_SHM_DISABLE=1",
        "CUDA_LAUNCH_BLOCKING=1",
        "TORCH_DISTRIBUTED_DEBUG=detail",
    ],
)
def test_pinned(text: str) -> None:
    fails("CW-J022", HEAD + f"export {text}\nsrun torchrun train.py\n")


@pytest.mark.parametrize(
    "text",
    [
        "export NCCL_DEBUG=INFO\nsrun torchrun train.py",
        "export NCCL_P2P_DISABLE=0\nsrun torchrun train.py",
        "export CUDA_LAUNCH_BLOCKING=0 TORCH_DISTRIBUTED_DEBUG=INFO\nsrun torchrun train.py",
        "export NCCL_ALGO=RING\nsrun all_reduce_perf -b 8 -e 16G",
    ],
)
def test_left_to_nccl_or_a_test(text: str) -> None:
    passes("CW-J022", HEAD + text + "\n")
