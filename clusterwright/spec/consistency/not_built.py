"""Values of the contract that nothing builds yet are refused, never accepted in silence."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem

BUILT_PLATFORMS = ("hyperpod-slurm",)


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform not in BUILT_PLATFORMS:
        yield Problem(
            f"platform {cluster.platform} is not built yet",
            ("platform",),
            hint=f"built so far: {', '.join(BUILT_PLATFORMS)}",
        )
    if cluster.slurm.configuration == "scripted":
        yield from _scripted(cluster)


def _scripted(cluster: Cluster) -> Iterator[Problem]:
    """The node program refuses these too: it sets up neither in scripted mode."""
    configuration = ("slurm", "configuration")
    # Accounting on RDS has a problem of its own (accounting.py).
    if cluster.slurm.accounting.kind == "local":
        yield Problem(
            "accounting in scripted mode is not built yet",
            ("slurm", "accounting", "kind"),
            hint="accounting: {kind: none}, or configuration: managed",
            other_path=configuration,
        )
    if cluster.slurm.topology in ("tree", "block"):
        yield Problem(
            f"a {cluster.slurm.topology} topology in scripted mode is not built yet",
            ("slurm", "topology"),
            hint="topology: none, or configuration: managed",
            other_path=configuration,
        )
