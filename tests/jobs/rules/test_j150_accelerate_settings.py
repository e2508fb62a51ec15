"""CW-J150: Settings of Accelerate have values that it takes, and parallel sizes that agree."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

FILE = (
    HEAD.replace("--nodes=4", "--nodes=1")
    + """cat > fsdp.yaml <<'END'
compute_environment: LOCAL_MACHINE
distributed_type: {kind}
mixed_precision: bf16
num_machines: 1
num_processes: 8
{more}
END
accelerate launch --config_file fsdp.yaml {options}train.py
"""
)


def text(more: str = "", kind: str = "FSDP", options: str = "") -> str:
    """A batch script that writes a file of settings."""
    return FILE.format(kind=kind, more=more, options=options)


def sizes(**values: int) -> str:
    """Sizes of a file of settings."""
    lines = [f"  parallelism_config_{name}_size: {size}" for name, size in values.items()]
    return "\n".join(["parallelism_config:", *lines])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tp": 8, "dp_shard": 1}, "FSDP has no processes to divide the model among"),
        ({"tp": 4, "dp_shard": 4}, "the parallel sizes are 4 × 4 = 16, and there are 8 processes"),
        ({"tp": 2, "dp_replicate": 4, "dp_shard": 1}, "FSDP has no processes"),
        ({"cp": 2, "sp": 2, "dp_shard": 2}, "cp_size=2 and sp_size=2"),
        ({"tp": 0, "dp_shard": 8}, "tp_size is at least 1"),
    ],
)
def test_sizes_that_do_not_agree(given: dict[str, int], message: str) -> None:
    assert fails("CW-J150", text(sizes(**given))).message.startswith(message)


def test_sizes_without_fsdp() -> None:
    passes("CW-J150", text(sizes(tp=8), kind="MULTI_GPU"))
    found = fails("CW-J150", text(sizes(tp=2, dp_replicate=4), kind="MULTI_GPU"))
    assert found.message.startswith("tensor and context parallelism do not go with")


def test_sizes_of_the_command_line_count_before_those_of_the_file() -> None:
    given = sizes(tp=2, dp_shard=4)
    passes("CW-J150", text(given))
    found = fails("CW-J150", text(given, options="--num_processes 16 "))
    assert found.message == "the parallel sizes are 4 × 2 = 8, and there are 16 processes"
    assert (found.requested, found.limit) == (8, 16)


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ("deepspeed_config: {offload_optimizer_device: gpu}", "DEEPSPEED", "got gpu"),
        ("deepspeed_config: {zero_stage: 4}", "DEEPSPEED", "got 4"),
        ("fsdp_config: {fsdp_version: 3}", "FSDP", "got 3"),
        ("fsdp_config: {fsdp_state_dict_type: SHARDED}", "FSDP", "got SHARDED"),
        ("", "MULTI_GPUS", "got MULTI_GPUS"),
    ],
)
def test_values_that_accelerate_does_not_take(more: str, kind: str, message: str) -> None:
    found = fails("CW-J150", text(more, kind))
    assert found.message.endswith(message)
    assert found.severity == "error"


@pytest.mark.parametrize(
    "more",
    [
        "fsdp_config: {fsdp_version: 2, fsdp_auto_wrap_policy: transformer_based_wrap}",
        "fsdp_config: {fsdp_backward_prefetch: 1, fsdp_state_dict_type: SHARDED_STATE_DICT}",
        "deepspeed_config: {offload_param_device: CPU, zero_stage: 3}",
        "deepspeed_config: {offload_param_device: None, offload_optimizer_device: NONE}",
        "ipex_config: {ipex: false}",
        "tp_config: {tp_size: 2}",
        sizes(dp_replicate=2, dp_shard=2, tp=2),
        sizes(sp=4),
    ],
)
def test_values_that_accelerate_takes(more: str) -> None:
    passes("CW-J150", text(more))


def test_precision_in_another_case_is_for_the_file_alone() -> None:
    passes("CW-J150", text().replace("mixed_precision: bf16", "mixed_precision: BF16"))
    found = fails("CW-J150", text(options="--mixed_precision NO "))
    assert (found.severity, found.hint) == ("error", "mixed_precision: no")
    passes("CW-J150", text(options="--mixed_precision no "))


def test_a_key_that_accelerate_does_not_know() -> None:
    found = fails("CW-J150", text("num_process: 8"))
    assert (found.severity, found.hint) == ("error", "did you mean `num_processes`?")
    assert fails("CW-J150", text("of_another_version: 1")).severity == "warning"
    assert fails("CW-J150", text("ep_config: {ep_size: 2}")).severity == "warning"


def test_options_that_exclude_each_other() -> None:
    found = fails("CW-J150", text(options="--multi_gpu --use_deepspeed "))
    assert found.message == "accelerate takes one of --multi-gpu, --use-deepspeed"
    found = fails("CW-J150", text(options="--use_parallelism_config "))
    assert found.message.startswith("--use_parallelism_config needs --use_fsdp")
    passes("CW-J150", text(options="--use_fsdp --fsdp_version 2 --use_parallelism_config "))
