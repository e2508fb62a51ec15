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


MEGATRON = "srun torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 96 --hidden-size 12288 "
MEGATRON += "--num-attention-heads 96 --tensor-model-parallel-size 8 "


@pytest.mark.parametrize(
    ("words", "each"),
    [
        ("--fp16", 20),
        ("", 16),
        ("--bf16", 18),
        ("--fp16 --use-distributed-optimizer", 4 + 16 / 4),
        ("--use-distributed-optimizer", 8 + 8 / 4),
        ("--bf16 --use-distributed-optimizer", 6 + 12 / 4),
    ],
)
def test_bytes_of_a_parameter_by_precision(words: str, each: float) -> None:
    found = fails("CW-J053", HEAD + MEGATRON + words + "\n")
    assert found.requested == pytest.approx(174e9 / 8 * each / 2**30, rel=0.01)


@pytest.mark.parametrize("words", ["--deepspeed --fp16", "--bf16 --deepspeed --zero-stage 3"])
def test_a_sharded_state_is_not_known(words: str) -> None:
    passes("CW-J053", HEAD + MEGATRON + words + "\n")


def test_another_program_has_no_known_precision() -> None:
    text = MEGATRON.replace("pretrain_gpt.py", "train.py")
    passes("CW-J053", HEAD + text + "\n")


TRAINER = (
    "srun torchrun --nnodes=4 --nproc_per_node=8 sft.py --output_dir /fsx/c "
    "--model_name_or_path meta-llama/Llama-3.1-"
)


@pytest.mark.parametrize(
    ("words", "gib"),
    [
        ("70B --bf16", 70.6e9 * 8 / 2**30),
        ("70B-Instruct --bf16 True", 70.6e9 * 8 / 2**30),
        ("70B", 70.6e9 * 8 / 2**30),
        ("70B --fp16", 70.6e9 * 16 / 2**30),
        ("8B --fp16=true", 8.03e9 * 16 / 2**30),
        ("8B --bf16 --torch_dtype float32", 8.03e9 * 16 / 2**30),
        ("405B --bf16 --fsdp 'full_shard auto_wrap'", 405.9e9 * 8 / 32 / 2**30),
        ("70B --optim adamw_torch_fused", 70.6e9 * 8 / 2**30),
    ],
)
def test_a_trainer_without_sharding(words: str, gib: float) -> None:
    found = fails("CW-J053", HEAD + TRAINER + words + "\n")
    assert found.severity == "warning"
    assert found.requested == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    "words",
    [
        "8B --bf16",
        "8B --fp16 false --bf16",
        "70B --bf16 --fsdp full_shard",
        "70B --bf16 --deepspeed ds.json",
        "70B --use_peft",
        "70B --lora_r 16",
        "70B --load_in_4bit",
        "70B --optim adamw_8bit",
        "405B --fsdp 'full_shard offload'",
        "70B --config sft.yaml",
        "1000B --bf16",
    ],
)
def test_a_trainer_that_fits_or_is_not_known(words: str) -> None:
    passes("CW-J053", HEAD + TRAINER + words + "\n")


def test_a_model_of_a_folder_and_other_launchers_are_not_judged() -> None:
    local = TRAINER.replace("meta-llama/", "/fsx/models/")
    passes("CW-J053", HEAD + local + "70B --bf16\n")
    launched = TRAINER.replace("torchrun --nnodes=4 --nproc_per_node=8", "accelerate launch")
    passes("CW-J053", HEAD + launched + "70B --bf16\n")


PROGRAM = (
    "srun torchrun --nnodes=4 --nproc_per_node=8 {} "
    "--model_name_or_path meta-llama/Llama-3.1-70B{}\n"
)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("predict.py", ""),
        ("eval.py", " --do_eval --bf16"),
        ("embed.py", " --do_predict True"),
        ("run_clm.py", " --do_eval"),
        ("eval_sft.py", ""),
        ("run_glue.py", " --do_train False --do_eval"),
        ("-m project.generate", " --max_new_tokens 100"),
    ],
)
def test_inference_has_no_gradients(program: str, words: str) -> None:
    passes("CW-J053", HEAD + PROGRAM.format(program, words))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("run_glue.py", " --do_train --do_eval"),
        ("main.py", " --do_train True"),
        ("main.py", " --learning_rate 1e-5"),
        ("main.py", " --per_device_train_batch_size=1"),
        ("/fsx/code/train_qa.py", ""),
        ("-m trl.scripts.sft", ""),
    ],
)
def test_what_trains_by_its_name_or_its_options(program: str, words: str) -> None:
    fails("CW-J053", HEAD + PROGRAM.format(program, words))


