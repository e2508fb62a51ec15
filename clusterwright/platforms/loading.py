"""Loads a spec and holds its names against the catalogue, and its list of artefacts."""

from __future__ import annotations

import os

from clusterwright.platforms import mig, names, node_artefacts
from clusterwright.platforms.kubernetes import value_schemas
from clusterwright.platforms.parallelcluster import problems as parallelcluster
from clusterwright.spec import LoadedSpec, load_spec


def load_cluster(path: str | os.PathLike[str]) -> LoadedSpec:
    """`load_spec`, and every instance type, region and zone must be one that the catalogue knows.

    Raises
    ------
    SpecErrors
        Everything that is wrong, with positions.
    """
    return load_spec(
        path,
        checks=(
            names.problems,
            mig.problems,
            node_artefacts.problems,
            parallelcluster.problems,
            value_schemas.problems,
        ),
    )
