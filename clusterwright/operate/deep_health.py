"""What HyperPod's own deep health checks add to the result of an acceptance run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.cluster_state.acceptance import RunCheck, RunNode
from clusterwright.cluster_state.deep_health import DeepHealthResult, Results

CHECK: Final = "deep-health-check"
SOURCE: Final = "HyperPod, log streams DeepHealthCheckResults"
_DECIDED: Final = ("fail", "hung", "waived")
"""Verdicts of the node's own check, which reads HyperPod's log on the node, that stay."""


def with_deep_health(nodes: Sequence[RunNode], results: Results) -> tuple[RunNode, ...]:
    """The nodes, rejected where HyperPod's log groups have a failure that the node does not have.

    Tests of several nodes are in the log group only.
    """
    return tuple(_with_result(node, results.get(node.instance_id or "")) for node in nodes)


def _with_result(node: RunNode, result: DeepHealthResult | None) -> RunNode:
    own = next((check for check in node.checks if check.id == CHECK), None)
    if result is None or result.passed or not node.checks:
        return node
    if own is not None and own.verdict in _DECIDED:
        return node
    action = result.action or "replace"
    reason = f"HyperPod, {result.at:%Y-%m-%dT%H:%M:%SZ}: {result.reason}"
    failed = RunCheck(id=CHECK, verdict="fail", reason=reason, source=SOURCE, action=action)
    changes: dict[str, object] = {
        "checks": (*(check for check in node.checks if check.id != CHECK), failed)
    }
    if node.verdict != "rejected":
        changes |= {"verdict": "rejected", "reason": f"{CHECK}: {reason}", "action": action}
    return node.model_copy(update=changes)
