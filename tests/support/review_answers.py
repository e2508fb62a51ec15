"""Contradictions between what a review's tables say and what its gates say."""

from __future__ import annotations

from clusterwright.review.resource_types import RUNS_JOBS
from clusterwright.review.results import Review

_WHOLE_CLUSTERS = {"AWS::SageMaker::Cluster", "AWS::EKS::Cluster", "Custom::PclusterCluster"}


def contradictions(review: Review) -> list[str]:
    """Sentences about jobs that end in one part of a review and not in another."""
    decided = {
        gate.name
        for gate in review.gates
        if gate.gate in ("jobs", "replacement") and gate.status in ("fail", "allowed")
    }
    found = []
    for node in review.nodes:
        if node.jobs == "die" and node.whole_group and not {node.name, node.resource} & decided:
            found.append(f"{node.name}: its jobs end and no gate says so")
    groups = {
        node.resource: node.name for node in review.nodes if node.jobs == "die" and node.resource
    }
    for change in review.resources:
        if not change.job_loss or change.effect == "update":
            continue
        if not {change.name, groups.get(change.name)} & decided:
            found.append(f"{change.name}: its jobs end and no gate says so")
    ending = {c.type for c in review.resources if c.action in ("replace", "delete") and c.job_loss}
    if ending & _WHOLE_CLUSTERS:
        found += [
            f"{node.name}: its jobs go on although the cluster ends"
            for node in review.nodes
            if node.jobs != "die" and node.before
        ]
    found += [
        f"{change.name}: its jobs end and the table does not say so"
        for change in review.resources
        if change.type in RUNS_JOBS
        and change.action == "update"
        and not change.job_loss
        and any(node.resource == change.name and node.jobs == "die" for node in review.nodes)
    ]
    return found
