"""Spelling suggestions: the known names that are most similar."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, candidates: Iterable[str], *, count: int = 3) -> list[str]:
    """Return the candidates most similar to `name`, best first; empty if none is similar."""
    import difflib

    known = {candidate.lower(): candidate for candidate in candidates}
    # No key or value of the spec is longer, and difflib is slow on long texts.
    found = difflib.get_close_matches(name.lower()[:100], known, n=count, cutoff=0.6)
    return [known[key] for key in found]


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the hint `did you mean `x`?`, or None if no name is similar."""
    near = closest(name, candidates, count=1)
    return f"did you mean `{near[0]}`?" if near else None
