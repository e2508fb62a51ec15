"""Pre-training with PyTorch FSDP2, with the program in the job file."""

from __future__ import annotations

from importlib.resources import files

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.plan import sizes_of
from clusterwright.job_templates.planned_layout import alternative_job
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.sizes import SETTINGS, data_path, sizes
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.sizing.plan_types import Layout

PROGRAM = "fsdp2_pretrain.py"
_DEBUG = (("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,NET"))


def program() -> str:
    """The training program's text."""
    return files("clusterwright.job_templates").joinpath(f"programs/{PROGRAM}").read_text("utf-8")


def arguments(context: Context) -> list[str]:
    """The program's arguments."""
    size = sizes(context)
    layout = context.plan.layout if context.plan is not None else {}
    if layout_refusal(sizes_of(layout), None) is not None:
        raise RefusedError(
            f"{context.template.name}: the plan's layout is {layout.get('text')}, and this "
            "program is data-parallel",
            alternative_job(
                context.template.name,
                str(context.plan and context.plan.model.get("name")),
                context.plan,
            ),
        )
    words = [
        f"--data={data_path(context)}",
        '--checkpoints="$CHECKPOINTS"',
        f"--layers={size.layers} --hidden={size.hidden} --ffn={size.ffn}",
        f"--heads={size.heads} --kv-heads={size.kv_heads} --vocab={size.vocab}",
        f"--seq-len={size.seq_len} --micro-batch={size.micro_batch} "
        f"--accumulation={size.accumulation}",
        f"--steps={size.steps} --save-every={size.save_every} --keep={size.keep}",
        f"--learning-rate={context.text('learning_rate')} --warmup={context.count('warmup')}",
    ]
    return [*words, "--recompute"] if size.recompute else words


def layout_refusal(layout: Layout, _layers: int | None) -> str | None:
    """Why the program cannot run a layout."""
    if layout.tensor * layout.pipeline * layout.context * layout.expert > 1:
        return "is not data-parallel only, and the program of this job is"
    return None


def _slurm(context: Context) -> str:
    tasks = context.target.accelerators
    own = context.optional("program")
    path = own or f'"$RUN_PATH/{PROGRAM}"'
    lines = [
        slurm.python_environment(context),
        "" if own else slurm.program_file(PROGRAM, program()),
        slurm.RENDEZVOUS,
        f"{slurm.srun(context)} --ntasks-per-node={tasks} \\",
        f"  python {path} \\",
        " \\\n".join(f"  {words}" for words in arguments(context)) + " &",
        slurm.END,
    ]
    return slurm.script(
        context,
        "\n".join(line for line in lines if line),
        tasks_per_node=tasks,
        marker=".metadata",
        environment=_DEBUG,
    )


def _kubernetes(context: Context) -> str:
    own = context.optional("program")
    return kubernetes.training(
        context,
        own or f"{kubernetes.PROGRAMS}/{PROGRAM}",
        arguments(context),
        marker=".metadata",
        environment=_DEBUG,
        programs={} if own else {PROGRAM: program()},
    )


TEMPLATE = JobTemplate(
    name="fsdp2",
    title="Pre-training with PyTorch FSDP2",
    family="pre-training",
    about="Trains a Llama-shaped model, data-parallel and fully sharded, with a program that is "
    "a part of the job file. The samples of a step depend on the step only, so a resumed run "
    "reads the same data. The program was run with PyTorch 2.15.0 on CPUs (gloo), not on GPUs.",
    runs_on="nvidia",
    source="PyTorch documentation, torch.distributed.fsdp.fully_shard and "
    "torch.distributed.checkpoint; arXiv 2407.21783, Llama 3, for the shape",
    minutes=1440,
    image="optional",
    trains=True,
    layout_refusal=layout_refusal,
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        *SETTINGS,
        Setting("learning_rate", "number", "Peak learning rate, after a cosine.", default="3e-4"),
        Setting("warmup", "count", "Steps of linear warm-up.", default="100"),
        Setting(
            "program",
            "path",
            "A program of yours with the same arguments, not ours. It saves and ends on SIGUSR1, "
            "on Kubernetes with the exit code $EXIT_WHEN_SAVED.",
        ),
    ),
)
