"""What a change does to running jobs: one answer for resources, groups of nodes and gates.

The templates state what becomes of a cluster or a node group, the specs what becomes of a group's
nodes. Both are combined here, and the worse one counts: the tables, the gates and the summary of a
review are derived from the combined result, so that they cannot contradict each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.review.node_changes import NodeGroup, nodes_text
from clusterwright.review.parallelcluster import PCLUSTER
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.resource_types import CLUSTER, PCS_CLUSTER
from clusterwright.review.results import NodesChange, ResourceChange

NODE_GROUP: Final = "AWS::EKS::Nodegroup"
_CLUSTERS: Final = (CLUSTER, PCLUSTER, PCS_CLUSTER, "AWS::EKS::Cluster")
"""All groups of nodes end with one of them."""


def combined(
    resources: Sequence[ResourceChange],
    nodes: Sequence[NodesChange],
    before: Mapping[str, NodeGroup],
    after: Mapping[str, NodeGroup],
    analysis: ChangeAnalysis | None,
) -> tuple[tuple[ResourceChange, ...], tuple[NodesChange, ...]]:
    """Resources and groups of nodes, each with the worse effect of both.

    `before` and `after` are the groups of both versions; `nodes` may hold several entries of one
    group, of which the first is that of its own nodes.
    """
    labels = _group_names(analysis)
    found = list(nodes)
    for change in sorted(resources, key=lambda each: not each.ends):
        if not change.job_loss or change.action not in ("replace", "delete", "update"):
            continue
        if change.effect not in ("replace", "delete", "restart"):
            continue
        own = labels.get(change.name)
        for name in before:
            if change.type in _CLUSTERS or name == own:
                _add(found, _ended(before[name], after.get(name), change))
    return (
        tuple(_with_job_loss(resource, found, labels) for resource in resources),
        tuple(_linked(found, resources, labels)),
    )


def _add(found: list[NodesChange], change: NodesChange | None) -> None:
    """Replace the group's entry, unless all its nodes end for a reason of its own."""
    if change is None:
        return
    for index, known in enumerate(found):
        if known.group == change.group:
            if not (known.jobs == "die" and known.whole_group):
                found[index] = change
            return
    found.append(change)


def _ended(old: NodeGroup, new: NodeGroup | None, resource: ResourceChange) -> NodesChange | None:
    if not old.count:
        return None
    may = "may be" if resource.certainty == "possible" and resource.ends else "is"
    removed = resource.effect == "delete" or new is None
    if resource.effect == "restart":
        message = "; ".join(resource.reasons)
    elif removed:
        message = (
            f"{resource.name} {may} deleted: {nodes_text(old.count)} removed, with the jobs on "
            "them"
        )
    else:
        message = (
            f"{resource.name} {may} replaced: {nodes_text(old.count)} removed, with the jobs on "
            "them; new nodes are launched"
        )
    return NodesChange(
        group=old.name,
        change="removed" if removed else "replaced",
        before=old.count,
        after=new.count if new is not None else 0,
        jobs="die",
        message=message,
        whole_group=True,
        resource=resource.name,
    )


def _linked(
    nodes: Sequence[NodesChange], resources: Sequence[ResourceChange], labels: Mapping[str, str]
) -> Iterator[NodesChange]:
    """The groups, each with the resource that is updated in place while its nodes end."""
    updated = [resource for resource in resources if resource.action == "update"]
    for change in nodes:
        own = next((r.name for r in updated if _holds(r, change, labels)), None)
        linked = change.jobs == "die" and change.resource is None and own is not None
        yield dataclasses.replace(change, resource=own) if linked else change


def _holds(resource: ResourceChange, change: NodesChange, labels: Mapping[str, str]) -> bool:
    """Whether a resource has the nodes of a group."""
    if resource.type == NODE_GROUP:
        return labels.get(resource.name) == change.group
    return resource.type in (CLUSTER, PCLUSTER)


def _with_job_loss(
    resource: ResourceChange, nodes: Sequence[NodesChange], labels: Mapping[str, str]
) -> ResourceChange:
    """The resource, with job loss where nodes end although it is updated in place."""
    ending = [n for n in nodes if n.jobs == "die" and _holds(resource, n, labels)]
    if resource.action != "update" or not ending:
        return resource
    told = [f"{change.name}: {change.message}" for change in ending if change.resource is None]
    replaced = any(change.change == "replaced" for change in ending)
    return dataclasses.replace(
        resource,
        effect="restart" if replaced and resource.effect == "update" else resource.effect,
        job_loss=True,
        reasons=(*resource.reasons, *told),
    )


def _group_names(analysis: ChangeAnalysis | None) -> dict[str, str]:
    """The compute group of each node group of EKS, by the resource's name."""
    found = {}
    for pair in analysis.pairs.values() if analysis is not None else ():
        for side in (pair.after, pair.before):
            if side is None or side.type != NODE_GROUP:
                continue
            labels = side.properties.get("Labels")
            name = labels.get(GROUP_LABEL) if isinstance(labels, Mapping) else None
            if isinstance(name, str):
                found["/".join(pair.key)] = name
    return found
