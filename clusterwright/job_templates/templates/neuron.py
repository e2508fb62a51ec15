"""Pre-training on Trainium2 with TorchTitan Neuron; Trainium1 is refused with the reason."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

WORKERS_PER_CHIP: Final = 4
"""64 workers on the 16 chips of a trn2.48xlarge: AWS Neuron documentation, torch.distributed."""


def refusal(target: Target) -> str | None:
    """Why a type cannot run TorchTitan Neuron."""
    if target.instance_type.startswith(("trn2", "trn3")):
        return None
    if target.instance_type.startswith("trn1"):
        return (
            f"{target.instance_type}: TorchTitan Neuron and native PyTorch are for Trn2 and Trn3. "
            "NxD Training, which trains on Trn1, ended with Neuron 2.28 to 2.31 (three "
            "statements): the job `nxd` runs it with that release; for other programs of it use "
            "an image with sdk2.28 in its tag, `check-job` judges the file"
        )
    return f"{target.instance_type} is not for training"


def arguments(context: Context) -> list[str]:
    """The module, its configuration, and what the job decides."""
    words = [
        f"--module={context.text('module')}",
        f"--config={context.text('config')}",
        '--dump_folder="$RUN_PATH"',
        f"--training.steps={context.count('steps')}",
        "--checkpoint.enable",
        '--checkpoint.folder="$CHECKPOINTS"',
        f"--checkpoint.interval={context.count('save_every')}",
        f"--checkpoint.keep_latest_k={max(2, context.count('keep'))}",
        "--metrics.log_freq=1",
    ]
    if context.values.get("compile"):
        words += ["--compile.enable", "--compile.backend=neuron"]
    return words


def _slurm(context: Context) -> str:
    workers = context.target.accelerators * WORKERS_PER_CHIP
    lines = [
        slurm.python_environment(context),
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node=1 torchrun \\",
        f"  --nnodes={context.nodes} --nproc-per-node={workers} \\",
        '  --rdzv-id="$SLURM_JOB_ID" --rdzv-backend=c10d \\',
        '  --rdzv-endpoint="$MASTER_ADDR:$MASTER_PORT" \\',
        f"  -m {context.text('entry')} \\",
        " \\\n".join(f"  {word}" for word in arguments(context)) + " &",
        slurm.END,
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=1,
        marker=".metadata",
        environment=(
            ("HF_HOME", f"{context.shared_path}/huggingface"),
            ("HF_HUB_OFFLINE", "1"),
        ),
    )


TEMPLATE = JobTemplate(
    name="neuron",
    title="Pre-training on Trainium2",
    family="pre-training",
    about="Runs TorchTitan Neuron, which is in beta since Neuron 2.33, with a configuration of "
    "its own: the plan's layout is not passed, because no source says which layouts it takes. "
    "Trn1 is refused: its training path ended with Neuron 2.28, which the job `nxd` uses.",
    runs_on="neuron",
    source="AWS Neuron documentation: TorchTitan Neuron 0.2.2+neuron.1 (release notes of "
    "2026-10-19, basic training), torch.distributed on Neuron; the package torchtitan 0.3.0 for "
    "the names of the arguments",
    minutes=1440,
    image="optional",
    trains=True,
    save_signal="",
    refusal=refusal,
    slurm=_slurm,
    kubernetes_refusal="no source shows TorchTitan Neuron under a training operator",
    settings=(
        Setting(
            "module",
            "text",
            "Module of the model.",
            default="torchtitan_neuron.models.qwen3",
        ),
        Setting(
            "config",
            "text",
            "Configuration of the module.",
            default="qwen3_8b_tp4_fsdp16_sac",
        ),
        Setting("entry", "text", "Module that is started.", default="torchtitan.train"),
        Setting("compile", "flag", "Compile with the backend of Neuron.", default="no"),
        Setting("steps", "count", "Steps of the run.", default="1000"),
        Setting("save_every", "count", "Steps between checkpoints.", default="100"),
        Setting("keep", "count", "Checkpoints that are kept, at least 2.", default="2"),
    ),
    untried=(
        "the program: TorchTitan Neuron is in no package registry, so the arguments are compared "
        "with those of torchtitan 0.3.0, and that it is started as torchtitan.train is assumed",
        "that a checkpoint is whole when it has .metadata, as those of torchtitan",
        "four workers per chip on types other than trn2.48xlarge",
    ),
)
