"""Custom steps of the node program, and the artefacts that nodes download."""

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
"""A path relative to the root of the repository (the folder of `app.py`), or an absolute path."""

LIST_OF_ARTEFACTS = "lifecycle_scripts/artefacts.json"


class Lifecycle(Model):
    """Custom steps on nodes, and the list of artefacts that nodes download."""

    steps: Annotated[list[RepositoryFile], Field(max_length=100)] = []
    """Python files, each an additional step of the node program; paths from the repository
    root."""

    artefacts: RepositoryFile = LIST_OF_ARTEFACTS
    """The list of artefacts that nodes download from the cluster's bucket, with their
    checksums."""
