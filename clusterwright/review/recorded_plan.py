"""Comparison of a spec with the plan that it was written from.

`clusterwright plan --write configs/NAME.yaml` writes its JSON output beside the spec as
`configs/NAME.plan.json`; later edits of the spec may differ from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec.models import Cluster
from clusterwright.review.results import SpecChange

HOURS_PER_DAY = 24


class InvalidPlan(Exception):
    """The recorded plan is not an output of `clusterwright plan`."""


def plan_beside(config: Path) -> Mapping[str, Any] | None:
    """The plan recorded beside a spec; None where there is none.

    Raises
    ------
    InvalidPlan
        It cannot be read.
    """
    path = plan_path(config)
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidPlan(f"{path.name} cannot be read: {error}") from None
    if not isinstance(found, Mapping) or found.get("command") != "plan":
        raise InvalidPlan(f"{path.name} is not an output of `clusterwright plan`")
    return found


def plan_path(config: Path) -> Path:
    """Path of the plan of a spec."""
    return config.with_name(f"{config.stem}.plan.json")


def run_hours(plan: Mapping[str, Any]) -> int | None:
    """Hours that `plan --write` writes to the spec: the P90, in whole days; None if missing."""
    estimate = plan.get("estimate")
    days = estimate.get("days") if isinstance(estimate, Mapping) else None
    p90 = days.get("p90") if isinstance(days, Mapping) else None
    if isinstance(p90, bool) or not isinstance(p90, (int, float)):
        return None
    if not math.isfinite(p90) or p90 <= 0:
        return None
    return math.ceil(p90) * HOURS_PER_DAY


def differences(plan: Mapping[str, Any], cluster: Cluster) -> tuple[SpecChange, ...]:
    """Values of the plan (`before`) and of the spec (`after`) that differ."""
    return tuple(_differences(plan, cluster))


def _differences(plan: Mapping[str, Any], cluster: Cluster) -> Iterator[SpecChange]:
    region = plan.get("region")
    if isinstance(region, str) and region != cluster.region:
        yield SpecChange("region", region, cluster.region)
    chosen = _chosen(plan)
    kind, nodes = chosen.get("instance_type"), chosen.get("nodes")
    if isinstance(kind, str) and isinstance(nodes, int):
        failures = plan.get("failures")
        spares = failures.get("spares") if isinstance(failures, Mapping) else None
        groups = [g for g in cluster.compute if g.role == "compute"]
        mine = [group for group in groups if group.instance_type == kind]
        # Where no spares are reserved, a failed instance is replaced by a new one.
        kept = all(cluster.traits.keeps_spares(group.capacity.kind, kind) for group in mine)
        wanted = nodes + (spares if isinstance(spares, int) and kept else 0)
        there = sum(group.count for group in mine)
        # There are more spares than planned where capacity is sold in units: UltraServers, blocks.
        training = there - sum(group.spare_count for group in mine)
        others = sorted({group.instance_type for group in groups} - {kind})
        if there == 0:
            yield SpecChange("compute[].instance_type", kind, ", ".join(others) or None)
        elif there < wanted or training != nodes:
            yield SpecChange(f"compute[].count of {kind}", wanted, there)
    yield from _hours(plan, cluster)


def _hours(plan: Mapping[str, Any], cluster: Cluster) -> Iterator[SpecChange]:
    hours = run_hours(plan)
    if hours is not None and cluster.run is not None and cluster.run.hours < hours:
        yield SpecChange("run.hours (P90 of the plan, at least)", hours, cluster.run.hours)


def _chosen(plan: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = plan.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else ():
        if isinstance(candidate, Mapping) and candidate.get("chosen"):
            return candidate
    return {}
