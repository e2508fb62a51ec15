"""IOR: parallel writing and reading on Lustre, over 1, 2, 4 ... nodes."""

from __future__ import annotations

from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.node_counts import ONLY, node_counts
from clusterwright.job_templates.program_files import results_folder
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

_RUN = """
{folder}
PROGRAM={program}
NODE_COUNTS=({counts})
TASKS={tasks}
GIB={gib}
DATA={data}/$SLURM_JOB_ID
{check}
mkdir --parents "$DATA" || fail "$EXIT_ENVIRONMENT" "$DATA cannot be created"
trap 'rm --recursive --force "$DATA"' EXIT
FREE=$(($(df --output=avail --block-size=1G "$DATA" | tail --lines=1)))
NEEDED=$((GIB * TASKS * SLURM_JOB_NUM_NODES))
((FREE / 2 >= NEEDED)) ||
  fail "$EXIT_ENVIRONMENT" "$DATA has $FREE GiB free, and the test writes $NEEDED: use less gib"
FAILED=0
for count in "${{NODE_COUNTS[@]}}"; do
  # On a single node the data would be read from its own memory: it writes only.
  WAYS=(-w)
  if ((count > 1)); then
    WAYS+=(-r)
  fi
  say "IOR on $count nodes, $TASKS processes on each, $GIB GiB of each"
  {srun} --nodes="$count" --ntasks-per-node="$TASKS" --mpi=pmix \\
    "$PROGRAM" -a POSIX "${{WAYS[@]}}" {shape}-C -Q "$TASKS" -e -g \\
    -b "${{GIB}}g" -t {transfer} -o "$DATA/data" 2>&1 | tee "$RUN_PATH/$count-nodes.txt" || {{
    say "IOR on $count nodes failed"
    FAILED=1
  }}
done
say "the results are in $RUN_PATH"
exit "$FAILED"
"""
_CHECK = """[[ -x "$PROGRAM" ]] ||
  fail "$EXIT_ENVIRONMENT" "$PROGRAM does not exist: render with another program=PATH or an image"
"""


def _slurm(context: Context) -> str:
    inside = context.optional("image") is not None
    data = context.optional("folder") or f"{context.run_path}/data"
    body = _RUN.format(
        folder=results_folder(context),
        program=context.text("program"),
        counts=" ".join(str(count) for count in node_counts(context)),
        tasks=context.count("processes"),
        gib=context.count("gib"),
        data=data,
        check="" if inside else _CHECK.strip("\n"),
        shape="" if context.values["one_file"] else "-F ",
        transfer=context.text("transfer"),
        srun=slurm.srun(context),
    )
    return slurm.script(context, body, tasks_per_node=context.count("processes"))


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system"
    return None


TEMPLATE = JobTemplate(
    name="ior",
    title="IOR on Lustre",
    family="bring-up",
    about="Writes from 1, 2, 4 ... nodes in parallel, and reads what another node wrote, so that "
    "a node does not read from its own memory. IOR is an MPI program that is not packaged: build "
    "it on the shared file system, or name an image. It refuses to use more than half of the free "
    "space, and removes its files.",
    runs_on="any",
    communicates=False,
    source="hpc/ior, doc/sphinx/userDoc/options.rst",
    minutes=120,
    image="optional",
    slurm=_slurm,
    kubernetes_refusal="no source shows an image that has IOR beside the SSH server that the "
    "MPI operator needs",
    refusal=_refusal,
    settings=(
        Setting(
            "program",
            "path",
            "The program ior, on the nodes or in the image.",
            default="/usr/local/bin/ior",
        ),
        Setting(
            "folder",
            "path",
            "Folder of the files.  [default: in the run's folder on the shared file system]",
        ),
        Setting("processes", "count", "Processes on each node.", default="8"),
        Setting("gib", "count", "Data of a process in GiB, as -b.", default="4"),
        Setting("transfer", "text", "Size of a request, as -t of the program.", default="1m"),
        Setting("one_file", "flag", "One file of all processes, not one each.", default="no"),
        ONLY,
    ),
)
