"""Whether the stacks create alert rules in the workspace, and whom they notify."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation.metrics import has_addon

LARGEST_INTERVAL_SECONDS: Final = 240
"""Prometheus takes a series as gone five minutes after its last sample (staleness)."""


def has_alert_rules(cluster: Cluster) -> bool:
    """Whether the workspace gets the rules of `render alerts`, and an alert manager.

    The spec has a workspace and recipients of alarms, and there are samples that rules can watch:
    HyperPod's add-on sends its own metrics, for which AWS has alerts.
    """
    observability = cluster.observability
    return (
        observability.prometheus
        and bool(observability.alarm_emails)
        and observability.metrics.interval_seconds <= LARGEST_INTERVAL_SECONDS
        and not (cluster.uses_kubernetes and has_addon(cluster))
    )