B70, B405, B8 = 70.6e9 / 2**30, 405.9e9 / 2**30, 8.03e9 / 2**30
HUB = "meta-llama/Llama-3.1-"
LAUNCHED = "srun {} sft.py --output_dir /fsx/c --model_name_or_path " + HUB
ACCELERATE = LAUNCHED.format("accelerate launch --num_machines 4 --num_processes 32 {}")


@pytest.mark.parametrize(
    ("options", "model", "gib"),
    [
        ("--multi_gpu", "70B --bf16", B70 * 8),
        ("--multi_gpu", "70B --optimizer torch.optim.AdamW --optimizer_lr 1e-5", B70 * 8),
        ("--multi_gpu", "70B --optimizer_name=adamw", B70 * 8),
        ("--use_deepspeed --zero_stage 1", "70B", B70 * (4 + 12 / 32)),
        ("--use_deepspeed --zero_stage=2", "70B", B70 * (2 + 14 / 32)),
        ("--use_deepspeed --zero_stage 3", "405B", B405 * 16 / 32),
        ("--use_deepspeed --zero_stage 2 --offload_optimizer_device cpu", "70B", B70 * 2),
        ("--use_fsdp --fsdp_sharding_strategy NO_SHARD", "70B --bf16", B70 * 8),
        ("--use-fsdp --fsdp-sharding-strategy 3", "70B --bf16", B70 * 8),
        ("--use_fsdp --fsdp_sharding_strategy FULL_SHARD", "405B --fp16", B405 * 16 / 32),
        ("--use_fsdp --same_network", "405B", B405 * 8 / 32),
    ],
)
def test_accelerate_says_how_the_state_is_divided(options: str, model: str, gib: float) -> None:
    found = fails("CW-J053", HEAD + ACCELERATE.format(options) + model + "\n")
    assert found.severity == "warning"
    assert found.requested == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ("", "70B"),  # the settings in the home say more
        ("--multi_gpu", "8B --bf16"),
        ("--use_deepspeed --zero_stage 3", "70B"),
        ("--use_deepspeed --zero_stage 3 --offload_optimizer_device cpu", "405B"),
        ("--use_deepspeed --zero_stage 3 --offload_param_device cpu", "405B"),
        ("--use_deepspeed --zero_stage $STAGE", "405B"),
        ("--use_deepspeed", "405B"),
        ("--use_fsdp --fsdp_sharding_strategy FULL_SHARD", "70B --fp16"),
        ("--use_fsdp --fsdp_offload_params true", "405B"),
        ("--multi_gpu", "70B --use_peft"),
        ("--multi_gpu", "70B --optimizer adafactor"),
        ("--multi_gpu", "70B --optimizer=sgd"),
        ("--multi_gpu", "70B --optimizer_name paged_adamw_8bit"),
        ("--multi_gpu", "70B --optim_bits 8"),
        ("--multi_gpu", "70B --use_8bit_adam"),
        ("--multi_gpu", "70B --use-8-bit-optimizer"),
        ("--multi_gpu", "70B optimizer=lion"),
        ("--multi_gpu", "70B --optim $OPTIMIZER"),
        ("--config_file fsdp.yaml --use_fsdp", "405B"),  # a file that is not here
    ],
)
def test_accelerate_that_fits_or_is_not_known(options: str, model: str) -> None:
    passes("CW-J053", HEAD + ACCELERATE.format(options) + model + "\n")


ZERO = """cat > ds.json <<'END'
{{"bf16": {{"enabled": true}}, "zero_optimization": {{"stage": {}}}}}
END
"""


@pytest.mark.parametrize(
    ("stage", "model", "gib"),
    [
        ("1", "70B", B70 * (4 + 12 / 32)),
        ('2, "offload_optimizer": {"device": "cpu"}', "70B", B70 * 2),
        ('2, "offload_optimizer": {"device": "none"}', "70B", B70 * (2 + 14 / 32)),
        ("3", "405B", B405 * 16 / 32),
    ],
)
@pytest.mark.parametrize(
    ("launcher", "argument"),
    [
        ("deepspeed --num_nodes 4 --num_gpus 8", " --deepspeed --deepspeed_config ds.json"),
        ("torchrun --nnodes=4 --nproc_per_node=8", " --deepspeed ds.json"),
    ],
)
def test_deepspeed_by_the_stage_of_its_settings(
    launcher: str, argument: str, stage: str, model: str, gib: float
) -> None:
    text = HEAD + ZERO.format(stage) + LAUNCHED.format(launcher) + model + argument + "\n"
    assert fails("CW-J053", text).requested == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("stage", "model"),
    [
        ("3", "70B"),
        ("0", "8B --use_peft"),
        ('"auto"', "405B"),
        ('3, "offload_param": {"device": "nvme"}', "405B"),
        ("$STAGE", "405B"),
        ("[1", "405B"),
        ('1}, "optimizer": {"type": "Lion"', "70B --optim adamw_torch"),
    ],
)
def test_deepspeed_that_fits_or_is_not_known(stage: str, model: str) -> None:
    text = LAUNCHED.format("deepspeed --num_nodes 4") + model + " --deepspeed ds.json\n"
    passes("CW-J053", HEAD + ZERO.format(stage) + text)
    passes("CW-J053", HEAD + text)


