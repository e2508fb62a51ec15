"""Validation before synthesis of what a template would otherwise omit without an error."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.network import plan_network
from clusterwright.platforms.node_hardware import hardware


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield what the templates of `cluster` cannot express."""
    platform = cluster.traits
    for index, group in enumerate(cluster.compute):
        kind = group.capacity.kind
        if kind not in platform.capacity_kinds:
            yield Problem(
                f"compute[{index}].capacity: {cluster.platform} does not support {kind}: "
                f"{platform.refused_capacity[kind]}",
                ("compute", index, "capacity", "kind"),
            )
        if group.placement_group and not platform.placement_groups:
            yield Problem(
                f"compute[{index}].placement_group: {platform.placement_group_reason}",
                ("compute", index, "placement_group"),
            )
        if cluster.slurm.configuration == "scripted" and group.role == "compute":
            yield from _unknown_hardware(index, group)
    plan = plan_network(cluster, load_catalog())
    if plan.problem is not None:
        yield plan.problem


def _unknown_hardware(index: int, group: ComputeGroup) -> Iterator[Problem]:
    """The generated slurm.conf has the hardware of a node; Slurm drains nodes with less."""
    if None in hardware(group, load_catalog()).values():
        yield Problem(
            f"compute[{index}].instance_type: the number of cores and the memory of "
            f"{group.instance_type} are unknown, and slurm.conf requires both in scripted mode",
            ("compute", index, "instance_type"),
            hint="slurm: {configuration: managed}",
            other_path=("slurm", "configuration"),
        )
