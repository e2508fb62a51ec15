"""HPL (Linpack) on NVIDIA GPUs, with sizes from the memory of the GPUs."""

from __future__ import annotations

import math
from typing import Final

from clusterwright.catalog import Known
from clusterwright.job_templates import slurm
from clusterwright.job_templates.facts import Target
from clusterwright.job_templates.program_files import results_folder
from clusterwright.job_templates.settings import Setting
from clusterwright.job_templates.template import Context, JobTemplate, RefusedError

SHARE: Final = 0.8
"""Of the memory: "a good guess" (netlib.org/benchmark/hpl/faqs.html)."""

DAT: Final = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{n:<12} Ns
1            # of NBs
{nb:<12} NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{p:<12} Ps
{q:<12} Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""
_RUN = """
{folder}
cat >"$RUN_PATH/HPL.dat" <<'END_OF_HPL_DAT'
{dat}
END_OF_HPL_DAT
say "HPL on $SLURM_JOB_NODELIST: N {n}, NB {nb}, {p} x {q} processes"
{srun} --ntasks-per-node={tasks} --mpi=pmix {program} --dat "$RUN_PATH/HPL.dat" 2>&1 |
  tee "$RUN_PATH/hpl.txt"
if grep --quiet FAILED "$RUN_PATH/hpl.txt" || ! grep --quiet PASSED "$RUN_PATH/hpl.txt"; then
  fail 1 "the residual did not pass: see the log above"
fi
"""


def grid(processes: int) -> tuple[int, int]:
    """P and Q: the divisors that are next to each other, P the smaller."""
    rows = next(p for p in range(math.isqrt(processes), 0, -1) if processes % p == 0)
    return rows, processes // rows


def order(memory_gib: float, block: int, share: float = SHARE) -> int:
    """N, a multiple of the block: N * N doubles take this share of the memory."""
    doubles = memory_gib * 2**30 * share / 8
    return math.isqrt(int(doubles)) // block * block


def _memory_gib(context: Context) -> float:
    instance = context.catalog.instance(context.target.instance_type)
    memory = instance.accelerator_memory_gib if instance is not None else None
    if not isinstance(memory, Known):
        raise RefusedError(
            f"hpl: the memory of the GPUs of {context.target.instance_type} is unknown"
        )
    return float(memory.value)


def _slurm(context: Context) -> str:
    tasks, block = context.target.accelerators, context.count("block")
    processes = context.nodes * tasks
    rows, columns = grid(processes)
    size = context.optional("order") or order(_memory_gib(context) * processes, block)
    dat = DAT.format(n=size, nb=block, p=rows, q=columns)
    body = _RUN.format(
        folder=results_folder(context),
        dat=dat.strip("\n"),
        n=size,
        nb=block,
        p=rows,
        q=columns,
        tasks=tasks,
        srun=slurm.srun(context),
        program=context.text("program"),
    )
    return slurm.script(context, body, tasks_per_node=tasks, environment=slurm.MPI)


def _refusal(target: Target) -> str | None:
    if target.shared_path is None:
        return "the cluster has no FSx for Lustre file system, where HPL.dat would be"
    return None


TEMPLATE = JobTemplate(
    name="hpl",
    title="HPL (Linpack)",
    family="bring-up",
    about="Solves one dense system over all GPUs with NVIDIA's HPL, and fails if the residual "
    "does. N follows from the memory of the GPUs (80 %), the grid from their number. The block "
    "size has to be stated: the folder sample-dat of the image has files for each kind of GPU. "
    "Not run with the image.",
    runs_on="nvidia",
    source="NVIDIA HPC Benchmarks documentation, NVIDIA HPL Benchmark; netlib.org, HPL FAQ and "
    "HPL.dat, of which NVIDIA's ignores the lines on panels, broadcast, look-ahead and alignment",
    minutes=120,
    image="required",
    slurm=_slurm,
    kubernetes_refusal="whether NVIDIA's image has the SSH server that the MPI operator "
    "needs is unknown",
    refusal=_refusal,
    settings=(
        Setting("block", "count", "Block size NB of the GPU.", required=True),
        Setting(
            "order", "count", "Problem size N.  [default: from 80 % of the memory of the GPUs]"
        ),
        Setting(
            "program", "path", "The program hpl.sh in the image.", default="/workspace/hpl.sh"
        ),
    ),
)
