"""The cluster's own baseline, where no floor is known, and for later runs. Pure.

A node fails if its figure is more than three median absolute deviations *and* more than 5 % (or
another share) below the median of the cluster's nodes. With fewer than three nodes the median
says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Optional

from clusterwright_acceptance.outcome import FAIL, PASS, Outcome, unknown

DEVIATIONS = 3.0
SHARE = 0.05
FEWEST_NODES = 3
RANKS = "ranks"
"""The fact of a figure that depends on how many ranks there were: others are not compared."""


@dataclass(frozen=True)
class Baseline:
    """The figures of one check. `versions` are those with which they were measured."""

    check: str
    instance_type: str
    median: float
    deviation: float
    unit: str
    nodes: int
    versions: Mapping[str, str]
    date: str
    size_mib: Optional[float] = None
    node_count: int = 1
    ranks: Optional[int] = None

    @property
    def floor(self) -> float:
        return self.median - max(DEVIATIONS * self.deviation, SHARE * self.median)

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "versions": dict(self.versions), "floor": self.floor}


def measure(values: Sequence[float]) -> tuple[float, float]:
    """The median and the median absolute deviation."""
    middle = median(values)
    return middle, median(abs(value - middle) for value in values)


def compare(values: Mapping[str, float], unit: str, share: float = SHARE) -> dict[str, Outcome]:
    """The outcome of each node by its figure; unknown with fewer than three nodes."""
    if len(values) < FEWEST_NODES:
        reason = f"no floor is known, and {len(values)} nodes are too few to compare"
        return {node: unknown(reason, value=value, unit=unit) for node, value in values.items()}
    middle, deviation = measure(list(values.values()))
    floor = middle - max(DEVIATIONS * deviation, share * middle)
    limits = f"{DEVIATIONS:.0f} deviations and {share * 100:.0f} %"
    source = f"the median of this cluster's nodes; {limits} below it fail (our rule)"
    found = {}
    for node, value in values.items():
        if value < floor:
            reason = f"{value:.4g} {unit}, the median of {len(values)} nodes is {middle:.4g}"
            found[node] = Outcome(FAIL, reason, value, floor, unit, source, "check")
        else:
            found[node] = Outcome(PASS, "", value, floor, unit, source)
    return found


def with_kept(value: float, kept: Baseline, versions: Mapping[str, str]) -> Outcome:
    """A later figure against the kept baseline; the reason names versions that changed."""
    changed = changed_versions(kept.versions, versions)
    source = f"this cluster's baseline of {kept.date} with {kept.nodes} nodes"
    if value >= kept.floor:
        return Outcome(PASS, "", value, kept.floor, kept.unit, source)
    reason = f"{value:.4g} {kept.unit}, the baseline of {kept.date} is {kept.median:.4g}"
    if changed:
        reason += f"; since then {', '.join(changed)}"
    return Outcome(
        FAIL, reason, value, kept.floor, kept.unit, source, "report" if changed else "check"
    )


def changed_versions(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [
        f"{name} {before[name]} became {after[name]}"
        for name in sorted(before)
        if name in after and after[name] != before[name]
    ]


def is_same_subject(kept: Baseline, other: Baseline) -> bool:
    """Whether two baselines are of the same check, type, size and node count.

    One of another number of ranks, as of an earlier version, is of no use any more.
    """
    return (kept.check, kept.instance_type, kept.size_mib, kept.node_count) == (
        other.check,
        other.instance_type,
        other.size_mib,
        other.node_count,
    )


def from_json(row: Mapping[str, Any]) -> Baseline:
    """Raises KeyError, TypeError or ValueError."""
    size = row["size_mib"]
    return Baseline(
        str(row["check"]),
        str(row["instance_type"]),
        float(row["median"]),
        float(row["deviation"]),
        str(row["unit"]),
        int(row["nodes"]),
        {str(key): str(value) for key, value in row["versions"].items()},
        str(row["date"]),
        None if size is None else float(size),
        int(row["node_count"]),
        row.get(RANKS),
    )
