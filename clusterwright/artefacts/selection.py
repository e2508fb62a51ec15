"""Selection of the artefacts that a cluster's nodes need."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clusterwright.artefacts.lock import Artefact

CONTAINERS = "container_programs"
"""The node step that installs Enroot and Pyxis."""

PROGRAMS_OF_CONTAINERS = ("enroot", "pyxis")
"""Artefacts that this step requires; its other artefacts are optional."""


def asked_for(artefacts: Sequence[Artefact], steps: Collection[str]) -> tuple[Artefact, ...]:
    """Return the artefacts used by one of the node steps `steps`, in the order of the list."""
    return tuple(each for each in artefacts if set(each.used_by) & set(steps))


def absent(
    artefacts: Sequence[Artefact], names: Collection[str], architectures: Collection[str]
) -> list[str]:
    """Return descriptions of missing entries: a name for an architecture (`x86_64`, `arm64`)."""
    have = {(each.name, each.architecture) for each in artefacts}
    return [
        f"{name} for {architecture}"
        for architecture in sorted(architectures)
        for name in names
        if not {(name, architecture), (name, "any")} & have
    ]
