"""What would be left out of a template in silence is refused before there is one."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec, Problem, SpecErrors
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.eks import launch_templates
from clusterwright.platforms.network import plan_network
from stacks.lifecycle import node_files


def refuse_what_cannot_be_built(loaded: LoadedSpec) -> None:
    """Refuse a spec that no template can express, although it is consistent.

    Raises
    ------
    SpecErrors
        With positions: capacity that the platform has no field for, nodes that do not fit the
        address range.
    """
    found = [
        problem.at(loaded.position(problem.path)) if problem.position is None else problem
        for problem in problems(loaded.cluster)
    ]
    if found:
        raise SpecErrors(found)


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Everything that `cluster` asks for and that its templates could not say."""
    rules = cluster.traits
    for index, group in enumerate(cluster.compute):
        kind = group.capacity.kind
        if kind not in rules.capacity_kinds:
            yield Problem(
                f"compute[{index}].capacity: {cluster.platform} takes no {kind}: "
                f"{rules.refused_capacity[kind]}",
                ("compute", index, "capacity", "kind"),
            )
        if group.placement_group and not rules.placement_groups:
            yield Problem(
                f"compute[{index}].placement_group: {rules.placement_group_reason}",
                ("compute", index, "placement_group"),
            )
        if cluster.slurm.configuration == "scripted" and group.role == "compute":
            yield from _unknown_hardware(index, group)
    if cluster.platform == "eks":
        yield from launch_templates.problems(cluster, load_catalog())
    plan = plan_network(cluster, load_catalog())
    if plan.problem is not None:
        yield plan.problem


def _unknown_hardware(index: int, group: ComputeGroup) -> Iterator[Problem]:
    """Our slurm.conf says what a node has, and Slurm drains nodes that have less."""
    if None in node_files.hardware(group, load_catalog()).values():
        yield Problem(
            f"compute[{index}].instance_type: no source says how many cores and how much memory "
            f"{group.instance_type} has, which slurm.conf has to say in scripted mode",
            ("compute", index, "instance_type"),
            hint="slurm: {configuration: managed}",
            other_path=("slurm", "configuration"),
        )
