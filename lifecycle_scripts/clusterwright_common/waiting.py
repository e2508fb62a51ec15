"""Whether a job of Slurm waits for nodes: work of low priority gives way to it."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

OURS = "clusterwright-"
"""The prefix of the names of this software's jobs."""
ACCEPTANCE_JOB = f"{OURS}acceptance"
RECHECK_JOB = f"{OURS}recheck"

NOT_FOR_NODES = (
    *("AccountNotAllowed", "Assoc", "BeginTime", "BurstBuffer", "Dependency", "Invalid"),
    *("JobArrayTaskLimit", "JobHeld", "Licenses", "MaxMem", "Max", "Partition", "QOS"),
    *("Reservation", "user env retrieval", "launch failed", "Prolog"),
)
"""Beginnings of squeue's reasons of jobs that would wait with idle nodes too; every other reason,
also an unknown one, counts as waiting for nodes (squeue(1), JOB REASON CODES, Slurm 24.11)."""


def job_that_waits(probe: Probe) -> Optional[str]:
    """The id of a pending job that may wait for nodes; "unknown" if squeue does not answer."""
    answer = probe.run(
        ["squeue", "--noheader", "--all", "--states=PENDING", "--format=%i|%r|%j"], 10.0
    )
    if not answer.ok:
        return "unknown"
    for line in answer.stdout.splitlines():
        job, _, rest = line.strip().partition("|")
        reason, _, name = rest.partition("|")
        if job and not name.startswith(OURS) and not reason.startswith(NOT_FOR_NODES):
            return job
    return None
