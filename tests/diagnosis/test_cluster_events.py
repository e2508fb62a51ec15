"""HyperPod's events and states of nodes: pairs, spurious warnings, messages of earlier tries."""

from __future__ import annotations

import datetime as dt
from typing import Any

from clusterwright.diagnosis import cluster_events
from clusterwright.diagnosis.cluster_events import ClusterEvent, NodeStatus, Shortage
from tests.diagnosis.made import NOW, findings

REASON = "EFA health checks did not run successfully"


def event(number: int, level: str, text: str, **values: Any) -> ClusterEvent:
    when = NOW + dt.timedelta(seconds=number)
    return ClusterEvent(str(number), when, text, level, group="workers", **values)


def failed(number: int, instance: str = "i-1") -> ClusterEvent:
    metadata = {"Instance": {"FailureMessage": REASON}}
    return event(number, "Error", "Failed", instance=instance, metadata=metadata)


def test_pair_of_events_is_one_finding() -> None:
    found = findings(*cluster_events.of_events([failed(1), failed(2)]))
    assert [(f.signature, len(f.evidence)) for f in found] == [("efa-health-check", 2)]


def test_warning_without_a_reason_is_ignored() -> None:
    assert cluster_events.of_events([event(1, "Warn", "Scaling failed")]) == ()


def test_every_subtree_of_the_metadata_is_read() -> None:
    metadata = {
        "SlurmHealth": {"Component": "Slurmdbd", "Status": "Unhealthy", "Reason": "DaemonDown"}
    }
    (found,) = cluster_events.of_events([event(1, "Error", "Health", metadata=metadata)])
    assert found.text == "Health: Slurmdbd DaemonDown"
    healthy = event(2, "Info", "Health", metadata={"SlurmHealth": {"Status": "Healthy"}})
    assert (
        cluster_events.of_events([event(1, "Error", "Health", metadata=metadata), healthy]) == ()
    )


def test_success_resolves_the_same_instance_and_not_another() -> None:
    done = event(3, "Info", "EC2 Instance successfully provisioned", instance="i-1")
    assert cluster_events.of_events([failed(1), done]) == ()
    assert len(cluster_events.of_events([failed(1, "i-2"), done])) == 1
    assert cluster_events.of_events([failed(1, "i-2"), done], frozenset({"workers"})) == ()


def test_message_of_a_running_node_is_of_an_earlier_try() -> None:
    nodes = [NodeStatus("i-1", "g", "Running", REASON), NodeStatus("i-2", "g", "Failure", REASON)]
    assert [e.instance for e in cluster_events.of_nodes(nodes)] == ["i-2"]


def test_group_with_too_few_instances_and_node_that_stays_pending() -> None:
    (short,) = cluster_events.of_groups([Shortage("workers", 2, 4)])
    assert (short.text, short.resource) == ("has 2 of 4 instances", "workers")
    old = NodeStatus("i-1", "g", "Pending", "", launched=NOW - dt.timedelta(hours=2))
    new = NodeStatus("i-2", "g", "Pending", "", launched=NOW)
    assert [e.instance for e in cluster_events.of_pending([old, new], NOW)] == ["i-1"]


def test_cluster_that_is_in_service_has_no_failure() -> None:
    assert cluster_events.of_cluster("prod", "InService", REASON) == ()
    assert cluster_events.of_cluster("prod", "Failed", REASON)[0].text == REASON
