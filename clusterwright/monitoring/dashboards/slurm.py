"""Slurm: queues, nodes by state, devices, and the controller."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row, stat
from clusterwright.monitoring.selectors import on_cluster

_PARTITION = 'partition=~"$partition"'
_PENDING = on_cluster("slurm_jobs", _PARTITION, 'state="pending"')
_RUNNING = on_cluster("slurm_jobs", _PARTITION, 'state="running"')
_BAD = 'state=~"down|drained|draining|fail.*|error|unknown|not_responding"'


def dashboard(facts: Facts) -> Dashboard:
    """Queues, and the state of slurmctld."""
    return Dashboard(
        name="slurm",
        title="Slurm queues",
        description="Jobs and nodes by partition, devices in use, and the scheduler.",
        variables=("partition",),
        rows=(_queue(), _nodes(), _scheduler()),
    )


def _queue() -> Row:
    jobs = on_cluster("slurm_jobs", _PARTITION)
    return Row(
        "Jobs",
        (
            stat("Jobs that wait", "Jobs in the state PENDING.", "short",
                 Query(f"sum({_PENDING})"),
                 width=8),
            stat("Jobs that run", "Jobs in the state RUNNING.", "short",
                 Query(f"sum({_RUNNING})"),
                 width=8),
            stat("Failed since midnight", "Jobs that failed since midnight or the last restart of"
                 " slurmctld, of all partitions.", "short",
                 Query(on_cluster("slurm_jobs_failed")), warn_at=1, width=8),
            Panel("Jobs by state", "Jobs that slurmctld knows; ended jobs remain for MinJobAge.",
                  "short", (Query(f"sum by (state) ({jobs})", "{{state}}"),), stacked=True),
            Panel("Jobs that wait, by partition", "Jobs in the state PENDING.", "short",
                  (Query(f"sum by (partition) ({_PENDING})", "{{partition}}"),), stacked=True),
        ),
    )  # fmt: skip


def _nodes() -> Row:
    allocated = on_cluster("slurm_devices_allocated")
    every = f"sum by (partition) ({on_cluster('slurm_nodes', _PARTITION)})"
    bad = f"sum by (partition) ({on_cluster('slurm_nodes', _PARTITION, _BAD)})"
    return Row(
        "Nodes and devices",
        (
            Panel("Nodes by state", "Nodes of the partitions. A node in two partitions is counted"
                  " in each.", "short",
                  (Query(f"sum by (state) ({on_cluster('slurm_nodes', _PARTITION)})",
                         "{{state}}"),), stacked=True),
            Panel("Nodes that take no jobs", "Share of each partition that is down, drained or"
                  " failed.", "percentunit",
                  # A partition without such nodes has no series of them: its share is zero.
                  (Query(f"({bad} or {every} * 0) / {every}", "{{partition}}"),),
                  maximum=1, alarm_at=0.05),
            Panel("Devices in use", "Devices that jobs hold, of those that Slurm has.",
                  "percentunit",
                  (Query(f"{allocated} / {on_cluster('slurm_devices')}", "{{resource}}"),),
                  maximum=1),
            Panel("Nodes that health checks drained", "Nodes whose reason begins with"
                  " clusterwright.", "short",
                  (Query(on_cluster("slurm_nodes_drained_by_health"), "drained"),), warn_at=1),
        ),
    )  # fmt: skip


def _scheduler() -> Row:
    return Row(
        "Scheduler",
        (
            Panel("Length of the last cycle", "Of the main scheduler and of backfill.", "s",
                  (Query(on_cluster("slurm_scheduler_last_cycle_seconds"), "{{scheduler}}"),),
                  warn_at=10, alarm_at=30),
            Panel("Threads and messages that wait", "Threads of slurmctld, and"
                  " messages to nodes in its agent queue.", "short",
                  (Query(on_cluster("slurm_scheduler_threads"), "threads"),
                   Query(on_cluster("slurm_scheduler_agent_queue_size"), "agent queue"))),
            Panel("Records for the accounting database", "Records that wait for slurmdbd; they"
                  " grow while it or its database does not answer, and are kept in memory.",
                  "short", (Query(on_cluster("slurm_scheduler_dbd_queue_size"), "records"),),
                  warn_at=100),
            Panel("Jobs since midnight", "Since midnight or the last restart of slurmctld.",
                  "short",
                  (Query(on_cluster("slurm_jobs_submitted"), "submitted"),
                   Query(on_cluster("slurm_jobs_started"), "started"),
                   Query(on_cluster("slurm_jobs_completed"), "completed"),
                   Query(on_cluster("slurm_jobs_failed"), "failed"))),
        ),
    )  # fmt: skip
