"""Pre-training with Megatron-Bridge, which continues NeMo 2: a recipe with the plan's layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.parallel import PARALLEL_SETTINGS, ParallelRun
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.templates import megatron_lm

RECIPES: Final[Mapping[str, str]] = {
    "llama2-7b": "llama2_7b_pretrain_config",
    "llama3-8b": "llama3_8b_pretrain_config",
    "llama3-70b": "llama3_70b_pretrain_config",
    "llama3.1-8b": "llama31_8b_pretrain_config",
    "llama3.1-70b": "llama31_70b_pretrain_config",
    "llama3.1-405b": "llama31_405b_pretrain_config",
    "llama3.2-1b": "llama32_1b_pretrain_config",
    "llama3.2-3b": "llama32_3b_pretrain_config",
    "deepseek-v3": "deepseek_v3_pretrain_config",
    "qwen3-8b": "qwen3_8b_pretrain_config",
    "qwen3-14b": "qwen3_14b_pretrain_config",
    "qwen3-32b": "qwen3_32b_pretrain_config",
    "qwen3-30b-a3b": "qwen3_30b_a3b_pretrain_config",
    "qwen3-235b-a22b": "qwen3_235b_a22b_pretrain_config",
    "gpt3-175b": "gpt3_175b_pretrain_config",
    "gemma2-9b": "gemma2_9b_pretrain_config",
    "gemma2-27b": "gemma2_27b_pretrain_config",
}
"""Recipes by the planner's names: megatron/bridge/recipes of the repository."""
_FORMER_PRECISION: Final = {
    "bf16": "bf16_mixed",
    "bf16_with_fp8_hybrid": "bf16_with_fp8_current_scaling_mixed",
}
"""Plans that were recorded earlier have these names, as `mixed_precision.recipe`."""
_CHECKOUT: Final = """
BRIDGE={path}
[[ -f "$BRIDGE/scripts/training/run_recipe.py" ]] ||
  fail "$EXIT_ENVIRONMENT" "$BRIDGE has no scripts/training/run_recipe.py: clone \
NVIDIA-NeMo/Megatron-Bridge there, with its submodules"
export PYTHONPATH="$BRIDGE/src:$BRIDGE/3rdparty/Megatron-LM"
""".strip("\n")
_LISTED: Final = "DATA_PATH=$(IFS=, && printf '%s' \"${DATA[*]}\")"


def recipe(context: Context, run: ParallelRun) -> str:
    """The recipe's function. Raises RefusedError."""
    stated = context.optional("recipe")
    if stated is not None:
        return str(stated)
    name = run.shape.name if run.shape is not None else run.model_name
    if name not in RECIPES:
        raise RefusedError(
            f"{context.template.name}: Megatron-Bridge has no recipe for {name} that is listed "
            "here",
            "--set recipe=NAME_pretrain_config of a model with the same sizes, or render "
            "megatron-lm",
        )
    return RECIPES[name]


def overrides(context: Context, run: ParallelRun) -> list[str]:
    """What the job states of the recipe's ConfigContainer, as KEY=VALUE."""
    peak = float(context.text("learning_rate"))
    words = [
        *_layout(run),
        f"train.micro_batch_size={run.micro_batch}",
        f"train.global_batch_size={run.global_batch}",
        f"train.train_iters={run.steps}",
        "train.exit_signal_handler=true",
        "validation.eval_iters=0",
        f"dataset.seq_length={run.seq_len}",
        "dataset.split='100,0,0'",
        f"optimizer.lr={peak:g}",
        f"optimizer.min_lr={peak / 10:g}",
        f"scheduler.lr_warmup_iters={min(context.count('warmup'), max(1, run.steps - 1))}",
        f"checkpoint.save_interval={run.save_every}",
        f"checkpoint.most_recent_k={run.keep}",
        "checkpoint.ckpt_format=torch_dist",
        "checkpoint.async_save=true",
        "logger.log_interval=1",
        "logger.log_throughput=true",
    ]
    tokenizer = context.optional("tokenizer")
    if tokenizer is not None:
        words.append("tokenizer.tokenizer_type=HuggingFaceTokenizer")
        words.append(f"tokenizer.tokenizer_model={tokenizer}")
    return [f'"{word}"' if "'" in word else word for word in words]


