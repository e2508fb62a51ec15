"""Offline checks of a spec that belong to HyperPod with Slurm alone."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    """None: the models and consistency checks of the spec cover this platform."""
    del cluster
    return iter(())
