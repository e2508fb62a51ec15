"""Loads a spec and holds its names against the catalogue, and its list of artefacts."""

from __future__ import annotations

import os
from typing import Final

from clusterwright.platforms import mig, names, node_artefacts
from clusterwright.platforms.kubernetes import value_schemas
from clusterwright.platforms.parallelcluster import problems as parallelcluster
from clusterwright.spec import Check, LoadedSpec, load_spec
from clusterwright.spec.document import Document
from clusterwright.spec.load import examine

CHECKS: Final[tuple[Check, ...]] = (
    names.problems,
    mig.problems,
    node_artefacts.problems,
    parallelcluster.problems,
    value_schemas.problems,
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
