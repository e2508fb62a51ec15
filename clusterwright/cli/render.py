"""`clusterwright render`: documents for other tools, and job files."""

from __future__ import annotations

import click

from clusterwright.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "alerts": (
        "clusterwright.cli.render_alerts",
        "Print alert rules for Prometheus",
    ),
    "parallelcluster": (
        "clusterwright.cli.render_parallelcluster",
        "Print the configuration file of AWS ParallelCluster",
    ),
    "kubernetes": (
        "clusterwright.cli.render_kubernetes",
        "Print Kubernetes manifests and Helm values for EKS",
    ),
    "dashboards": (
        "clusterwright.cli.render_dashboards",
        "Write dashboards for Grafana",
    ),
    "jobs": (
        "clusterwright.cli.render_jobs",
        "Print job files: tests of the cluster, training, data",
    ),
    "images": (
        "clusterwright.cli.render_images",
        "Write Dockerfiles of the images that jobs run in",
    ),
}
"""Name -> (module, one line for --help)."""


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Print or write the documents that other tools deploy or apply, from the same spec."""