SETTINGS = """tee fsdp.yaml <<END
distributed_type: {}
num_processes: 32
{}
END
"""


@pytest.mark.parametrize(
    ("kind", "more", "gib"),
    [
        ("MULTI_GPU", "", B405 * 8),
        ("FSDP", "fsdp_config: {fsdp_sharding_strategy: NO_SHARD}", B405 * 8),
        ("FSDP", "fsdp_config: {fsdp_sharding_strategy: FULL_SHARD}", B405 * 8 / 32),
        ("DEEPSPEED", "deepspeed_config: {zero_stage: 3}", B405 * 16 / 32),
    ],
)
def test_settings_of_accelerate(kind: str, more: str, gib: float) -> None:
    text = LAUNCHED.format("accelerate launch --config_file fsdp.yaml") + "405B\n"
    found = fails("CW-J053", HEAD + SETTINGS.format(kind, more) + text)
    assert found.requested == pytest.approx(gib, rel=0.01)
    passes("CW-J053", HEAD + SETTINGS.format(kind, more) + text.replace("405B", "8B"), None)


TITAN = "srun torchrun --nnodes=4 --nproc_per_node=8 -m torchtitan.train "


@pytest.mark.parametrize(
    ("words", "gib"),
    [
        ("--model.name llama3 --model.flavor 405B", B405 * 16 / 32),
        ("--model.name=llama3 --model.flavor=405B --training.dtype bfloat16", B405 * 8 / 32),
        ("--job.config_file other.toml --model.name llama3 --model.flavor 405B", B405 * 8 / 32),
        ("--module llama3 --config llama3_405b", B405 * 16 / 32),
        ("--job.config_file titan.toml", B70 * 16 / 4),
        ("--job.config_file titan.toml --model.flavor 8B"
         " --parallelism.data_parallel_replicate_degree 32", B8 * 16),
    ],
)  # fmt: skip
def test_torchtitan_divides_by_the_ranks_of_a_replica(words: str, gib: float) -> None:
    file = "cat <<END > titan.toml\n[model]\nname = 'llama3'\nflavor = '70B'\n[parallelism]\n"
    file += "data_parallel_replicate_degree = 8\nEND\n"
    found = fails("CW-J053", HEAD + file + TITAN + words + "\n")
    assert found.requested == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    "words",
    [
        "--model.name llama3 --model.flavor 70B --parallelism.tensor_parallel_degree 8",
        "--model.name llama3 --model.flavor 405B --training.enable_cpu_offload",
        "--model.name llama3 --model.flavor $FLAVOR",
        "--model.name flux --model.flavor debug",
        "--job.config_file llama3_405b.toml",
        "--model.name llama3 --model.flavor 405B --optimizer.name SGD",
        "--module llama3 --config llama3_405b_lora",
    ],
)
def test_torchtitan_that_fits_or_is_not_known(words: str) -> None:
    passes("CW-J053", HEAD + TITAN + words + "\n")


@pytest.mark.parametrize(
    ("program", "judged"),
    [
        ("/fsx/torchtitan/train.py", True),
        ("-m torchtitan.experiments.llama4.train", True),
        ("-m torchtitan.scripts.estimate_memory", False),
        ("torchtitan/scripts/generate/test_generate.py", False),
    ],
)
def test_programs_of_torchtitan(program: str, judged: bool) -> None:
    line = TITAN.replace("-m torchtitan.train", program)
    check = fails if judged else passes
    check("CW-J053", HEAD + line + "--module llama3 --config llama3_405b\n")


def test_the_width_of_a_gated_layer_is_megatrons_own() -> None:
    shape = "--num-layers 80 --hidden-size 8192 --num-attention-heads 64 --swiglu "
    shape += "--group-query-attention --num-query-groups 8 "
    run = "srun torchrun --nproc_per_node=8 pretrain_gpt.py " + shape
    found = fails("CW-J053", HEAD + run + "--bf16 --tensor-model-parallel-size 8\n")
    layer = 2 * 8192**2 + 2 * 8192 * 1024 + 3 * 8192 * 21824
    assert found.requested == pytest.approx(80 * layer / 8 * 18 / 2**30, rel=0.01)
