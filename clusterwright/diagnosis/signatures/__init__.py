"""The table of signatures, one module per family, in the order in which they are tried.

The first signature that matches a piece of evidence is used. Echoes come first, so that a
consequence is never a cause; then the specific families, then those with general words.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from clusterwright.diagnosis.literals import Expression
from clusterwright.diagnosis.signature import Compiled, Place, Signature
from clusterwright.diagnosis.signatures import (
    acceptance,
    agents,
    aws_errors,
    aws_requests,
    capacity,
    command_lines,
    containers,
    echoes,
    eks,
    gpu,
    jobs,
    kubernetes,
    libraries,
    library_errors,
    lifecycle,
    native,
    network,
    neuron,
    pcs,
    permissions,
    platforms,
    programs,
    slurm_daemons,
    slurm_reasons,
    storage,
    training,
)

FAMILIES: Final = {
    module.__name__.rpartition(".")[2]: module.SIGNATURES
    for module in (
        echoes,
        agents,
        jobs,
        slurm_reasons,
        library_errors,
        kubernetes,
        native,
        pcs,
        neuron,
        gpu,
        containers,
        storage,
        permissions,
        capacity,
        aws_errors,
        programs,
        network,
        slurm_daemons,
        command_lines,
        libraries,
        training,
        platforms,
        lifecycle,
        eks,
        aws_requests,
        acceptance,
    )
}
"""Signatures by family, in the order of the table."""

SIGNATURES: Final[tuple[Signature, ...]] = tuple(
    signature for family in FAMILIES.values() for signature in family
)


@functools.cache
def compiled() -> tuple[Compiled, ...]:
    """The table with its patterns and their words; made once: there are several hundred."""
    return tuple(Compiled(signature) for signature in SIGNATURES)


_GRAM: Final = 3
"""Length of the parts of words by which they are looked for: that of the shortest words."""

_NUMBER: Final = re.compile(r"\d+")
_Place = tuple[int, Place]
"""An alternative of a pattern, with the position of its signature."""
_Entry = tuple[str, tuple[_Place, ...]]


@functools.cache
def _words() -> tuple[dict[str, tuple[_Entry, ...]], frozenset[_Place]]:
    """Words that alternatives require, with the places of these, by a part of each word; and the
    places of alternatives without such words. Numbers in words are zero, as in `_alike`.

    A text has a hundred parts and the table more than a thousand words, so that looking up the
    parts of the text is ten times as fast as looking for each word in it.
    """
    by_word: dict[str, list[_Place]] = {}
    always = set()
    for place, alternative in _alternatives():
        words = {_alike(word) for word in next(iter(alternative.clauses), ())}
        if not words or min(map(len, words)) < _GRAM:
            always.add(place)
            continue
        for word in words:
            by_word.setdefault(word, []).append(place)
    frequent = Counter(part for word in by_word for part in _parts(word))
    by_part: dict[str, list[_Entry]] = {}
    for word, found in by_word.items():
        rarest = min(sorted(_parts(word)), key=lambda part: frequent[part])
        by_part.setdefault(rarest, []).append((word, tuple(found)))
    return {part: tuple(entries) for part, entries in by_part.items()}, frozenset(always)


def _alternatives() -> Iterator[tuple[_Place, Expression]]:
    for position, candidate in enumerate(compiled()):
        for number, pattern in enumerate(candidate.patterns):
            for which, alternative in enumerate(pattern):
                yield (position, (number, which)), alternative


def _parts(text: str) -> set[str]:
    return {text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1)}


def _alike(text: str) -> str:
    """A text in lower case with each number as zero: what lines of one kind have in common."""
    return _NUMBER.sub("0", text.lower())


def candidates(text: str) -> tuple[Compiled, ...]:
    """The signatures that may match a text, in the order of the table, with what may match
    of their patterns.
    """
    return _candidates(_alike(text))


@functools.lru_cache(maxsize=20_000)
def _candidates(alike: str) -> tuple[Compiled, ...]:
    by_part, always = _words()
    places = set(always)
    for part in by_part.keys() & _parts(alike):
        for word, found in by_part[part]:
            if word in alike:
                places.update(found)
    by_signature: dict[int, list[Place]] = {}
    for position, place in sorted(places):
        if all(any(word in alike for word in words) for words in _further_words(position, place)):
            by_signature.setdefault(position, []).append(place)
    table = compiled()
    return tuple(table[position].only(tuple(found)) for position, found in by_signature.items())


@functools.cache
def _further_words(position: int, place: Place) -> tuple[frozenset[str], ...]:
    """The sets of words of an alternative except the first, as texts of `_alike` have them."""
    pattern, which = place
    further = compiled()[position].patterns[pattern][which].clauses[1:]
    return tuple(frozenset(map(_alike, words)) for words in further)
