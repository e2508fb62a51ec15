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
