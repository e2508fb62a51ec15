"""NCCL tests: every collective, message sizes and node counts."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

COLLECTIVES: Final = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "sendrecv",
    "hypercube",
)
"""The programs of NVIDIA/nccl-tests, src/Makefile."""

_RUN = """
PROGRAMS={programs}
NODE_COUNTS=({counts})
COLLECTIVES=({collectives})
{check}
echo "nccl-tests on $SLURM_JOB_NODELIST"
FAILED=0
for count in "${{NODE_COUNTS[@]}}"; do
  for collective in "${{COLLECTIVES[@]}}"; do
    say "$collective on $count nodes"
    {srun} --nodes="$count" --ntasks-per-node={tasks} --mpi=pmix \\
      "$PROGRAMS/${{collective}}_perf" \\
      -b {smallest} -e {largest} -f 2 -g 1 -c 1 -n {iterations} || {{
      say "$collective on $count nodes failed"
      FAILED=1
    }}
  done
done
exit "$FAILED"
"""


def _slurm(context: Context) -> str:
    chosen = context.text("collectives").split(",")
    inside = context.optional("image") is not None
    check = (
        '[[ -x "$PROGRAMS/all_reduce_perf" ]] ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$PROGRAMS has no all_reduce_perf: render with another '
        'programs=DIR or an image"'
    )
    body = _RUN.format(
        programs=context.text("programs"),
        counts=" ".join(str(count) for count in node_counts(context)),
        collectives=" ".join(COLLECTIVES if chosen == ["all"] else chosen),
        check="" if inside else check,
        srun=slurm.srun(context),
        tasks=context.target.accelerators,
        smallest=context.text("smallest"),
        largest=context.text("largest"),
        iterations=context.count("iterations"),
    )
    return slurm.script(
        context,
        body,
        tasks_per_node=context.target.accelerators,
        environment=(("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,NET")),
    )


def node_counts(context: Context) -> list[int]:
    """1, 2, 4 … nodes, and all of them: or only those of the setting `only`."""
    only = context.optional("only")
    if only is not None:
        return [min(int(only), context.nodes)]
    found, count = [], 1
    while count < context.nodes:
        found.append(count)
        count *= 2
    return [*found, context.nodes]


TEMPLATE = JobTemplate(
    name="nccl-tests",
    title="NCCL tests",
    family="bring-up",
    about="Runs every collective of NVIDIA's nccl-tests over 1, 2, 4 ... nodes, with NCCL's lines "
    "that say which network it uses. `clusterwright accept` compares the all-reduce with floors.",
    runs_on="nvidia",
    source="NVIDIA/nccl-tests, doc and src/Makefile; awslabs/awsome-distributed-ai, "
    "micro-benchmarks/nccl-tests",
    minutes=120,
    image="optional",
    slurm=_slurm,
    settings=(
        Setting(
            "programs",
            "path",
            "Folder of all_reduce_perf and the others, on the nodes or in the image.",
            default="/opt/nccl-tests/build",
        ),
        Setting(
            "collectives",
            "choice",
            "A single collective, or all.",
            default="all",
            choices=("all", *COLLECTIVES),
        ),
        Setting("smallest", "text", "Smallest message, as -b of the programs.", default="8"),
        Setting("largest", "text", "Largest message, as -e of the programs.", default="16G"),
        Setting("iterations", "count", "Timed iterations of a size, as -n.", default="20"),
        Setting("only", "count", "Only this number of nodes.  [default: 1, 2, 4 ... all]"),
    ),
)
