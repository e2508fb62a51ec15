"""A worked example of a founding document, and what its verdict promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["ok", "WRONG", "METHOD", "OPEN"]

MEANINGS: Final[dict[Verdict, str]] = {
    "ok": "follows from the stated inputs, within the stated rounding",
    "WRONG": "does not follow, has a wrong unit, or cannot be; the right result is beside it",
    "METHOD": "the arithmetic follows, the rule must not be used as it stands",
    "OPEN": "an input is missing: what the document leaves open is said",
}
EXACT: Final = 0.006
"""How closely our result and the exact one, written to three or four digits, agree."""
ROUNDED: Final = 0.06
"""How closely a rounded statement agrees with the exact result, where nothing else is said."""


@dataclass(frozen=True)
class Value:
    """One number: what it is, ours (computed when this is imported), the exact one, the stated."""

    what: str
    ours: float
    exact: float
    stated: float | None = None
    within: float = ROUNDED

    @property
    def right(self) -> bool:
        """Ours is the exact one."""
        return abs(self.ours - self.exact) <= EXACT * max(abs(self.exact), 1e-300)

    @property
    def stated_follows(self) -> bool:
        """What the document states is ours, within its rounding."""
        assert self.stated is not None
        return abs(self.ours - self.stated) <= self.within * abs(self.ours)


@dataclass(frozen=True)
class Example:
    """One row. `rule` says what the product does, for METHOD, WRONG and OPEN."""

    id: str
    verdict: Verdict
    inputs: str
    formula: str
    states: str
    values: tuple[Value, ...]
    rule: str = ""
    instead: tuple[Value, ...] = ()
    """What the product's own rule gives; METHOD has at least one."""
