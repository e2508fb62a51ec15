"""nccom-test: the collectives of AWS Neuron, message sizes and node counts."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Known
from clusterwright.catalog.neuron_cores import LOGICAL_CORES_OF_CHIP
from clusterwright.job_templates import benchmarks, slurm
from clusterwright.job_templates.node_counts import ONLY, node_counts
from clusterwright.job_templates.program_files import results_folder
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate

COLLECTIVES: Final = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv")

BENCHMARK: Final = "nccom-test"

_RUN = """
{folder}
PROGRAM={program}
RANKS_OF_A_NODE={ranks}
NODE_COUNTS=({counts})
COLLECTIVES=({collectives})
[[ -x "$PROGRAM" ]] ||
  fail "$EXIT_ENVIRONMENT" "$PROGRAM does not exist: render with another program=PATH"
HELP=$("$PROGRAM" --help 2>&1) || true
mapfile -t HOSTS < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
read -r ADDRESS _ < <(getent ahostsv4 "${{HOSTS[0]}}") ||
  fail "$EXIT_ENVIRONMENT" "${{HOSTS[0]}} has no IPv4 address"

# Several nodes: with srun where nccom-test can, else with MPI, which needs SSH between the nodes.
run() {{
  local count=$1 collective=$2
  local words=("$PROGRAM" -N "$count" "$collective"
    {arguments} --check --non-interactive)
  if ((count == 1)); then
    {srun} --nodes=1 --ntasks=1 "${{words[@]}}"
  elif [[ "$HELP" == *--slurm-mode* ]]; then
    "${{words[@]}}" --slurm-mode --slurm-job-id "$SLURM_JOB_ID"
  else
    NEURON_RT_ROOT_COMM_ID="$ADDRESS:$((10000 + SLURM_JOB_ID % 20000))" \\
      "${{words[@]}}" --hosts "${{HOSTS[@]:0:count}}"
  fi
}}

say "nccom-test on $SLURM_JOB_NODELIST, results in $RUN_PATH"
FAILED=0
for count in "${{NODE_COUNTS[@]}}"; do
  for collective in "${{COLLECTIVES[@]}}"; do
    say "$collective on $count nodes"
    run "$count" "$collective" || {{
      say "$collective on $count nodes failed"
      FAILED=1
    }}
  done
done
exit "$FAILED"
"""


def _ranks(context: Context) -> int:
    """The logical NeuronCores of a node; its devices where the chip is unknown."""
    instance = context.catalog.instance(context.target.instance_type)
    chip = instance.accelerator if instance is not None else None
    each = LOGICAL_CORES_OF_CHIP.get(chip.value, 1) if isinstance(chip, Known) else 1
    return context.target.accelerators * each


def _slurm(context: Context) -> str:
    chosen = context.text("collectives")
    body = _RUN.format(
        folder=results_folder(context),
        program=context.text("program"),
        ranks=context.optional("ranks") or _ranks(context),
        counts=" ".join(str(count) for count in node_counts(context)),
        collectives=" ".join(COLLECTIVES if chosen == "all" else (chosen,)),
        srun=slurm.srun(context),
        arguments=benchmarks.arguments(
            BENCHMARK,
            ranks='"$((RANKS_OF_A_NODE * count))"',
            smallest=context.text("smallest"),
            largest=context.text("largest"),
            iterations=context.count("iterations"),
            report='"$RUN_PATH/$collective-$count-nodes.json"',
        ),
    )
    return slurm.script(context, body)


TEMPLATE = JobTemplate(
    name="nccom-test",
    title="Neuron collectives (nccom-test)",
    family="bring-up",
    about="Runs the collectives of AWS Neuron over 1, 2, 4 ... nodes, checks their results, and "
    "writes a JSON report of each. With several nodes it uses the Slurm mode of nccom-test; an "
    "nccom-test without one uses MPI, which needs SSH without a password between the nodes. Not "
    "run on Neuron devices.",
    runs_on="neuron",
    source="AWS Neuron documentation, NCCOM-TEST User Guide (v2.26.1 and a later one with the "
    "Slurm mode)",
    minutes=120,
    slurm=_slurm,
    kubernetes_refusal="no source shows it in pods: it starts its own processes with srun, "
    "or over SSH",
    settings=(
        Setting(
            "program",
            "path",
            "The program nccom-test on the nodes.",
            default=benchmarks.place(BENCHMARK),
        ),
        Setting(
            "collectives",
            "choice",
            "A single collective, or all.",
            default="all",
            choices=("all", *COLLECTIVES),
        ),
        Setting(
            "ranks",
            "count",
            "Ranks of a node.  [default: its logical NeuronCores, as acceptance]",
        ),
        Setting("smallest", "text", "Smallest message, as -b of the program.", default="8"),
        Setting("largest", "text", "Largest message, as -e of the program.", default="1GB"),
        Setting(
            "iterations",
            "count",
            "Timed operations of a size, as -n.",
            default=benchmarks.default(BENCHMARK, "iterations"),
        ),
        ONLY,
    ),
)
