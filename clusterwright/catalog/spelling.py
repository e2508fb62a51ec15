"""Suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Collection


def nearest(name: str, names: Collection[str], *, count: int = 3) -> list[str]:
    """Names similar to `name`, best first; names of its family precede others.

    The family is the part before the dot: suggestions for `p5.48large` are p5 types.
    """
    import difflib

    wanted = name.strip().lower()
    family = wanted.partition(".")[0]
    close = difflib.get_close_matches(wanted, sorted(names), n=4 * count, cutoff=0.7)

    def rank(candidate: str) -> tuple[float, bool, str]:
        alike = difflib.SequenceMatcher(None, wanted, candidate).ratio()
        return (-round(alike, 2), candidate.partition(".")[0] != family, candidate)

    return sorted(close, key=rank)[:count]
