"""Load a spec and check it with the catalogue, the list of artefacts and its platform."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec import Check, LoadedSpec, Problem, load_spec
from clusterwright.cluster_spec.document import Document
from clusterwright.cluster_spec.load import examine
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms import catalog_names, node_artefacts
from clusterwright.platforms.hyperpod_eks import mig


def _of_its_platform(cluster: Cluster) -> Iterator[Problem]:
    """What one platform alone refuses; no other platform's modules are imported for it."""
    if cluster.platform == "parallelcluster":
        from clusterwright.platforms.parallelcluster import checks as parallelcluster

        yield from parallelcluster.problems(cluster)
    elif cluster.uses_kubernetes:
        from clusterwright.platforms.hyperpod_eks import compute_quotas
        from clusterwright.platforms.kubernetes import node_memory, spares, value_schemas

        yield from compute_quotas.problems(cluster)
        yield from value_schemas.problems(cluster)
        yield from spares.problems(cluster)
        yield from node_memory.problems(cluster)


CHECKS: Final[tuple[Check, ...]] = (
    catalog_names.problems,
    mig.problems,
    node_artefacts.problems,
    _of_its_platform,
)
"""What the catalogue and the platforms say of a spec that is right in itself."""


def load_cluster(path: str | os.PathLike[str]) -> LoadedSpec:
    """`load_spec`, and every instance type, region and zone must be one that the catalogue knows.

    Raises
    ------
    SpecErrors
        Everything that is wrong, with positions.
    """
    return load_spec(path, checks=CHECKS)


def examine_cluster(documents: tuple[Document, ...]) -> LoadedSpec:
    """`load_cluster` of documents that lie in no file yet, the last one on top.

    Raises
    ------
    SpecErrors
        Everything that is wrong, with positions.
    """
    return examine(documents, checks=CHECKS)
