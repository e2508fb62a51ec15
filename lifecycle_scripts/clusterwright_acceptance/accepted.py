"""The bandwidths of the cluster's last acceptance, which running jobs are compared with. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from clusterwright_acceptance.outcome import FAIL, Outcome


@dataclass(frozen=True)
class Accepted:
    """The bus bandwidth in GB/s of an all-reduce of one size over a number of nodes."""

    instance_type: str
    nodes: int
    ranks: int
    size_mib: int
    gbs: float
    run: str

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def of(
    outcome: Outcome, run: str, instance_type: str, nodes: int, ranks: int, size_mib: int
) -> Optional[Accepted]:
    """What an outcome accepts: a figure that failed is none, one that no floor covers is."""
    if outcome.verdict == FAIL or outcome.value is None:
        return None
    return Accepted(instance_type, nodes, ranks, size_mib, outcome.value, run)


def merged(rows: Any, fresh: Sequence[Accepted]) -> list[dict[str, Any]]:
    """The kept rows with those of a run, which replace rows of the same subject."""
    new = {_subject(one.to_json()) for one in fresh}
    kept: Iterable[Any] = rows if isinstance(rows, list) else ()
    others = [row for row in kept if isinstance(row, dict) and _subject(row) not in new]
    return [*others, *(one.to_json() for one in fresh)]


def _subject(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(key) for key in ("instance_type", "nodes", "ranks", "size_mib"))
