"""Builds batch scripts: options of sbatch, environment, the shared shell part, the job's lines."""

from __future__ import annotations

import datetime as dt
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from textwrap import wrap
from typing import Final

from clusterwright.job_logs.plan_line import plan_line
from clusterwright.job_templates import checkpoints, inspector
from clusterwright.job_templates.template import Context

_BEGIN: Final = "# -- begin\n"
SOCKETS: Final = "^docker,lo,veth"
"""An exclusion: the name of the first interface differs by type and image (rule CW-J020)."""

# Not `head -n 1`, which ends at the first line: the command before it could get SIGPIPE, and with
# pipefail the job would end.
RENDEZVOUS: Final = (
    'MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed --quiet 1p)\n'
    "MASTER_PORT=$((10000 + SLURM_JOB_ID % 20000))\n"
    "export MASTER_ADDR MASTER_PORT\n"
)
MPI: Final = (("SLURM_PMIX_FENCE", "ring"),)
"""For steps with --mpi=pmix, as acceptance starts them: see `PMIX_FENCE` there."""
_LEAST_MINUTES: Final = 10
"""Time to train before the save, below which a start is of no use."""
END: Final = "STEP_PID=$!\nwait_for_step\nfinish_training"
"""After the step of a training job, which runs in the background so that signals arrive."""


