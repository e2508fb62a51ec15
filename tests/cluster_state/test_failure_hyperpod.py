"""States of HyperPod's nodes and groups, and which events are described."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright.aws.hyperpod import ClusterNode, DeployedCluster, DeployedGroup
from clusterwright.cluster_state import failure_hyperpod
from clusterwright.diagnosis.cluster_events import NodeStatus, Shortage

WHEN = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)


def cluster(status: str = "InService") -> DeployedCluster:
    groups = (
        DeployedGroup("a", (), None, 2, 2),
        DeployedGroup("b", (), None, 1, 3),
        DeployedGroup("c", (), None, None, 3),
    )
    return DeployedCluster("prod", "arn", status, "", None, True, groups)


def test_nodes() -> None:
    node = ClusterNode("g", "i-1", None, "p5.48xlarge", "Running", "", WHEN, "ip-1", None, None)
    assert failure_hyperpod.nodes_of([node]) == (
        NodeStatus("i-1", "g", "Running", "", "ip-1", WHEN),
    )


def test_satisfied_and_short_groups() -> None:
    running = [NodeStatus("i-1", "a", "Running", "")]
    assert failure_hyperpod.satisfied_groups(cluster(), running) == {"a"}
    assert failure_hyperpod.satisfied_groups(None, running) == frozenset()
    pending = [NodeStatus("i-1", "a", "Pending", "")]
    assert failure_hyperpod.satisfied_groups(cluster(), pending) == frozenset()
    assert failure_hyperpod.missing_nodes(cluster()) == (Shortage("b", 1, 3),)
    assert failure_hyperpod.missing_nodes(cluster("Updating")) == ()


def test_events_with_reasons_in_their_metadata_are_described() -> None:
    def needs(level: str, description: str = "x") -> bool:
        summary: dict[str, Any] = {"EventLevel": level, "Description": description}
        return failure_hyperpod.needs_metadata(summary)

    assert [needs("Error"), needs("Warn"), needs("Info")] == [True, True, False]
    assert needs("Info", "Slurm health changed")


def test_event_without_a_zone_is_utc() -> None:
    summary = {"EventId": "1", "EventTime": WHEN.replace(tzinfo=None), "EventLevel": "Error"}
    assert failure_hyperpod.event_of(summary, {}).time == WHEN
