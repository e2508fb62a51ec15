"""IOR: parallel writing and reading on Lustre, over 1, 2, 4 ... nodes, and on NVMe drives."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.node_counts import ONLY, node_counts
from clusterwright.job_templates.program_files import results_folder
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

_RUN = """
{folder}
PROGRAM={program}
TASKS={tasks}
GIB={gib}
{check}
FAILED=0
{parts}
say "the results are in $RUN_PATH"
exit "$FAILED"
"""
_SHARED = """
NODE_COUNTS=({counts})
DATA={data}/$SLURM_JOB_ID
mkdir --parents "$DATA" || fail "$EXIT_ENVIRONMENT" "$DATA cannot be created"
trap 'rm --recursive --force "$DATA"' EXIT
FREE=$(($(df --output=avail --block-size=1G "$DATA" | tail --lines=1)))
NEEDED=$((GIB * TASKS * SLURM_JOB_NUM_NODES))
((FREE / 2 >= NEEDED)) ||
  fail "$EXIT_ENVIRONMENT" "$DATA has $FREE GiB free, and the test writes $NEEDED: use less gib"
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
"""
_LOCAL = """
LOCAL={local}/$SLURM_JOB_ID
mapfile -t HOSTS < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
# On each node: the free space in GiB, before its drives are filled up.
# shellcheck disable=SC2016
PREPARE='mkdir --parents "$1" || exit 92
free=$(($(df --output=avail --block-size=1G "$1" | tail --lines=1)))
((free / 2 >= $2)) && exit 0
echo "$(hostname): $1 has $free GiB free, and the test writes $2: use less gib"
exit 92'
on_each_node() {{
  {srun} --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 "$@"
}}
remove_data() {{
  rm --recursive --force "${{DATA:-}}"
  on_each_node rm --recursive --force "$LOCAL"
}}
trap remove_data EXIT
on_each_node bash -c "$PREPARE" bash "$LOCAL" "$((GIB * TASKS))" ||
  fail "$EXIT_ENVIRONMENT" "$LOCAL cannot be used for the test"
# A job that was requeued may run on other nodes.
rm --recursive --force "$RUN_PATH/local"
mkdir --parents "$RUN_PATH/local"

STEPS=()
await_steps() {{
  local step
  for step in "${{STEPS[@]}}"; do
    wait "$step" || FAILED=1
  done
  STEPS=()
}}
say "IOR on the drives of each node, $TASKS processes, $GIB GiB of each"
# A program on each node, up to {at_once} at once: one over all has a figure of their sum only.
for host in "${{HOSTS[@]}}"; do
  {srun} --nodes=1 --ntasks="$TASKS" --ntasks-per-node="$TASKS" --nodelist="$host" --mpi=pmix \\
    "$PROGRAM" -a POSIX -w -r -F -e -g --posix.odirect \\
    -b "${{GIB}}g" -t {transfer} -o "$LOCAL/data" >"$RUN_PATH/local/$host.txt" 2>&1 &
  STEPS+=("$!")
  ((${{#STEPS[@]}} < {at_once})) || await_steps
done
await_steps
trap - EXIT
remove_data || FAILED=1
awk -v nodes="${{#HOSTS[@]}}" '
  /^Max (Write|Read): .*MB\\/sec\\)/ {{
    node = FILENAME
    gsub(/.*\\/|\\.txt$/, "", node)
    way = tolower($2)
    value = substr($5, 2) + 0
    print node ": " way " " value " MB/s"
    sum[way] += value
    count[way]++
    if (!(way in slowest) || value < least[way]) {{
      slowest[way] = node
      least[way] = value
    }}
  }}
  END {{
    for (i = split("write: read:", ways, " "); i > 0; i--) {{
      way = ways[i]
      if (count[way] < nodes) {{
        print way " " (nodes - count[way]) " of " nodes " nodes have no result"
        bad = 1
      }}
      if (count[way]) print way " together " sum[way] " MB/s, slowest " slowest[way]
    }}
    exit bad
  }}' "$RUN_PATH/local/"*.txt | tee "$RUN_PATH/local.txt" || FAILED=1
"""
_CHECK = """[[ -x "$PROGRAM" ]] ||
  fail "$EXIT_ENVIRONMENT" "$PROGRAM does not exist: render with another program=PATH or an image"
"""
_STEPS_AT_ONCE: Final = 64


def folders(context: Context) -> tuple[str | None, str | None]:
    """Return the folder on the shared file system, and that on the drives of each node."""
    scratch = context.target.scratch_path
    scratch = scratch.rstrip("/") if scratch is not None else None
    own = context.optional("folder")
    if own is None:
        local = f"{scratch}/runs/{context.text('run')}/ior" if scratch is not None else None
        return f"{context.run_path}/data", local
    if scratch is not None and f"{own}/".startswith(f"{scratch}/"):
        return None, own
    return own, None


def _slurm(context: Context) -> str:
    inside = context.optional("image") is not None
    data, local = folders(context)
    words = {
        "counts": " ".join(str(count) for count in node_counts(context)),
        "data": data,
        "local": local,
        "shape": "" if context.values["one_file"] else "-F ",
        "transfer": context.text("transfer"),
        "srun": slurm.srun(context),
        "at_once": _STEPS_AT_ONCE,
    }
    parts = [part for part, place in ((_SHARED, data), (_LOCAL, local)) if place is not None]
    body = _RUN.format(
        folder=results_folder(context),
        program=context.text("program"),
        tasks=context.count("processes"),
        gib=context.count("gib"),
        check="" if inside else _CHECK.strip("\n"),
        parts="".join(parts).format(**words).strip("\n"),
    )
    tasks = context.count("processes")
    return slurm.script(context, body, tasks_per_node=tasks, environment=slurm.MPI)


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system"
    return None


TEMPLATE = JobTemplate(
    name="ior",
    title="IOR on Lustre and NVMe",
    family="bring-up",
    about="Writes from 1, 2, 4 ... nodes in parallel to Lustre, and reads what another node "
    "wrote, so that a node does not read from its own memory; then writes and reads on the NVMe "
    "drives of every node, one file for each process, without the page cache, and lists the "
    "figures of each node, their sum and the slowest. IOR is an MPI program that is not packaged: "
    "build it on the shared file system, or name an image; for the drives it needs the option "
    "--posix.odirect. It refuses to use more than half of the free space, and removes its files.",
    runs_on="any",
    communicates=False,
    source="hpc/ior, doc/sphinx/userDoc/options.rst and src/aiori-POSIX.c",
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
            "Only this folder, shared or on the drives of each node.  [default: the shared file "
            "system, and NVMe]",
        ),
        Setting("processes", "count", "Processes on each node.", default="8"),
        Setting("gib", "count", "Data of a process in GiB, as -b.", default="4"),
        Setting("transfer", "text", "Size of a request, as -t of the program.", default="1m"),
        Setting(
            "one_file",
            "flag",
            "On a shared file system one file of all processes, not one each.",
            default="no",
        ),
        ONLY,
    ),
)
