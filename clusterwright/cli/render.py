"""`clusterwright render`: documents for ParallelCluster and Kubernetes."""

from __future__ import annotations

import click

from clusterwright.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "parallelcluster": (
        "clusterwright.cli.render_parallelcluster",
        "Print the configuration file of AWS ParallelCluster",
    ),
    "kubernetes": (
        "clusterwright.cli.render_kubernetes",
        "Print Kubernetes manifests and Helm values for EKS",
    ),
}
"""Name -> (module, one line for --help)."""


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Print the documents that other tools deploy or apply, from the same spec."""
