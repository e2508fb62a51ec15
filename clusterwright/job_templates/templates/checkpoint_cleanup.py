"""Clean-up of checkpoints: the last whole ones are kept."""

from __future__ import annotations

from clusterwright.job_templates import kubernetes, slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import (
    PYTHON_FOUND,
    program,
    results_folder,
    written,
)
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, JobTemplate

PROGRAM = "checkpoint_cleanup.py"

_RUN = """
{folder}
{programs}
{python}
exec python3 "$RUN_PATH/{name}" {arguments}
"""


def _arguments(context: Context) -> str:
    words = [f"--marker={context.text('marker')}", f"--keep={context.count('keep')}"]
    words += [f"--{name}" for name in ("remove", "incomplete") if context.values[name]]
    return " ".join([*words, context.text("checkpoints")])


def _slurm(context: Context) -> str:
    if context.optional("image") is not None:
        raise SettingError("--set image: with Slurm this job runs on the node", "leave it out")
    body = _RUN.format(
        folder=results_folder(context),
        programs=written({PROGRAM: program(PROGRAM)}),
        python=PYTHON_FOUND,
        name=PROGRAM,
        arguments=_arguments(context),
    )
    # An array of one task does not take a whole node.
    return slurm.script(context, body, cpus_per_task=1, array="0-0")


def _kubernetes(context: Context) -> str:
    line = f"exec python3 {kubernetes.PROGRAMS}/{PROGRAM} {_arguments(context)}"
    return kubernetes.tasks(context, [line], {PROGRAM: program(PROGRAM)}, cpus=1)


def refusal(target: Target) -> str | None:
    """Why the cluster has no checkpoints."""
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system, where checkpoints would be"
    return None


TEMPLATE = JobTemplate(
    name="checkpoint-cleanup",
    title="Remove old checkpoints",
    family="checkpoints",
    about="Keeps the last whole checkpoints of a run, and lists or removes the older ones. It "
    "never removes the newest whole one, anything newer, what a link names, or the iteration in "
    "`latest_checkpointed_iteration.txt`. Without `remove=yes` it only lists.",
    runs_on="cpu",
    communicates=False,
    source="the training jobs' rule of a whole checkpoint (shell/training.sh); Megatron-LM, "
    "latest_checkpointed_iteration.txt",
    nodes=1,
    minutes=120,
    slurm=_slurm,
    kubernetes=_kubernetes,
    refusal=refusal,
    settings=(
        Setting("checkpoints", "path", "Folder of a run's checkpoints.", required=True),
        Setting("keep", "count", "Whole checkpoints to keep, the newest.", default="3"),
        Setting(
            "marker",
            "text",
            "The file that the framework writes last into a checkpoint.",
            default=".metadata",
        ),
        Setting("image", "image", "On Kubernetes: an image with Python 3.9 or newer, by digest."),
        Setting("remove", "flag", "Remove, not only list.", default="no"),
        Setting(
            "incomplete",
            "flag",
            "Also checkpoints without that file that are older than the newest whole one.",
            default="no",
        ),
    ),
)
