"""What the results of an acceptance run mean for the exit code of what asked for it.

`clusterwright/operate/acceptance_results.py` has the same rule for the command on a workstation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def exit_code(nodes: Rows, cluster_checks: Rows, suspects: Rows) -> int:
    """0 if all is healthy, 1 if something is wrong, 2 if something is unknown.

    A test of several nodes without a floor, whose figure becomes the baseline, is healthy; one
    without a figure is unknown.
    """
    if (
        suspects
        or any(one["verdict"] == "rejected" for one in nodes)
        or any(one["verdict"] in ("fail", "hung") for one in cluster_checks)
    ):
        return 1
    if not nodes or any(one["verdict"] != "accepted" for one in nodes):
        return 2
    unmeasured = any(
        one["verdict"] == "unknown" and not is_baseline(one) for one in cluster_checks
    )
    return 2 if unmeasured else 0


def is_baseline(cluster_check: Mapping[str, Any]) -> bool:
    """Whether no floor is known, so that its figure becomes the cluster's baseline."""
    return cluster_check["verdict"] == "unknown" and cluster_check.get("value") is not None
