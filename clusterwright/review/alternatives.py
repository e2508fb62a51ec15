"""What to do instead of a change that loses data or jobs, or that is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from clusterwright.platforms.registry import KUBERNETES
from clusterwright.review.node_changes import NodeGroup, runs_jobs
from clusterwright.review.parallelcluster import PCLUSTER
from clusterwright.review.resource_types import CLUSTER, FILE_SYSTEM, PCS_CLUSTER
from clusterwright.review.results import Cause, GateResult, NodesChange, ResourceChange, Review

_SHOWN: Final = 2
_SLURM_DRAIN: Final = "`scontrol update nodename=NAME state=drain reason=TEXT`"
_NETWORK: Final = frozenset(
    {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::Subnet",
        "AWS::EC2::VPC",
        "AWS::EC2::VPCCidrBlock",
    }
)
_WHOLE_CLUSTERS: Final = (CLUSTER, PCLUSTER, PCS_CLUSTER, "AWS::EKS::Cluster")


def alternatives(
    review: Review, found: Sequence[Cause], platform: str, before: Mapping[str, NodeGroup]
) -> str:
    """At most two pieces of advice, of the most severe causes.

    `before` are the groups of nodes before the change.
    """
    advice = [*dict.fromkeys(_advice(review, found, platform, before))]
    if not advice and review.verdict == "pass":
        return "no alternative is needed"
    return "; ".join(advice[:_SHOWN]) or "see the gates"


def _advice(
    review: Review, found: Sequence[Cause], platform: str, before: Mapping[str, NodeGroup]
) -> Iterator[str]:
    if any(gate.gate == "protection" and gate.status == "fail" for gate in review.gates):
        yield (
            "keep `protection: retain`, and change it in the last deployment before `cdk destroy`"
        )
    for cause in found:
        yield from _of_cause(review, cause)
    ending = {change.name for change in review.resources if change.ends}
    kept = [node for node in review.nodes if node.resource not in ending]
    paths = {change.path for change in review.changes}
    yield from _of_nodes(kept, paths, platform, before)
    yield from _of_gates(review.gates)
    for entry in review.unknown:
        if entry.hint:
            yield f"to know {entry.what}: {entry.hint}"
    rules: dict[str, list[str]] = {}
    for rule in review.findings.unanswered:
        if rule.hint:
            rules.setdefault(rule.hint, []).append(rule.rule)
    for hint, names in rules.items():
        yield f"to check {' and '.join(dict.fromkeys(names))}: {hint}"


def _of_cause(review: Review, cause: Cause) -> Iterator[str]:
    ending = [c for c in cause.resources if c.ends and c.holds is not None]
    if not ending:
        return
    if all(change.action == "leave" for change in ending):
        yield "keep the name, and create the second cluster from a file of its own"
        return
    own = {change.type for change in cause.own}
    if own & _NETWORK:
        changed = {change.path for change in review.changes}
        if "network.cidr" in changed:
            yield "for more addresses keep `network.cidr` and add `network.secondary_cidrs`"
        yield (
            "for another network or zone create a second cluster under another `environment`, "
            "move data and jobs, then destroy this one"
        )
    elif any(_is_cluster(change) for change in ending):
        yield (
            "create a second cluster under another `environment`, move data and jobs, then "
            "destroy this one"
        )
    elif FILE_SYSTEM in own:
        yield (
            "add a second file system under another mount path, copy the data, and remove the "
            "first one in a later change"
        )


def _is_cluster(change: ResourceChange) -> bool:
    return change.type in _WHOLE_CLUSTERS


def _of_nodes(
    nodes: Sequence[NodesChange],
    paths: set[str],
    platform: str,
    before: Mapping[str, NodeGroup],
) -> Iterator[str]:
    """Advice about nodes that end although their cluster stays."""
    drain = "`kubectl drain`" if platform in KUBERNETES else _SLURM_DRAIN
    drained: list[str] = []
    others: list[str] = []
    for node in nodes:
        if node.jobs != "die":
            continue
        # Nodes of the controller and for logins are not in Slurm, and cannot be drained.
        drains = platform in KUBERNETES or runs_jobs(node.group, before)
        own = any(path.startswith(f"compute[{node.group}].") for path in paths)
        if node.change == "replaced" and own and drains:
            yield (
                f"add a group with the new settings beside {node.group}, drain the old nodes "
                f"({drain}), and remove {node.group} in a later change"
            )
        else:
            (drained if drains else others).append(node.group)
    if drained:
        names = ", ".join(drained)
        yield f"drain the nodes of {names} first ({drain}), and deploy when no job runs"
    elif others:
        yield f"deploy when nobody works on the nodes of {', '.join(others)}"


def _of_gates(gates: Sequence[GateResult]) -> Iterator[str]:
    for gate in gates:
        if gate.status == "fail" and gate.gate in ("order", "budget", "findings", "allowance"):
            yield gate.hint or gate.message
