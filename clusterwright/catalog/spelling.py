"""What was probably meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Collection


def nearest(name: str, names: Collection[str], *, count: int = 3) -> list[str]:
    """The names most like `name`, best first; names of its own family before the others.

    The family is what stands before the dot: who writes `p5.48large` means a p5.
    """
    import difflib

    wanted = name.strip().lower()
    family = wanted.partition(".")[0]
    close = difflib.get_close_matches(wanted, sorted(names), n=4 * count, cutoff=0.7)

    def rank(candidate: str) -> tuple[float, bool, str]:
        alike = difflib.SequenceMatcher(None, wanted, candidate).ratio()
        return (-round(alike, 2), candidate.partition(".")[0] != family, candidate)

    return sorted(close, key=rank)[:count]