def script(
    context: Context,
    body: str,
    *,
    tasks_per_node: int = 1,
    cpus_per_task: int | None = None,
    environment: Sequence[tuple[str, str]] = (),
    array: str | None = None,
    whole_nodes: bool = False,
    marker: str = "",
    tracker: str = "",
    keep: int = 2,
    warning: int | None = None,
) -> str:
    """Return a batch script.

    Parameters
    ----------
    body:
        Lines that start the steps.
    tasks_per_node, cpus_per_task:
        The processes of a step; without the second the CPUs of a node by the first.
    environment:
        Variables of the job's own.
    array, whole_nodes:
        The tasks of an array; each is a part of one node, or the nodes of the job.
    marker:
        The file that a framework writes last into a checkpoint, of training jobs.
    tracker:
        The file beside the checkpoints in which Megatron-LM names the newest whole one.
    keep:
        Checkpoints that the job keeps, where it has a tracker.
    warning:
        Seconds before the time limit at which the script gets USR1, of jobs that do not train.
    """
    whole = array is None or whole_nodes
    communicates = whole and context.template.communicates
    parts = [
        "\n".join(_directives(context, tasks_per_node, cpus_per_task, array, whole, warning)),
        heading(context),
        "set -o errexit -o nounset -o pipefail",
        fragment("common"),
        "\n".join(
            f"export {name}={shlex.quote(value)}"
            for name, value in (communication(context) if communicates else ())
        ),
        _inspector(context),
        "\n".join(f"export {name}={value}" for name, value in environment),
        _image(context),
        _training(context, marker, tracker, keep) if context.template.trains else "",
        body.strip("\n"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


@cache
def fragment(name: str) -> str:
    """Return a part of `shell/`, without its heading."""
    text = files("clusterwright.job_templates").joinpath(f"shell/{name}.sh").read_text("utf-8")
    return text.partition(_BEGIN)[2].strip("\n")


def srun(context: Context, *more: str, mounts: Sequence[str] = ()) -> str:
    """Return srun with the options that every step of a job on whole nodes needs.

    Parameters
    ----------
    mounts:
        Of containers, `PATH:PATH`, beside the file systems.
    """
    words = ["srun", "--kill-on-bad-exit=1", '--cpus-per-task="$SLURM_CPUS_PER_TASK"']
    if context.template.trains and context.target.auto_resume:
        words.append("--auto-resume=1")
    if context.optional("image") is not None:
        paths = [context.shared_path]
        if context.target.scratch_path is not None:
            paths.append(context.target.scratch_path)
        joined = ",".join([*(f"{path}:{path}" for path in paths), *mounts])
        if inspector.plugin(context) is not None:
            joined += "$INSPECTOR_MOUNTS"
        words += [
            '--container-image="$IMAGE"',
            "--container-mounts=" + (f'"{joined}"' if "$" in joined else joined),
            "--no-container-mount-home",
        ]
    return " ".join([*words, *more])


def program_file(name: str, text: str) -> str:
    """Return lines that write a program to the run's folder, where every node sees it."""
    end = f"END_OF_{re.sub(r'[^A-Z]', '_', name.upper())}"
    return (
        f"cat >\"$RUN_PATH/{name}.new\" <<'{end}'\n{text.rstrip()}\n{end}\n"
        f'mv "$RUN_PATH/{name}.new" "$RUN_PATH/{name}"'
    )


def rank_program() -> str:
    """Return lines that write the program that gives a task of Slurm the names of torchrun."""
    return program_file("rank.sh", f"#!/bin/bash\n{fragment('rank')}")


def python_environment(context: Context) -> str:
    """Return lines that activate the Python environment; empty in a container."""
    if context.optional("image") is not None:
        return ""
    stated = context.optional("environment")
    path = stated or f"{context.shared_path}/environments/{context.template.name}"
    return (
        f"ENVIRONMENT={path}\n"
        '[[ -x "$ENVIRONMENT/bin/python" ]] ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$ENVIRONMENT has no Python: create it, or render with '
        'another environment or image"\n'
        'export PATH="$ENVIRONMENT/bin:$PATH"'
    )


def _directives(
    context: Context,
    tasks_per_node: int,
    cpus_per_task: int | None,
    array: str | None,
    whole: bool,
    warning: int | None,
) -> list[str]:
    target, values, trains = context.target, context.values, context.template.trains
    cpus = cpus_per_task or (target.cpus // tasks_per_node if target.cpus else None)
    options: list[str | None] = [
        f"--job-name={context.text('run')}",
        f"--partition={target.partition}" if target.partition else None,
        _optional("account", values.get("account")),
        _optional("qos", values.get("qos")),
        f"--array={array}" if array else None,
        f"--nodes={context.nodes if whole else 1}",
        f"--ntasks-per-node={tasks_per_node}",
        f"--cpus-per-task={cpus}" if cpus else None,
    ]
    if whole:
        if target.family == "nvidia":
            options.append(f"--gpus-per-node={target.accelerators}")
        options += ["--exclusive", "--mem=0"]
    options += [f"--time={clock(values['time'])}", "--requeue", "--open-mode=append"]
    if trains:
        warning = context.count("save_minutes") * 60
    if warning is not None:
        options.append(f"--signal=B:USR1@{warning}")
    last = context.last_minute
    if last is not None:
        options.append(f"--deadline={last:%Y-%m-%dT%H:%M:%S}")
        if trains:
            # Slurm refuses a time limit beyond the deadline, and with --time-min shortens it.
            least = context.count("save_minutes") + _LEAST_MINUTES
            options.append(f"--time-min={clock(min(least, values['time']))}")
    options.append(f"--output={'%x-%A_%a.out' if array else '%x-%j.out'}")
    return ["#!/bin/bash", *(f"#SBATCH {option}" for option in options if option)]


def clock(minutes: int) -> str:
    """Return a time limit as Slurm shows it: `2-00:00:00`."""
    days, rest = divmod(minutes, 1440)
    hours, left = divmod(rest, 60)
    return f"{days}-{hours:02}:{left:02}:00" if days else f"{hours:02}:{left:02}:00"


def _optional(name: str, value: object) -> str | None:
    return None if value is None else f"--{name}={value}"


def heading(context: Context) -> str:
    """Return the comment at the beginning of a file, for either launcher."""
    target, plan = context.target, context.plan
    lines = [
        f"# {context.template.title}: {context.cluster.environment}, {target.instance_type}.",
        f"# Written by: clusterwright render jobs --job {context.template.name}",
    ]
    if context.template.uses_plan:
        lines.append(
            f"# Sizes are those of {plan.name}."
            if plan is not None
            else "# Without a plan: the sizes are defaults, not a recommendation."
        )
    if context.last_minute is not None and context.cluster.uses_slurm:
        lines.append("# --deadline is in the time zone of the controller, which has to be UTC.")
    notes = (
        *checkpoints.notes(context),
        *plan_notes(context),
        *context.template.notes(context),
        *inspector.notes(context),
    )
    lines += [f"# {line}" for note in notes for line in wrap(note, 95)]
    return "\n".join(lines)


def plan_notes(context: Context) -> tuple[str, ...]:
    """What a job has otherwise than the plan, or cannot have, for the heading and stderr."""
    plan = context.plan
    if plan is None or plan.instead is None or not context.template.uses_plan:
        return checkpoints.warnings(context)
    return (plan.instead, *checkpoints.warnings(context))


def communication(context: Context) -> Iterator[tuple[str, str]]:
    """Variables of EFA and NCCL by accelerator and network of the type, for either launcher."""
    target = context.target
    if target.family == "none":
        return
    if target.has_efa:
        yield "FI_PROVIDER", "efa"
        if target.family == "neuron":
            # AWS Neuron documentation, multi-node training with EFA.
            yield "FI_EFA_USE_DEVICE_RDMA", "1"
            yield "FI_EFA_FORK_SAFE", "1"
        else:
            # Huge pages are not shared with children of a fork: aws-ofi-nccl's notes on forks.
            yield "FI_EFA_USE_HUGE_PAGE", "0"
    if target.family == "nvidia":
        yield "NCCL_SOCKET_IFNAME", SOCKETS


def _inspector(context: Context) -> str:
    plugin = inspector.plugin(context)
    if plugin is None:
        return ""
    folder = f"{inspector.FOLDER}/$SLURM_JOB_ID"
    load = f'load_inspector {plugin} \\\n  "{folder}" {inspector.DUMP_SECONDS * 1_000_000}'
    if context.optional("image") is None:
        return f"{fragment('inspector')}\n{load} || true"
    return (
        f"{fragment('inspector')}\n"
        f"INSPECTOR_MOUNTS=\nif {load}; then\n"
        f"  INSPECTOR_MOUNTS=,{plugin}:{plugin}:ro,{folder}:{folder}\nfi"
    )


def _image(context: Context) -> str:
    image = context.optional("image")
    if image is None:
        return ""
    if image.startswith("/"):
        return (
            f'IMAGE={image}\n[[ -s "$IMAGE" ]] || fail "$EXIT_ENVIRONMENT" "$IMAGE does not exist"'
        )
    reference, _, digest = image.partition("@")
    registry, _, repository = reference.partition("/")
    repository = repository.partition(":")[0]
    name = f"{repository.replace('/', '+')}-{digest.removeprefix('sha256:')[:16]}.sqsh"
    place = context.target.scratch_path or f"{context.shared_path}/temporary"
    return (
        f"IMAGE={context.shared_path}/images/{name}\n"
        f"IMAGE_URI='docker://{registry}#{repository}:{digest}'\n"
        f"export ENROOT_CACHE_PATH={place}/enroot/cache\n"
        f"export ENROOT_TEMP_PATH={place}/enroot/temporary\n\n"
        f"{fragment('image')}\nimport_image"
    )


def training_variables(context: Context, marker: str) -> list[str]:
    """Return the lines that both launchers' training scripts begin with."""
    last = context.last_minute
    efa = context.target.has_efa and context.target.family == "nvidia" and context.nodes > 1
    epoch = int(last.astimezone(dt.UTC).timestamp()) if last is not None else 0
    return [
        f"RUN_PATH={context.run_path}",
        f"CHECKPOINTS={context.checkpoint_path}",
        f"MARKER={marker}",
        f"ATTEMPTS={context.count('attempts')}",
        f"SAVE_SECONDS={context.count('save_minutes') * 60}",
        f"CAPACITY_ENDS={epoch}",
        f"EXPECT_EFA={int(efa)}",
    ]


def _training(context: Context, marker: str, tracker: str, keep: int) -> str:
    lines = training_variables(context, marker)
    lines.insert(5, f"SAVE_SIGNAL={context.template.save_signal}")
    shell = f"{fragment('checkpoints')}\n\n{fragment('training')}"
    if tracker:
        lines += [f"TRACKER={tracker}", f"KEEP={keep}"]
        shell += f"\n\n{fragment('tracker')}"
    return "\n".join(lines) + f"\n\n{shell}\n\nbegin_training{_plan(context)}"


def _plan(context: Context) -> str:
    """The line of the log from which the controller's exporter has MFU, where the plan fits."""
    plan, target = context.plan, context.target
    if plan is None or not context.template.uses_plan or not target.accelerators:
        return ""
    if plan.flops_per_token is None or plan.peak_flops is None:
        return ""
    if plan.instance_type != target.instance_type:
        return ""
    count = f"$((SLURM_JOB_NUM_NODES * {target.accelerators}))"
    return f'\nsay "{plan_line(plan.flops_per_token, plan.peak_flops, count)}"'
