"""fio: what every node reaches on Lustre and on its NVMe drives, all nodes at once."""

from __future__ import annotations

from clusterwright.job_templates import benchmarks, slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import (
    PYTHON_FOUND,
    program,
    results_folder,
    written,
)
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError

SUMMARY = "fio_summary.py"
BENCHMARK = "fio"

_RUN = """
{folder}
{summary}
SHARED_FOLDERS=({shared})
LOCAL_FOLDERS=({local})
GIB=$(({gib} * {processes}))
{python}

# On each node: the free space in GiB, before a file system is filled up.
# shellcheck disable=SC2016
PREPARE='mkdir --parents "$1" || exit 92
free=$(($(df --output=avail --block-size=1G "$1" | tail --lines=1)))
((free / 2 >= $2)) && exit 0
echo "$(hostname): $1 has $free GiB free, and the test writes $2: use less gib or processes"
exit 92'
# shellcheck disable=SC2016
MEASURE='command -v "$1" >/dev/null || exit 92
exec "$1" --name="node-$(hostname)" --directory="$2" \\
  {arguments} \\
  --output-format=json --output="$4/$(hostname).json"'
# shellcheck disable=SC2016
CLEAN='rm --force "$1/node-$(hostname)".*'

measure() {{
  local folder=$1 kind=$2 needed=$3 way code=0 results
  {srun} bash -c "$PREPARE" bash "$folder" "$needed" ||
    fail "$EXIT_ENVIRONMENT" "$folder cannot be used for the test"
  for way in write read; do
    results="$RUN_PATH/$kind-$way"
    mkdir --parents "$results"
    say "fio: $way, $folder"
    {srun} --kill-on-bad-exit=0 \\
      bash -c "$MEASURE" bash {program} "$folder" "$way" "$results" || code=1
    python3 "$RUN_PATH/{name}" --nodes="$SLURM_JOB_NUM_NODES" --way="$way" "$results" || code=1
  done
  {srun} bash -c "$CLEAN" bash "$folder" || code=1
  return "$code"
}}

FAILED=0
NUMBER=0
for folder in "${{SHARED_FOLDERS[@]}}"; do
  NUMBER=$((NUMBER + 1))
  measure "$folder" "shared-$NUMBER" "$((GIB * SLURM_JOB_NUM_NODES))" || FAILED=1
done
for folder in "${{LOCAL_FOLDERS[@]}}"; do
  measure "$folder" local "$GIB" || FAILED=1
done
say "the results are in $RUN_PATH"
exit "$FAILED"
"""


def folders(context: Context) -> tuple[list[str], list[str]]:
    """Return the folders of the test: those on shared file systems, and those on each node.

    Raises
    ------
    RefusedError
        The setting `folder` names a place that is neither.
    """
    target = context.target
    mounts = [lustre.mount_path.rstrip("/") for lustre in context.cluster.storage.lustre]
    scratch = target.scratch_path.rstrip("/") if target.scratch_path is not None else None
    own = context.optional("folder")
    if own is None:
        where = f"runs/{context.text('run')}/fio"
        shared = [f"{mount}/{where}" for mount in mounts]
        return shared, [f"{scratch}/{where}"] if scratch is not None else []
    if any(f"{own}/".startswith(f"{mount}/") for mount in mounts):
        return [own], []
    if scratch is not None and f"{own}/".startswith(f"{scratch}/"):
        return [], [own]
    known = ", ".join([*mounts, *([scratch] if scratch is not None else [])])
    raise RefusedError(f"fio: {own} is on no file system that the test is for", f"below {known}")


def _slurm(context: Context) -> str:
    shared, local = folders(context)
    body = _RUN.format(
        folder=results_folder(context),
        summary=written({SUMMARY: program(SUMMARY)}),
        name=SUMMARY,
        python=PYTHON_FOUND,
        shared=" ".join(shared),
        local=" ".join(local),
        gib=context.count("gib"),
        processes=context.count("processes"),
        arguments=benchmarks.arguments(
            BENCHMARK,
            way='"$3"',
            gib=context.count("gib"),
            block=context.text("block"),
            processes=context.count("processes"),
            seconds=context.count("seconds"),
        ),
        program=context.text("program"),
        srun=slurm.srun(context),
    )
    return slurm.script(context, body)


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system"
    return None


TEMPLATE = JobTemplate(
    name="fio",
    title="fio on Lustre and NVMe",
    family="bring-up",
    about="Writes and reads with fio from all nodes at once, on every Lustre file system and on "
    "the NVMe drives of the nodes, without the page cache, and lists the sum, the slowest and the "
    "median node. It refuses to use more than half of the free space, and removes its files. "
    "`clusterwright accept` compares one node with floors.",
    runs_on="any",
    communicates=False,
    source="fio documentation, Command line options; the options are those of the acceptance "
    "checks",
    minutes=60,
    slurm=_slurm,
    kubernetes_refusal="it measures file systems one after another on all nodes at once, "
    "which needs steps of Slurm",
    refusal=_refusal,
    settings=(
        Setting("program", "text", "The program, on the search path or absolute.", default="fio"),
        Setting(
            "folder", "path", "Only this folder.  [default: all Lustre file systems, and NVMe]"
        ),
        Setting("gib", "count", "Size of the file of a process, in GiB.", default="16"),
        Setting("processes", "count", "Processes on each node.", default="4"),
        Setting(
            "block",
            "text",
            "Size of a request, as --bs of fio.",
            default=benchmarks.default(BENCHMARK, "block"),
        ),
        Setting("seconds", "count", "Duration of each direction.", default="30"),
    ),
)
