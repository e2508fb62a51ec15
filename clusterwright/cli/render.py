"""`clusterwright render`: documents for tools that deploy what CloudFormation does not carry."""

from __future__ import annotations

import click

from clusterwright.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "parallelcluster": (
        "clusterwright.cli.render_parallelcluster",
        "The configuration file of AWS ParallelCluster",
    ),
    "kubernetes": (
        "clusterwright.cli.render_kubernetes",
        "Manifests and charts' values of a cluster on EKS",
    ),
}
"""Name -> (module, one line for --help)."""


@click.group(cls=LazyGroup, lazy=COMMANDS)
def command() -> None:
    """Print the documents that other tools deploy or apply, from the same spec."""
