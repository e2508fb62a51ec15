"""What HyperPod's own deep health checks add to the result of an acceptance run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from clusterwright.cluster_state.acceptance import RunCheck, RunNode, Verdict
from clusterwright.cluster_state.deep_health import DeepHealthOutcome, DeepHealthResult, Results
from clusterwright.operate.acceptance_results import DeepHealthTarget
from clusterwright.platforms.hyperpod.instance_groups import HEALTH_CHECKS

CHECK: Final = "deep-health-check"
SOURCE: Final = "HyperPod, log streams DeepHealthCheckResults"
_DECIDED: Final = ("fail", "hung", "waived")
"""Verdicts of the node's own check, which reads HyperPod's log on the node, that stay."""


def with_deep_health(nodes: Sequence[RunNode], results: Results) -> tuple[RunNode, ...]:
    """The nodes, rejected where HyperPod's log groups have a failure that the node does not have.

    Tests of several nodes are in the log group only.
    """
    return tuple(_with_result(node, results.get(node.instance_id or "")) for node in nodes)


def of_outcome(
    node: DeepHealthTarget, wanted: Collection[str], outcome: DeepHealthOutcome | None
) -> RunNode:
    """The result of the checks that were started on a node.

    Checks that pass after a failure, as after HyperPod's reboot, count.
    """
    found = outcome or DeepHealthOutcome()
    missing = sorted(set(wanted) - found.passed)
    failure = found.failure if missing else None
    checks = [
        RunCheck(id=f"{CHECK}-{kind}", verdict="pass", source=SOURCE)
        for kind, name in HEALTH_CHECKS.items()
        if name in wanted and name in found.passed
    ]
    verdict: Verdict = "accepted"
    reason, action = "", "none"
    if failure is not None:
        failed = _failed(failure)
        verdict, reason, action = "rejected", failed.reason, failed.action
        checks.append(failed)
    elif missing:
        verdict, reason = "unknown", f"HyperPod has no result of {', '.join(missing)}"
        checks.append(RunCheck(id=CHECK, verdict="unknown", reason=reason, source=SOURCE))
    return RunNode(
        name=node.name,
        group=node.group,
        instance_id=node.instance_id,
        instance_type=node.instance_type,
        verdict=verdict,
        reason=reason,
        action=action,
        checks=tuple(checks),
    )


def _with_result(node: RunNode, result: DeepHealthResult | None) -> RunNode:
    own = next((check for check in node.checks if check.id == CHECK), None)
    if result is None or result.passed or not node.checks:
        return node
    if own is not None and own.verdict in _DECIDED:
        return node
    failed = _failed(result)
    changes: dict[str, object] = {
        "checks": (*(check for check in node.checks if check.id != CHECK), failed)
    }
    if node.verdict != "rejected":
        reason = f"{CHECK}: {failed.reason}"
        changes |= {"verdict": "rejected", "reason": reason, "action": failed.action}
    return node.model_copy(update=changes)


def _failed(result: DeepHealthResult) -> RunCheck:
    reason = f"HyperPod, {result.at:%Y-%m-%dT%H:%M:%SZ}: {result.reason}"
    action = result.action or "replace"
    return RunCheck(id=CHECK, verdict="fail", reason=reason, source=SOURCE, action=action)
