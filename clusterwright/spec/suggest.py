"""Spelling suggestions: the nearest names to what was typed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, candidates: Iterable[str], *, count: int = 3) -> list[str]:
    """The candidates most like `name`, best first; empty if none is near enough to be meant."""
    known = {candidate.lower(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.lower(), known, n=count, cutoff=0.6)
    return [known[key] for key in found]


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """`did you mean `x`?`, or None where nothing is near."""
    near = closest(name, candidates, count=1)
    return f"did you mean `{near[0]}`?" if near else None
