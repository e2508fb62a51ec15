"""Parts of PromQL expressions that select by the variables of a dashboard."""

from __future__ import annotations

from typing import Final

RATE_RANGE: Final = "[$__rate_interval]"
"""Grafana makes it at least four times the scrape interval (Grafana, "Global variables")."""


def holders(*matchers: str) -> str:
    """The nodes that jobs hold, with the label `node` of other metrics, and the job's.

    slurmctld knows nodes by their names in Slurm, which on HyperPod are not the label `node`.
    """
    jobs = on_cluster("slurm_node_job", *matchers)
    return (
        f"{on_cluster('clusterwright_node_info')} * on (cluster, slurm_node)"
        " group_left (job_id, partition)"
        f" max by (cluster, slurm_node, job_id, partition) ({jobs})"
    )


def on_cluster(metric: str, *matchers: str) -> str:
    """The series of the cluster."""
    inside = ",".join(('cluster="$cluster"', *matchers))
    return f"{metric}{{{inside}}}"


def on_groups(metric: str, *matchers: str) -> str:
    """The series of the selected groups."""
    return on_cluster(metric, 'group=~"$group"', *matchers)


def on_nodes(metric: str, *matchers: str) -> str:
    """The series of the selected groups and nodes."""
    return on_groups(metric, 'node=~"$node"', *matchers)


def rate(selector: str) -> str:
    """Growth of a counter per second."""
    return f"rate({selector}{RATE_RANGE})"


def growth(selector: str) -> str:
    """Growth of a counter between two points of the graph."""
    return f"increase({selector}{RATE_RANGE})"


def of_job(expression: str) -> str:
    """The series of nodes that the selected jobs hold."""
    return f"({expression}) and on (node) {JOB_OF_NODE}"


JOB_OF_NODE: Final = holders('partition=~"$partition"', 'job_id=~"$job"')
"""The nodes of the selected jobs."""
