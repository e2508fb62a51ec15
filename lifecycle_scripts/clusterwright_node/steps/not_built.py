"""Refuse settings that this program does not support, and report those without effect.

The list is also in docs/reference/node-files.md.
"""

from __future__ import annotations

from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict

AFTER = ("verify_inputs",)
DEADLINE_SECONDS = 10
RETRIES = 0


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    refused = refusals(node)
    if refused:
        raise StepError(
            "not built yet: " + "; ".join(refused),
            "change the spec, or use the managed configuration if it is named",
        )
    for text in omissions(node):
        node.notice("not built yet: " + text)
    return SATISFIED


def apply(node: Node) -> None:
    raise AssertionError("check either raises or is satisfied")


def refusals(node: Node) -> list[str]:
    """Settings that are not supported and would silently be missing."""
    cluster = node.inputs.cluster
    found = []
    if not node.is_managed and cluster.slurm.accounting == "none":
        found += [
            f"spare nodes (group {group.name}) without accounting, which is required to keep them "
            "free"
            for group in cluster.groups
            if group.spare_count
        ]
    return found


def omissions(node: Node) -> list[str]:
    """Settings that have no effect, without harm to the rest."""
    if not node.is_managed or node.inputs.cluster.state_bucket is not None:
        return []
    return [
        f"group {group.name}: its {group.spare_count} spare nodes run jobs like others, because "
        "cluster.json names no state_bucket, so that the service that reserves them is absent"
        for group in node.inputs.cluster.groups
        if group.spare_count
    ]
