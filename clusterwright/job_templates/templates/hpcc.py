"""HPC Challenge on the processors of the nodes: HPL, STREAM, DGEMM, PTRANS, MPI's network."""

from __future__ import annotations

from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import results_folder
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError
from clusterwright.job_templates.templates.hpl import DAT, grid, order

SHARE: Final = 0.1
"""Of the memory: with HPL's usual 80 % the nodes of accelerators compute for hours."""
_BLOCK: Final = 80
"""The block size of the example of Debian's package hpcc 1.5.0."""
_PTRANS: Final = """\
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB"""
_SHOWN: Final = (
    "HPL_Tflops",
    "PTRANS_GBs",
    "StarDGEMM_Gflops",
    "StarSTREAM_Triad",
    "MPIRandomAccess_GUPs",
    "RandomlyOrderedRingLatency_usec",
    "RandomlyOrderedRingBandwidth_GBytes",
)
_RUN = """
{folder}
cat >"$RUN_PATH/hpccinf.txt" <<'END_OF_HPCCINF_TXT'
{dat}
END_OF_HPCCINF_TXT
say "HPCC on $SLURM_JOB_NODELIST: N {n}, NB {nb}, {p} x {q} processes"
cd "$RUN_PATH"
{srun} --ntasks-per-node={tasks} --cpus-per-task=1 --mpi=pmix {program}
result="$RUN_PATH/hpccoutf.txt"
[[ -s "$result" ]] || fail 1 "the program has written no hpccoutf.txt"
grep --extended-regexp '^({shown})=' "$result" || true
if grep --quiet ' FAILED' "$result" || ! grep --quiet '^Success=1$' "$result"; then
  fail 1 "a result is wrong: see $result"
fi
"""


def _slurm(context: Context) -> str:
    target = context.target
    tasks = context.optional("processes") or target.cpus
    if tasks is None:
        raise RefusedError(
            f"hpcc: the number of processors of {target.instance_type} is unknown",
            "--set processes=NUMBER",
        )
    block = context.count("block")
    size = context.optional("order")
    if size is None:
        if target.memory_gib is None:
            raise RefusedError(
                f"hpcc: the memory of {target.instance_type} is unknown", "--set order=NUMBER"
            )
        size = order(target.memory_gib * context.nodes, block, SHARE)
    rows, columns = grid(context.nodes * tasks)
    dat = DAT.format(n=size, nb=block, p=rows, q=columns).replace("\n6  ", "\n8  ", 1)
    body = _RUN.format(
        folder=results_folder(context),
        dat=f"{dat}{_PTRANS}",
        n=size,
        nb=block,
        p=rows,
        q=columns,
        tasks=tasks,
        srun=slurm.srun(context),
        program=context.text("program"),
        shown="|".join(_SHOWN),
    )
    return slurm.script(context, body, tasks_per_node=tasks, environment=slurm.MPI)


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system, where hpccinf.txt would be"
    return None


TEMPLATE = JobTemplate(
    name="hpcc",
    title="HPC Challenge on processors",
    family="bring-up",
    about="Runs HPL, DGEMM, STREAM, PTRANS, RandomAccess and MPI's latency and bandwidth on all "
    "processors of the nodes, prints the results, and fails if one of them is wrong. N takes 10 % "
    "of the memory, so that nodes with accelerators compute for less than hours. HPCC is an MPI "
    "program: Debian and Ubuntu have the package hpcc; its input and its results were tried with "
    "hpcc 1.5.0 and mpirun.",
    runs_on="any",
    source="hpcc 1.5.0 of Debian: examples/_hpccinf.txt, README",
    minutes=240,
    image="optional",
    slurm=_slurm,
    kubernetes_refusal="MPI needs an image with hpcc and an SSH server, and none is known",
    refusal=_refusal,
    settings=(
        Setting("program", "path", "The program hpcc.", default="/usr/bin/hpcc"),
        Setting("processes", "count", "Processes on each node.  [default: its processors]"),
        Setting("block", "count", "Block size NB.", default=str(_BLOCK)),
        Setting("order", "count", "Problem size N.  [default: from 10 % of the memory]"),
    ),
)
