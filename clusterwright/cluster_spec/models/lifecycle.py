"""What runs on nodes beside our own steps, and what nodes fetch."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model

RepositoryFile = Annotated[
    str,
    Field(
        pattern=formats.REPOSITORY_FILE.pattern,
        max_length=1024,
        examples=[formats.REPOSITORY_FILE.example],
    ),
]
"""A file of the repository, from its root (where `app.py` is); or an absolute path."""

LIST_OF_ARTEFACTS = "lifecycle_scripts/artefacts.json"


class Lifecycle(Model):
    """Your own steps on nodes, and the list of what nodes fetch."""

    steps: Annotated[list[RepositoryFile], Field(max_length=100)] = []
    """Python files, each one a further step of the node program; paths from the root."""

    artefacts: RepositoryFile = LIST_OF_ARTEFACTS
    """The list of what nodes fetch from the cluster's bucket, each file with its checksum."""
