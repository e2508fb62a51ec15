"""The table of signatures, one module per family, in the order in which they are tried.

The first signature that matches a piece of evidence is used. Echoes come first, so that a
consequence is never a cause; then the specific families, then those with general words.
"""

from __future__ import annotations

import functools
from typing import Final

from clusterwright.diagnosis.signature import Compiled, Signature
from clusterwright.diagnosis.signatures import (
    aws_requests,
    capacity,
    containers,
    echoes,
    gpu,
    jobs,
    kubernetes,
    libraries,
    lifecycle,
    network,
    neuron,
    permissions,
    platforms,
    slurm_daemons,
    storage,
    training,
)

FAMILIES: Final = {
    "echoes": echoes.SIGNATURES,
    "jobs": jobs.SIGNATURES,
    "kubernetes": kubernetes.SIGNATURES,
    "neuron": neuron.SIGNATURES,
    "gpu": gpu.SIGNATURES,
    "containers": containers.SIGNATURES,
    "storage": storage.SIGNATURES,
    "permissions": permissions.SIGNATURES,
    "capacity": capacity.SIGNATURES,
    "network": network.SIGNATURES,
    "slurm_daemons": slurm_daemons.SIGNATURES,
    "libraries": libraries.SIGNATURES,
    "training": training.SIGNATURES,
    "platforms": platforms.SIGNATURES,
    "lifecycle": lifecycle.SIGNATURES,
    "aws_requests": aws_requests.SIGNATURES,
}
"""Signatures by family, in the order of the table."""

SIGNATURES: Final[tuple[Signature, ...]] = tuple(
    signature for family in FAMILIES.values() for signature in family
)


@functools.cache
def compiled() -> tuple[Compiled, ...]:
    """The table with compiled patterns; made once, because there are several hundred."""
    return tuple(Compiled(signature) for signature in SIGNATURES)


@functools.cache
def _words() -> tuple[tuple[tuple[str, tuple[int, ...]], ...], frozenset[int]]:
    """Positions in the table by the words that they require, and positions without such words."""
    by_word: dict[str, list[int]] = {}
    always = set()
    for position, candidate in enumerate(compiled()):
        for word in candidate.words:
            by_word.setdefault(word, []).append(position)
        if not candidate.words:
            always.add(position)
    return tuple((word, tuple(found)) for word, found in by_word.items()), frozenset(always)


def candidates(text: str) -> list[Compiled]:
    """The signatures that may match a text, in the order of the table."""
    words, always = _words()
    lowered = text.lower()
    positions = set(always)
    for word, found in words:
        if word in lowered:
            positions.update(found)
    table = compiled()
    return [table[position] for position in sorted(positions)]
