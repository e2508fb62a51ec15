"""Spelling suggestions: the known names that are most similar."""

from __future__ import annotations

import re
from collections.abc import Iterable

# No key or value of the spec is longer, and comparing long texts is slow.
_LONGEST = 100


def closest(name: str, candidates: Iterable[str], *, count: int = 3) -> list[str]:
    """Return the candidates most similar to `name`, best first; empty if none is similar.

    Of similar candidates that with the fewest typing errors is first. A candidate of several
    words is also similar if `name` is one of them: `slurm` for `hyperpod-slurm`.
    """
    import difflib

    known = {candidate.lower(): candidate for candidate in candidates}
    given = name.lower()[:_LONGEST]
    found = difflib.get_close_matches(given, known, n=max(count, 5), cutoff=0.6)
    found.sort(key=lambda candidate: _typing_errors(given, candidate))
    found = found or [key for key in known if given in re.split(r"[-_.]", key)]
    return [known[key] for key in found[:count]]


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the hint `did you mean `x`?`, or None if no name is similar."""
    near = closest(name, candidates, count=1)
    return f"did you mean `{near[0]}`?" if near else None


def _typing_errors(given: str, wanted: str) -> int:
    """Characters to insert, remove, replace or exchange with the next (optimal string alignment).

    Source: Damerau, "A technique for computer detection and correction of spelling errors", 1964.
    """
    before: list[int] = []
    row = list(range(len(wanted) + 1))
    for i, character in enumerate(given, 1):
        before, last = row, before
        row = [i]
        for j, other in enumerate(wanted, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (character != other))
            if i > 1 and j > 1 and character == wanted[j - 2] and given[i - 2] == other:
                least = min(least, last[j - 2] + 1)
            row.append(least)
    return row[-1]
