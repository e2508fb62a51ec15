"""A worked example: a claim with its calculation, and whether the claim is correct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["correct", "incorrect", "other method", "incomplete"]

MEANINGS: Final[dict[Verdict, str]] = {
    "correct": "the claim follows from its inputs, within its rounding",
    "incorrect": "the claim does not follow, has a wrong unit, or is impossible",
    "other method": "the arithmetic follows, but the planner uses another method",
    "incomplete": "an input is missing, which the last column names",
}
EXACT: Final = 0.006
"""Relative tolerance of a computed result to the exact one of three or four digits."""
ROUNDED: Final = 0.06
"""Relative tolerance of a claim to the computed result, unless an example states another."""


@dataclass(frozen=True)
class Value:
    """One number: computed (on import), exact, and as claimed."""

    what: str
    computed: float
    exact: float
    claimed: float | None = None
    within: float = ROUNDED

    @property
    def is_exact(self) -> bool:
        """Whether the computed result equals the exact one."""
        return abs(self.computed - self.exact) <= EXACT * max(abs(self.exact), 1e-300)

    @property
    def claim_follows(self) -> bool:
        """Whether the claim equals the computed result, within its rounding."""
        assert self.claimed is not None
        return abs(self.computed - self.claimed) <= self.within * abs(self.computed)


@dataclass(frozen=True)
class WorkedExample:
    """One row of the page; `answer` is what Clusterwright does instead of the claim."""

    id: str
    verdict: Verdict
    inputs: str
    formula: str
    claim: str
    values: tuple[Value, ...]
    answer: str = ""
    instead: tuple[Value, ...] = ()
    """Results of the planner's own method; `other method` has at least one."""
