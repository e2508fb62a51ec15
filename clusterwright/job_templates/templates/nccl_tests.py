"""NCCL tests: every collective, message sizes and node counts."""

from __future__ import annotations

from typing import Any, Final

from clusterwright.job_templates import benchmarks, kubernetes, slurm
from clusterwright.job_templates.node_counts import ONLY, node_counts
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

BENCHMARK: Final = "all_reduce_perf"
"""All programs of nccl-tests have its arguments."""

_DEBUG: Final = (("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,NET"))

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
      {arguments} || {{
      say "$collective on $count nodes failed"
      FAILED=1
    }}
  done
done
exit "$FAILED"
"""


def _slurm(context: Context) -> str:
    inside = context.optional("image") is not None
    check = (
        '[[ -x "$PROGRAMS/all_reduce_perf" ]] ||\n'
        '  fail "$EXIT_ENVIRONMENT" "$PROGRAMS has no all_reduce_perf: render with another '
        'programs=DIR or an image"'
    )
    body = _RUN.format(check="" if inside else check, srun=slurm.srun(context), **_words(context))
    return slurm.script(
        context,
        body,
        tasks_per_node=context.target.accelerators,
        environment=(*_DEBUG, *slurm.MPI),
    )


_PODS = """set -o errexit -o nounset -o pipefail

{common}

PROGRAMS={programs}
NODE_COUNTS=({counts})
COLLECTIVES=({collectives})
# EFA user guide, "Get started with EFA and NCCL": MPI only starts the processes, over TCP.
MPIRUN=(
  mpirun --allow-run-as-root --bind-to none
  --mca pml ^cm --mca btl 'tcp,self' --mca btl_tcp_if_exclude 'lo,docker0'
  -x PATH ${{LD_LIBRARY_PATH:+-x LD_LIBRARY_PATH}}
{variables}
)

# sshd of the workers answers some seconds after their start.
for ((attempt = 1; ; attempt++)); do
  "${{MPIRUN[@]}}" --np {nodes} --npernode 1 true && break
  ((attempt < 60)) || fail "$EXIT_ENVIRONMENT" 'mpirun does not reach every worker'
  sleep 5
done
"${{MPIRUN[@]}}" --np 1 test -x "$PROGRAMS/all_reduce_perf" ||
  fail "$EXIT_ENVIRONMENT" "the image has no $PROGRAMS/all_reduce_perf: render with programs=DIR"

FAILED=0
for count in "${{NODE_COUNTS[@]}}"; do
  for collective in "${{COLLECTIVES[@]}}"; do
    say "$collective on $count nodes"
    "${{MPIRUN[@]}}" --np "$((count * {tasks}))" --npernode {tasks} \\
      "$PROGRAMS/${{collective}}_perf" \\
      {arguments} || {{
      say "$collective on $count nodes failed"
      FAILED=1
    }}
  done
done
exit "$FAILED"
"""


def _kubernetes(context: Context) -> str:
    variables = (*slurm.communication(context), *_DEBUG)
    script = _PODS.format(
        common=slurm.fragment("pod"),
        variables="\n".join(f"  -x '{name}={value}'" for name, value in variables),
        nodes=context.nodes,
        **_words(context),
    )
    manifest = kubernetes.job(context, "nccl-tests", ["/bin/bash", "-c", script], max_restarts=0)
    return kubernetes.file(context, manifest)


def _words(context: Context) -> dict[str, Any]:
    chosen = context.text("collectives").split(",")
    return {
        "programs": context.text("programs"),
        "counts": " ".join(str(count) for count in node_counts(context)),
        "collectives": " ".join(COLLECTIVES if chosen == ["all"] else chosen),
        "tasks": context.target.accelerators,
        "arguments": benchmarks.arguments(
            BENCHMARK,
            smallest=context.text("smallest"),
            largest=context.text("largest"),
            iterations=context.count("iterations"),
        ),
    }


TEMPLATE = JobTemplate(
    name="nccl-tests",
    title="NCCL tests",
    family="bring-up",
    about="Runs every collective of NVIDIA's nccl-tests over 1, 2, 4 ... nodes, with NCCL's lines "
    "that say which network it uses. `clusterwright accept` compares the all-reduce with floors.",
    runs_on="nvidia",
    source="NVIDIA/nccl-tests, doc and src/Makefile; awslabs/awsome-distributed-ai, "
    "micro-benchmarks/nccl-tests; kubeflow/mpi-operator, v2beta1; EFA user guide, Get started "
    "with EFA and NCCL",
    minutes=120,
    image="optional",
    slurm=_slurm,
    kubernetes=_kubernetes,
    settings=(
        Setting(
            "programs",
            "path",
            "Folder of all_reduce_perf and the others, on the nodes or in the image.",
            default=benchmarks.place(BENCHMARK).rpartition("/")[0],
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
        Setting(
            "iterations",
            "count",
            "Timed iterations of a size, as -n.",
            default=benchmarks.default(BENCHMARK, "iterations"),
        ),
        ONLY,
    ),
)