def _layout(run: ParallelRun) -> list[str]:
    """The layout of the plan, and nothing that the recipe had for another."""
    planned = run.nemo.get("model", {})
    model: dict[str, object] = {
        "num_layers_in_first_pipeline_stage": None,
        "num_layers_in_last_pipeline_stage": None,
        "pipeline_model_parallel_layout": None,
        "virtual_pipeline_model_parallel_size": None,
        "recompute_granularity": None,
        "recompute_method": None,
        "recompute_num_layers": None,
        **(planned if isinstance(planned, Mapping) else {}),
    }
    model.pop("seq_length", None)  # the dataset's, which the launcher passes on
    sharded = run.sharding == "distributed-optimizer"
    words = [f"model.{key}={_value(value)}" for key, value in sorted(model.items())]
    words.append(f"ddp.use_distributed_optimizer={_value(sharded)}")
    precision = run.nemo.get("mixed_precision")
    if isinstance(precision, Mapping):
        precision = _FORMER_PRECISION.get(str(precision.get("recipe")))
    if precision is not None:
        words.append(f"mixed_precision={precision}")
    return words


def _value(value: object) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _preparation(context: Context) -> list[str]:
    path = context.optional("checkout") or f"{context.shared_path}/sources/Megatron-Bridge"
    return [_CHECKOUT.format(path=path), megatron_lm.data(context), _LISTED]


def _arguments(context: Context, run: ParallelRun) -> list[str]:
    return [
        f"--recipe={recipe(context, run)}",
        "--mode=pretrain",
        "--dataset=megatron-indexed",
        '--save_dir="$CHECKPOINTS"',
        '--load_dir="$CHECKPOINTS"',
        *overrides(context, run),
        '"dataset.data_path=[$DATA_PATH]"',
    ]


def _environment(context: Context) -> Sequence[tuple[str, str]]:
    return (
        *megatron_lm.ENVIRONMENT,
        ("HF_HOME", f"{context.shared_path}/huggingface"),
        ("HF_HUB_OFFLINE", "1"),
    )


def _slurm(context: Context) -> str:
    run = megatron_lm.layout_of(context)
    tasks = context.target.accelerators
    lines = [
        slurm.python_environment(context),
        *_preparation(context),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node={tasks} \\",
        '  bash "$RUN_PATH/rank.sh" python "$BRIDGE/scripts/training/run_recipe.py" \\',
        " \\\n".join(f"  {word}" for word in _arguments(context, run)) + " &",
        slurm.END,
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=tasks,
        marker=".metadata",
        tracker=megatron_lm.TRACKER,
        keep=run.keep,
        environment=_environment(context),
    )


def _kubernetes(context: Context) -> str:
    run = megatron_lm.layout_of(context)
    return kubernetes.training(
        context,
        '"$BRIDGE/scripts/training/run_recipe.py"',
        _arguments(context, run),
        marker=".metadata",
        environment=_environment(context),
        preparation=_preparation(context),
        last_step=run.steps,
        tracker=megatron_lm.TRACKER,
        keep=run.keep,
    )


TEMPLATE = JobTemplate(
    name="megatron-bridge",
    title="Pre-training with Megatron-Bridge (NeMo)",
    family="pre-training",
    about="Runs a recipe of Megatron-Bridge, which continues the language models of NeMo 2, with "
    "the layout of the plan; without a plan with tensor parallelism in the node. It reads the "
    "same tokens as megatron-lm, and keeps the newest checkpoints by itself. The recipe reads the "
    "configuration of its model offline from Hugging Face's cache on the file system "
    "(`HF_HOME`): download it once. Instead of a fully sharded layout it has the plan's next.",
    runs_on="nvidia",
    source="NVIDIA-NeMo/Megatron-Bridge, main of 2026-08-22: scripts/training/run_recipe.py, "
    "megatron/bridge/recipes, training/config.py, training/checkpointing.py; NVIDIA/Megatron-LM, "
    "megatron/training/config",
    minutes=1440,
    image="optional",
    trains=True,
    save_signal="TERM",
    layout_refusal=megatron_lm.layout_refusal,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        *PARALLEL_SETTINGS,
        *(one for one in megatron_lm.SETTINGS if one.name in {"data", "learning_rate", "warmup"}),
        Setting(
            "recipe", "text", "Function of a recipe.  [default: of the model, where it has one]"
        ),
        Setting(
            "tokenizer",
            "path",
            "Folder of a tokeniser of Hugging Face.  [default: none, the recipe's vocabulary]",
        ),
        Setting(
            "checkout",
            "path",
            "Folder of NVIDIA-NeMo/Megatron-Bridge.  [default: sources/Megatron-Bridge on the "
            "file system]",
        ),
    ),
    untried=(
        "the program: the keys are those of the package megatron-bridge 0.6.2, the options and "
        "recipes those of the repository, and no run was made",
        "whether a recipe's other settings, such as the overlap of tensor parallelism, suit "
        "another layout than its own",
        "whether a container forwards SIGTERM to the program",
    ),
)
