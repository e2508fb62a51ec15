"""Which artefacts a cluster's nodes ask for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clusterwright.artefacts.lock import Artefact

CONTAINERS = "container_programs"
"""The node step that installs Enroot and Pyxis."""

PROGRAMS_OF_CONTAINERS = ("enroot", "pyxis")
"""Names without which that step cannot end; others of its artefacts are installed beside them."""


def asked_for(artefacts: Sequence[Artefact], steps: Collection[str]) -> tuple[Artefact, ...]:
    """Those that one of the node steps `steps` uses, in the order of the list."""
    return tuple(each for each in artefacts if set(each.used_by) & set(steps))


def absent(
    artefacts: Sequence[Artefact], names: Collection[str], architectures: Collection[str]
) -> list[str]:
    """What the list lacks, in words: a name for an architecture (`x86_64`, `arm64`)."""
    have = {(each.name, each.architecture) for each in artefacts}
    return [
        f"{name} for {architecture}"
        for architecture in sorted(architectures)
        for name in names
        if not {(name, architecture), (name, "any")} & have
    ]
