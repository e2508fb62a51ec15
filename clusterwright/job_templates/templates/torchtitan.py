"""Pre-training with torchtitan: the plan's settings as the TOML file of 0.2.2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.parallel import PARALLEL_SETTINGS, ParallelRun, parallel_run
from clusterwright.job_templates.planned_layout import alternative_job
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.torchtitan_models import FLAVORS, VERSION
from clusterwright.sizing.launch import toml_lines

_FILE: Final = "torchtitan.toml"


def flavor(run: ParallelRun, context: Context) -> tuple[str, str]:
    """torchtitan's name and flavor of the model. Raises RefusedError."""
    stated = context.optional("flavor")
    name = run.shape.name if run.shape is not None else run.model_name
    if stated is not None:
        family, slash, size = str(stated).partition("/")
        if slash and family and size:
            return family, size
        raise RefusedError(f"flavor {stated} is not NAME/FLAVOR", "such as flavor=llama3/8B")
    if name not in FLAVORS:
        raise RefusedError(
            f"torchtitan {VERSION} has no {name}",
            alternative_job(context.template.name, name, context.plan)
            + ", or set flavor=NAME/FLAVOR of a model with the same sizes",
        )
    return FLAVORS[name]


def configuration(context: Context, run: ParallelRun) -> dict[str, dict[str, object]]:
    """The sections of the TOML file."""
    name, size = flavor(run, context)
    planned: Mapping[str, Any] = run.torchtitan
    # In a pipeline the local batch is divided into micro-batches, else gradients accumulate.
    local = run.global_batch // run.data if run.pipeline > 1 else run.micro_batch
    pipeline = {"pipeline_parallel_microbatch_size": run.micro_batch} if run.pipeline > 1 else {}
    return {
        "job": {
            "dump_folder": context.run_path,
            "description": f"{context.text('run')}: {name} {size}",
        },
        "metrics": {"log_freq": 1, "disable_color_printing": True},
        "model": {
            **planned.get("model", {}),
            "name": name,
            "flavor": size,
            "hf_assets_path": context.text("tokenizer"),
        },
        "optimizer": {"name": "AdamW", "lr": float(context.text("learning_rate"))},
        "lr_scheduler": {
            "warmup_steps": min(context.count("warmup"), run.steps),
            "decay_type": "cosine",
            "min_lr_factor": 0.1,
        },
        "training": {
            **planned.get("training", {}),
            "dataset": context.text("dataset_name"),
            "dataset_path": str(context.optional("data") or f"{context.shared_path}/data/text"),
            "seq_len": run.seq_len,
            "local_batch_size": local,
            "global_batch_size": run.global_batch,
            "steps": run.steps,
        },
        "parallelism": {
            **planned.get("parallelism", {}),
            "data_parallel_replicate_degree": 1,
            "data_parallel_shard_degree": run.data,
            **pipeline,
        },
        "activation_checkpoint": dict(planned.get("activation_checkpoint", {})),
        "checkpoint": {
            **planned.get("checkpoint", {}),
            "enable": True,
            "folder": context.checkpoint_path,
            "interval": run.save_every,
            "keep_latest_k": run.keep,
            "last_save_model_only": False,
        },
        "comm": {"init_timeout_seconds": 1800},
    }


def _environment(context: Context) -> tuple[tuple[str, str], ...]:
    return (
        ("NCCL_DEBUG", "INFO"),
        ("NCCL_DEBUG_SUBSYS", "INIT,NET"),
        ("HF_HOME", f"{context.shared_path}/huggingface"),
        ("HF_HUB_OFFLINE", "1"),
    )


def _toml(context: Context, run: ParallelRun) -> str:
    return "\n".join(toml_lines(configuration(context, run)))


def _slurm(context: Context) -> str:
    run = parallel_run(context, "fsdp")
    tasks = context.target.accelerators
    lines = [
        slurm.python_environment(context),
        slurm.program_file(_FILE, _toml(context, run)),
        slurm.rank_program(),
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node={tasks} \\",
        '  bash "$RUN_PATH/rank.sh" python -m torchtitan.train \\',
        f'  --job.config_file="$RUN_PATH/{_FILE}" &',
        slurm.END,
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=tasks,
        marker=".metadata",
        environment=_environment(context),
    )


def _kubernetes(context: Context) -> str:
    run = parallel_run(context, "fsdp")
    return kubernetes.training(
        context,
        "-m torchtitan.train",
        [f"--job.config_file={kubernetes.PROGRAMS}/{_FILE}"],
        marker=".metadata",
        environment=_environment(context),
        programs={_FILE: f"{_toml(context, run)}\n"},
        last_step=run.steps,
    )


TEMPLATE = JobTemplate(
    name="torchtitan",
    title="Pre-training with torchtitan",
    family="pre-training",
    about=f"Runs torchtitan {VERSION} with the plan's settings as its TOML file; without a plan "
    "fully sharded. torchtitan reads text, not tokens: files whose records have `text`. "
    f"Newer versions are configured by Python functions and have no TOML file: pin {VERSION} in "
    "the environment or the image.",
    runs_on="nvidia",
    source=f"the package torchtitan {VERSION}: config/job_config.py, config/manager.py, "
    "components/checkpoint.py, hf_datasets/text_datasets.py and the models' flavors",
    minutes=1440,
    image="optional",
    trains=True,
    save_signal="",
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        *PARALLEL_SETTINGS,
        Setting(
            "data",
            "path",
            "Folder of the text.  [default: data/text on the file system]",
        ),
        Setting(
            "dataset_name",
            "choice",
            "Reader of torchtitan: c4_test reads any folder of text, c4 a copy of allenai/c4.",
            default="c4_test",
            choices=("c4_test", "c4"),
        ),
        Setting("tokenizer", "path", "Folder of the tokeniser, of Hugging Face.", required=True),
        Setting(
            "flavor",
            "text",
            "NAME/FLAVOR of torchtitan's models.  [default: of the model, where it has one]",
        ),
        Setting("learning_rate", "number", "Peak learning rate, after a cosine.", default="3e-4"),
        Setting("warmup", "count", "Steps of linear warm-up.", default="100"),
    ),
    untried=(
        "the program: the keys of the file are those of the package, and no run was made",
        "pipelines of models whose layers do not divide into the stages",
    ),
)
