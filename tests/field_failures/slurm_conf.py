"""The files of Slurm that the node program writes for three workers."""

from __future__ import annotations

from typing import Any

from clusterwright_node.catalogue import step_names
from clusterwright_node.inputs import parse_cluster
from clusterwright_node.slurm_generate import SlurmNode, Surroundings
from clusterwright_node.slurm_generate import files as slurm_files


def slurm_conf(cluster: dict[str, Any]) -> str:
    """slurm.conf of a cluster.json."""
    return str(slurm_conf_files(cluster)["slurm.conf"])


def slurm_conf_files(cluster: dict[str, Any], **around: Any) -> dict[str, str | None]:
    """Every file of Slurm of a cluster.json, by its name."""
    problems: list[str] = []
    read = parse_cluster(cluster, problems, step_names())
    assert problems == []
    nodes = [SlurmNode(f"ip-10-1-0-{n}", f"10.1.0.{n}", "workers") for n in (31, 32, 33)]
    files: dict[str, str | None] = slurm_files(
        read, nodes, Surroundings("ip-10-1-0-10", "10.1.0.10", **around), None
    )
    return files
