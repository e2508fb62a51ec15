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
from clusterwright.platforms.registry import part_of


def _of_its_platform(cluster: Cluster) -> Iterator[Problem]:
    """What the platform of the spec refuses; no other platform's modules are imported for it."""
    found: Iterator[Problem] = part_of(cluster.platform, "checks").problems(cluster)
    return found


CHECKS: Final[tuple[Check, ...]] = (
    catalog_names.problems,
    mig.problems,
    node_artefacts.problems,
    _of_its_platform,
)
"""Checks that need the catalogue or a platform, of a spec whose sections are consistent."""


def load_cluster(path: str | os.PathLike[str]) -> LoadedSpec:
    """`load_spec` with `CHECKS`.

    Raises
    ------
    SpecErrors
        Every problem, with positions.
    """
    return load_spec(path, checks=CHECKS)


def examine_cluster(documents: tuple[Document, ...]) -> LoadedSpec:
    """`load_cluster` of documents that are not in a file yet; the last one has precedence.

    Raises
    ------
    SpecErrors
        Every problem, with positions.
    """
    return examine(documents, checks=CHECKS)
