"""Metrics that slurmctld serves itself (Slurm 25.11 and later, `MetricsType` in slurm.conf).

Some of them are passed on, under their names: those that Slurm's commands do not tell the source
`slurm`. Left out are names that `slurm` has with another meaning, figures of each node and of each
user (a series each), and memory, whose values are MiB under names that say bytes.

Source: SchedMD, "Metrics Guide" (slurm.schedmd.com/metrics.html, read 2026-11-28): the paths, on
slurmctld's port. The names are those of Debian's slurmctld 26.05.5, which was asked on that day;
of a release that lacks one there is no sample.
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe, ProbeError

from clusterwright_metrics.text import Metrics, number

ROLES = ("controller",)

_JOBS = (
    "pending running hold requeued node_failed outofmemory preempted timeout nodes_alloc"
    " cpus_alloc gpus_alloc"
)
_NODES = "alloc idle mixed down drained draining fail maint noresp planned resv"
_OF_PARTITION = (
    "nodes gpus cpus jobs_pending jobs_running jobs_hold jobs_gpus_alloc"
    " jobs_max_job_nodes_nohold nodes_alloc nodes_idle nodes_mixed nodes_down nodes_drained"
    " nodes_draining"
)
_SCHEDULER = (
    "bf_cycle_cnt bf_cycle_last bf_cycle_max bf_last_depth bf_last_depth_try bf_queue_len"
    " bf_table_size backfilled_jobs schedule_cycle_cnt schedule_cycle_last schedule_cycle_max"
    " schedule_queue_len agent_cnt agent_queue_size server_thread_cnt slurmdbd_queue_size"
    " sdiag_jobs_submitted sdiag_jobs_started sdiag_jobs_completed sdiag_jobs_failed"
    " sdiag_jobs_canceled"
)
PATHS = ("jobs", "nodes", "partitions", "scheduler")
PASSED_ON = frozenset(
    [f"slurm_jobs_{name}" for name in _JOBS.split()]
    + [f"slurm_nodes_{name}" for name in _NODES.split()]
    + [f"slurm_partition_{name}" for name in _OF_PARTITION.split()]
    + [f"slurm_{name}" for name in _SCHEDULER.split()]
)
_SAMPLE = re.compile(r'(slurm_[a-z_]+)(?:\{partition="([^"\\]*)"\})? (\S+)')
_HELP = re.compile(r"# HELP (slurm_[a-z_]+) (.*)")
_SETTING = re.compile(r"(\w+)(?:\[0\])?\s*= (.*)")
_SECONDS = 4.0
_OPTIONS = (
    *("--silent", "--show-error", "--noproxy", "*", "--max-time", str(_SECONDS)),
    *("--fail", "--fail-early"),  # Without it the status is that of the last path (curl 7.52).
)


def collect(probe: Probe, metrics: Metrics) -> None:
    if not probe.has("scontrol"):
        return
    answer = probe.run(["scontrol", "show", "config"], _SECONDS)
    # Where slurmctld does not answer, the source `slurm` fails, also without these metrics.
    address = _address(answer.stdout) if answer.ok else None
    if address is None:
        return
    if not probe.has("curl"):
        raise ProbeError("curl is not installed")
    text = probe.output(
        ["curl", *_OPTIONS, *(f"http://{address}/metrics/{path}" for path in PATHS)]
    )
    about = {}
    for line in text.splitlines():
        explained = _HELP.fullmatch(line)
        if explained:
            about[explained.group(1)] = explained.group(2)
        sample = _SAMPLE.fullmatch(line)
        if sample is None or sample.group(1) not in PASSED_ON:
            continue
        name, partition, value = sample.groups()
        labels = {} if partition is None else {"partition": partition}
        metrics.add(name, "gauge", about.get(name, "Of slurmctld."), number(value), labels)


def _address(configuration: str) -> Optional[str]:
    """Where slurmctld serves metrics, by `scontrol show config`; None if it does not."""
    settings = {
        match.group(1): match.group(2).strip()
        for match in map(_SETTING.match, configuration.splitlines())
        if match
    }
    if settings.get("MetricsType") != "metrics/openmetrics":
        return None
    host, _, address = settings.get("SlurmctldHost", "").partition("(")
    port = settings.get("SlurmctldPort", "").partition("-")[0]
    if not host or not port.isdigit():
        raise ProbeError("scontrol show config names no controller")
    return f"{address.rstrip(')') or host}:{port}"
