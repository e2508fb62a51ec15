"""CW-J151: Settings of DeepSpeed have values that it takes, and batch sizes that agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.jobs.made import HEAD, fails, passes


def text(options: str = "--deepspeed ds.json", **settings: Any) -> str:
    """A batch script that writes DeepSpeed's settings, and trains on 2 × 8 GPUs."""
    return (
        HEAD.replace("--nodes=4", "--nodes=2")
        + f"cat > ds.json <<'END'\n{json.dumps(settings)}\nEND\n"
        + "srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d "
        + f"--rdzv_endpoint=$FIRST:29500 train.py {options}\n"
    )


def batch(total: int, micro: int = 2, steps: int = 4, **more: Any) -> str:
    """Settings with all three batch sizes."""
    return text(
        **more,
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


def test_a_program_without_deepspeed_has_batch_sizes_of_its_own() -> None:
    sizes = "--train_batch_size 100 --train_micro_batch_size_per_gpu 3 "
    passes("CW-J151", text(options=f"{sizes} --gradient_accumulation_steps 2"))
    passes("CW-J151", text(options="--config_file ds.json", train_batch_size=100))
    passes("CW-J151", text(options="--fp16.enabled true --bf16.enabled true"))


@pytest.mark.parametrize("option", ["--deepspeed", "--deepspeed --deepspeed_config"])
def test_arguments_of_the_program_are_no_settings_of_deepspeed(option: str) -> None:
    own = f"{option} ds.json --gradient_accumulation_steps 3"
    passes("CW-J151", batch(128, options=own))
    assert fails("CW-J151", batch(100, options=own)).limit == 8


def test_one_of_two_files_of_settings() -> None:
    """Which of them counts is not known."""
    passes("CW-J151", batch(100, options="--deepspeed ds.json --deepspeed_config other.json"))


def test_batch_sizes_that_elastic_training_replaces() -> None:
    elastic = {"enabled": True, "ignore_non_elastic_batch_info": True}
    passes("CW-J151", batch(100, elasticity=elastic))
    fails("CW-J151", batch(100, elasticity={**elastic, "enabled": False}))


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
