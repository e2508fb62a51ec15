"""Validators of the example platform."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.validation.validator import Validator


def problems(cluster: Cluster) -> Iterator[Problem]:
    """More nodes than the example platform has."""
    for index, group in enumerate(cluster.compute):
        if group.count > 1000:
            yield Problem(f"{group.count} nodes: at most 1000", ("compute", index, "count"))


VALIDATORS: Final[tuple[Validator, ...]] = (Validator(problems),)
