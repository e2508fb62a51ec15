"""Slurm, on the controller: nodes, jobs, devices, and statistics of slurmctld.

Source: sinfo(1), squeue(1), sdiag(1) of Slurm 24.11; not in JSON, which needs a plugin that is not
on every image.
"""

from __future__ import annotations

import re
from collections import Counter

from clusterwright_common.hostlist import expanded
from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics, number, sanitised

ROLES = ("controller",)

# Suffixes of states in sinfo: not responding, powering, planned, maintenance, rebooting, ...
_MARKS = "*~#!%$@^-+"
_SDIAG = {
    "Server thread count": ("slurm_scheduler_threads", "gauge"),
    "Agent queue size": ("slurm_scheduler_agent_queue_size", "gauge"),
    "DBD Agent queue size": ("slurm_scheduler_dbd_queue_size", "gauge"),
    "Jobs submitted": ("slurm_jobs_submitted", "gauge"),
    "Jobs started": ("slurm_jobs_started", "gauge"),
    "Jobs completed": ("slurm_jobs_completed", "gauge"),
    "Jobs failed": ("slurm_jobs_failed", "gauge"),
}
_DEVICE = re.compile(r"\b([A-Za-z]\w*)(?::[A-Za-z][\w-]*)?:(\d+)")


def collect(probe: Probe, metrics: Metrics) -> None:
    # slurmdbd only, or a controller that is not configured yet.
    if not probe.has("sinfo"):
        return
    _nodes(probe, metrics)
    _jobs(probe, metrics)
    _scheduler(probe, metrics)


def _nodes(probe: Probe, metrics: Metrics) -> None:
    form = "PartitionName:64|,NodeHost:64|,StateLong:64|,Gres:256|,GresUsed:256|,Reason:128"
    text = probe.output(["sinfo", "--noheader", "--Node", f"--Format={form}"])
    states: Counter[tuple[str, str]] = Counter()
    devices: Counter[tuple[str, str]] = Counter()
    seen = set()
    drained = 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 6:
            continue
        partition, host, state, gres, used, reason = cells[:6]
        word = state.rstrip(_MARKS).lower()
        states[partition, word] += 1
        if host in seen:
            continue
        seen.add(host)
        drained += reason.startswith("clusterwright: ")
        for metric, text_of in (("slurm_devices", gres), ("slurm_devices_allocated", used)):
            for name, count in _devices(text_of):
                devices[metric, name] += count
    for (partition, word), count in sorted(states.items()):
        metrics.add(
            "slurm_nodes",
            "gauge",
            "Nodes by partition and state.",
            float(count),
            {"partition": partition, "state": sanitised(word)},
        )
    for (metric, name), count in sorted(devices.items()):
        metrics.add(
            metric,
            "gauge",
            "Devices of Slurm's generic resources, configured or allocated to jobs.",
            float(count),
            {"resource": name},
        )
    metrics.add(
        "slurm_nodes_drained_by_health",
        "gauge",
        "Nodes that the health checks of Clusterwright drained.",
        float(drained),
    )


def _devices(text: str) -> list[tuple[str, int]]:
    """`gpu:h100:8(S:0-1),neuron:16` → [("gpu", 8), ("neuron", 16)]."""
    plain = re.sub(r"\([^)]*\)", "", text)
    return [(match.group(1), int(match.group(2))) for match in _DEVICE.finditer(plain)]


def _jobs(probe: Probe, metrics: Metrics) -> None:
    form = "%P|%T|%A|%N"
    text = probe.output(["squeue", "--noheader", "--all", "--states=all", f"--format={form}"])
    counted: Counter[tuple[str, str]] = Counter()
    several: Counter[str] = Counter()
    holders: dict[str, list[tuple[str, str]]] = {}
    for line in text.splitlines():
        cells = line.strip().split("|", 3)
        if len(cells) < 4 or not cells[1]:
            continue
        partition, state, job_id, listed = cells
        nodes = expanded(listed)
        counted[partition, sanitised(state)] += 1
        several[partition] += state == "RUNNING" and len(nodes) > 1
        # A suspended job keeps its nodes, and one that completes runs its epilog on them.
        if state in ("RUNNING", "COMPLETING", "SUSPENDED"):
            for node in nodes:
                holders.setdefault(node, []).append((job_id, partition))
    for state in ("pending", "running"):
        counted["", state] += 0
    for (partition, state), count in sorted(counted.items()):
        metrics.add(
            "slurm_jobs",
            "gauge",
            "Jobs that slurmctld knows, by partition and state; partition is empty for none.",
            float(count),
            {"partition": partition, "state": state},
        )
    for partition, count in sorted(several.items()):
        metrics.add(
            "slurm_jobs_multi_node",
            "gauge",
            "Running jobs with more than one node, by partition.",
            float(count),
            {"partition": partition},
        )
    _job_of_nodes(holders, metrics)


def _job_of_nodes(holders: dict[str, list[tuple[str, str]]], metrics: Metrics) -> None:
    """Add the job of each node, and the number of jobs of nodes that several share.

    Measurements of a shared node are of none of its jobs, so it has no id; there are at most as
    many series as nodes. The label is not `node`, which a scrape sets to the controller's name.
    """
    for node, jobs in sorted(holders.items()):
        job_id, partition = jobs[0] if len(jobs) == 1 else ("", "")
        metrics.add(
            "slurm_node_job",
            "gauge",
            "Jobs that hold the node; with the id of the job if it is one.",
            float(len(jobs)),
            {"slurm_node": node, "job_id": job_id, "partition": partition},
        )


def _scheduler(probe: Probe, metrics: Metrics) -> None:
    section = ""
    for line in probe.output(["sdiag"]).splitlines():
        if not line.startswith(("\t", " ")):
            section = line.lower()
        key, _, value = line.strip().partition(":")
        name, kind = _SDIAG.get(key, ("", ""))
        if name:
            metrics.add(name, kind, f"{key} (sdiag, since midnight or a restart).", number(value))
        elif key == "Last cycle" and ("main schedule" in section or "backfill" in section):
            which = "backfill" if "backfill" in section else "main"
            microseconds = number(value)
            metrics.add(
                "slurm_scheduler_last_cycle_seconds",
                "gauge",
                "Length of the last cycle of a scheduler.",
                None if microseconds is None else microseconds / 1e6,
                {"scheduler": which},
            )
