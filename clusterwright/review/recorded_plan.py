"""Comparison of a spec with the plan that it was written from.

`clusterwright plan --write configs/NAME.yaml` writes its JSON output beside the spec as
`configs/NAME.plan.json`; later edits of the spec may differ from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.cluster_spec.models import Cluster
from clusterwright.pricing.plan_files import run_hours
from clusterwright.review.results import SpecChange


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
