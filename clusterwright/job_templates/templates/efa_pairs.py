"""EFA between pairs of nodes, in rounds that name the bad node."""

from __future__ import annotations

import shlex

from clusterwright.job_templates import benchmarks, slurm
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

PROGRAM = "efa_pairs.py"
BENCHMARK = "fi_pingpong"
ROUNDS = "clusterwright_acceptance/pairs.py"

_RUN = """
{folder}
{programs}
{python}
say "EFA between pairs of $SLURM_JOB_NUM_NODES nodes, report in $RUN_PATH"
mapfile -t HOSTS < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
exec python3 "$RUN_PATH/{name}" --pingpong={pingpong} --seconds={seconds} \\
  --arguments={arguments} \\
  --report="$RUN_PATH/report.json" "${{HOSTS[@]}}"
"""


def _slurm(context: Context) -> str:
    if context.nodes < 2:
        raise RefusedError("efa-pairs needs at least two nodes", "--set nodes=2")
    body = _RUN.format(
        folder=results_folder(context),
        programs=written({"pairs.py": node_module(ROUNDS), PROGRAM: program(PROGRAM)}),
        python=PYTHON_FOUND,
        name=PROGRAM,
        pingpong=context.text("program"),
        seconds=context.count("seconds"),
        arguments=shlex.quote(benchmarks.arguments(BENCHMARK, device="DEVICE")),
    )
    return slurm.script(context, body)


def _refusal(target: Target) -> str | None:
    if not target.has_efa:
        return f"{target.instance_type} has no EFA interfaces that are known"
    if target.nodes < 2:
        return "it needs two nodes"
    return None


TEMPLATE = JobTemplate(
    name="efa-pairs",
    title="EFA between pairs of nodes",
    family="bring-up",
    about="Runs libfabric's ping-pong over every EFA interface between pairs of nodes, in the "
    "rounds of the acceptance test: two rounds name a bad node, or a bad path between good nodes. "
    "A pair is bad if the ping-pong of an interface fails or hangs; bandwidths are reported, and "
    "not judged, because no reference was found. `clusterwright accept` judges an NCCL all-reduce "
    "of each pair.",
    runs_on="any",
    source="libfabric, fi_pingpong(1); lifecycle_scripts/clusterwright_acceptance/pairs.py",
    minutes=60,
    slurm=_slurm,
    kubernetes_refusal="it tests pairs of nodes one after another, which needs steps of Slurm: "
    "nccl-tests with only=2 tests the network",
    refusal=_refusal,
    settings=(
        Setting(
            "program",
            "path",
            "The program fi_pingpong on the nodes.",
            default=benchmarks.place(BENCHMARK),
        ),
        Setting("seconds", "count", "Time of an interface, after which it hangs.", default="20"),
    ),
)
