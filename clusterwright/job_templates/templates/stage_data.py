"""Staging: files of a data repository association from S3 into Lustre, before they are read."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import (
    PYTHON_FOUND,
    node_module,
    program,
    results_folder,
    written,
)
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError

PROGRAM = "stage_data.py"
MODULES = ("files.py", "lustre.py")
"""Of `lifecycle_scripts/clusterwright_preload`, which loads the folders of `preload`."""

_RUN = """
{folder}
{programs}
{python}
command -v lfs >/dev/null ||
  fail "$EXIT_ENVIRONMENT" "$(hostname) has no lfs, the program of Lustre's client"
say "task $SLURM_ARRAY_TASK_ID of {tasks}: {data}, report in $RUN_PATH"
exec python3 "$RUN_PATH/{name}" --task="$SLURM_ARRAY_TASK_ID" --tasks={tasks} \\
  --batch={batch} --method={method} --report="$RUN_PATH/report.json" {data}
"""


def associations(cluster: Cluster) -> list[str]:
    """The folders of the data repository associations, those that import changes first."""
    found = [
        (not repository.import_events, f"{lustre.mount_path.rstrip('/')}{repository.path}")
        for lustre in cluster.storage.lustre
        for repository in lustre.repositories
    ]
    return [path.rstrip("/") for _, path in sorted(found, key=lambda pair: pair[0])]


def _folder(context: Context) -> str:
    known = associations(context.cluster)
    stated = context.optional("folder")
    if stated is None:
        return known[0]
    if not any(f"{stated}/".startswith(f"{path}/") for path in known):
        raise RefusedError(
            f"stage-data: {stated} is in no data repository association",
            f"below {', '.join(known)}",
        )
    return str(stated)


def _slurm(context: Context) -> str:
    tasks = context.count("tasks")
    modules = {name: node_module(f"clusterwright_preload/{name}") for name in MODULES}
    body = _RUN.format(
        folder=results_folder(context),
        programs=written({**modules, PROGRAM: program(PROGRAM)}),
        python=PYTHON_FOUND,
        name=PROGRAM,
        tasks=tasks,
        batch=context.count("batch"),
        method=context.text("method"),
        data=_folder(context),
    )
    return slurm.script(context, body, cpus_per_task=1, array=f"0-{tasks - 1}")


def _refusal(target: Target) -> str | None:
    if not associations(target.cluster):
        return "no Lustre file system of the cluster has a data repository association"
    return None


TEMPLATE = JobTemplate(
    name="stage-data",
    title="Stage data from S3 into Lustre",
    family="data",
    about="Loads the content of the files below a folder of a data repository association with "
    "`lfs hsm_restore`: an array job whose tasks take shares of the files, in batches, with "
    "progress in the log. At the end each task verifies with `lfs hsm_state` that no file of its "
    "share is only in S3, and fails otherwise. It goes on after a requeue, and stops before the "
    "file system is full. `preload` in the spec does the same after the deployment.",
    runs_on="cpu",
    communicates=False,
    source="Amazon FSx for Lustre user guide, Preloading files into your file system; "
    "lifecycle_scripts/clusterwright_preload",
    nodes=1,
    minutes=720,
    slurm=_slurm,
    kubernetes_refusal="images have no lfs, the program of Lustre's client: read the files "
    "once, or see `preload` in the spec",
    refusal=_refusal,
    settings=(
        Setting("folder", "path", "Folder to load.  [default: the first association's]"),
        Setting("tasks", "count", "Tasks of the array.", default="4"),
        Setting("batch", "count", "Files that a task requests at once.", default="500"),
        Setting(
            "method",
            "choice",
            "restore asks Lustre to load the files; read reads a byte of each, where users may "
            "not ask.",
            default="restore",
            choices=("restore", "read"),
        ),
    ),
)
