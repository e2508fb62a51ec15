"""CW-J151: Settings of DeepSpeed have values that it takes, and batch sizes that agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made import HEAD, fails, passes


def text(**settings: Any) -> str:
    """A batch script that writes DeepSpeed's settings, and trains on 2 × 8 GPUs."""
    return (
        HEAD.replace("--nodes=4", "--nodes=2")
        + f"cat > ds.json <<'END'\n{json.dumps(settings)}\nEND\n"
        + "srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d "
        + "--rdzv_endpoint=$FIRST:29500 train.py --deepspeed ds.json\n"
    )


def batch(total: int, micro: int = 2, steps: int = 4) -> str:
    """Settings with all three batch sizes."""
    return text(
        train_batch_size=total,
        train_micro_batch_size_per_gpu=micro,
        gradient_accumulation_steps=steps,
    )


def test_batch_sizes_that_do_not_agree() -> None:
    assert fails("CW-J151", batch(100)).limit == 8
    found = fails("CW-J151", batch(24))
    assert (found.severity, found.limit) == ("error", 128)
    assert fails("CW-J151", batch(64)).severity == "warning"
    passes("CW-J151", batch(128))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fp16": {"enabled": True}, "bf16": {"enabled": True}}, "fp16 and bf16 are both enabled"),
        ({"zero_optimization": {"stage": 4}}, "zero_optimization.stage: expected one of 0, 1"),
        (
            {"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "CPU"}}},
            "zero_optimization.offload_optimizer.device: expected one of none, cpu, nvme, got CPU",
        ),
    ],
)
def test_values_that_deepspeed_refuses(settings: dict[str, Any], message: str) -> None:
    assert fails("CW-J151", text(**settings)).message.startswith(message)


@pytest.mark.parametrize(
    "settings",
    [
        {"fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "train_batch_size": "auto"},
        {"fp16": {"enabled": False}, "bf16": {"enabled": True}},
        {"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}},
        {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4},
    ],
)
def test_values_that_deepspeed_takes(settings: dict[str, Any]) -> None:
    passes("CW-J151", text(**settings))
