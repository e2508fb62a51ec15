"""Loading of specs with every validator of the registry."""

from __future__ import annotations

import os
from pathlib import Path

from clusterwright.cluster_spec import LoadedSpec, SpecErrors, load_spec
from clusterwright.cluster_spec.document import Document
from clusterwright.cluster_spec.load import examine, load_text
from clusterwright.platforms.validators import validators_of


def load_cluster(path: str | os.PathLike[str]) -> LoadedSpec:
    """Load a spec and check it with every validator of its platform.

    Raises
    ------
    SpecErrors
        Every problem, with its position.
    """
    return load_spec(path, validators=validators_of)


def load_cluster_text(text: str, path: Path) -> LoadedSpec:
    """Load a text as `load_cluster` would load it from `path`, where it need not be written.

    Raises
    ------
    SpecErrors
        Every problem, with its position.
    """
    return load_text(text, path, validators=validators_of)


def examine_cluster(documents: tuple[Document, ...]) -> LoadedSpec:
    """Load documents that are not in a file, the last one on top, like `load_cluster`.

    Raises
    ------
    SpecErrors
        Every problem, with its position.
    """
    return examine(documents, validators=validators_of)


def validate_for_synthesis(loaded: LoadedSpec) -> None:
    """Refuse a valid spec that no template can express.

    Raises
    ------
    SpecErrors
        Every problem, with its position: a kind of capacity without a property, nodes that do not
        fit in the address range.
    """
    found = [
        problem.at(loaded.position(problem.path)) if problem.position is None else problem
        for validator in validators_of(loaded.cluster)
        if validator.phase == "synthesis"
        for problem in validator.problems(loaded.cluster)
    ]
    if found:
        raise SpecErrors(found)
