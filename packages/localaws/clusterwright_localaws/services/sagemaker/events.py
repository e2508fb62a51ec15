"""Cluster events: ListClusterEvents and DescribeClusterEvent.

Descriptions are AWS's, from the guide page "SageMaker HyperPod cluster events reference". Events
exist for clusters with NodeProvisioningMode Continuous; others are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Group,
    Node,
    clusters_of,
    new_uuid,
)

# Beyond this the oldest events are dropped: clusters have thousands of nodes.
MAX_EVENTS = 20_000


def record(
    cluster: Cluster,
    description: str,
    when: datetime,
    *,
    level: str = "Info",
    group: Group | None = None,
    node: Node | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to a cluster."""
    event: dict[str, Any] = {
        "EventId": new_uuid(),
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "ResourceType": "Instance" if node else "InstanceGroup" if group else "Cluster",
        "EventTime": when,
        "Description": description,
        "EventLevel": level,
    }
    if group is not None:
        event["InstanceGroupName"] = group.name
    if node is not None:
        event["InstanceId"] = node.instance_id
    if metadata:
        event["EventDetails"] = {"EventMetadata": dict(metadata)}
    cluster.events.append(event)
    del cluster.events[:-MAX_EVENTS]


@operation("sagemaker", "ListClusterEvents")
def list_cluster_events(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call)
    request = call.parameters
    events = [event for event in cluster.events if _wanted(event, request)]
    events.sort(
        key=lambda event: event["EventTime"], reverse=request.get("SortOrder") != "Ascending"
    )
    return paged(
        call,
        "Events",
        events,
        lambda event: {k: v for k, v in event.items() if k != "EventDetails"},
        maximum=100,
    )


@operation("sagemaker", "DescribeClusterEvent")
def describe_cluster_event(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call)
    for event in cluster.events:
        if event["EventId"] == call.parameters["EventId"]:
            return {"EventDetails": event}
    raise AwsError("ResourceNotFound", f"Event {call.parameters['EventId']} does not exist.")


def _cluster(call: Call) -> Cluster:
    cluster = clusters_of(call).find(call.parameters["ClusterName"])
    if not cluster.continuous:
        raise AwsError(
            "ValidationException",
            "This functionality is only supported when the NodeProvisioningMode is set to "
            "Continuous.",
        )
    return cluster


def _wanted(event: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    if any(
        request.get(parameter) not in (None, event.get(member))
        for parameter, member in (
            ("InstanceGroupName", "InstanceGroupName"),
            ("NodeId", "InstanceId"),
            ("ResourceType", "ResourceType"),
            ("OperationId", "OperationId"),
        )
    ):
        return False
    after, before = request.get("EventTimeAfter"), request.get("EventTimeBefore")
    moment: datetime = event["EventTime"]
    return not (after and moment < aware(after)) and not (before and moment > aware(before))


def aware(moment: datetime) -> datetime:
    """Return a time with UTC as its zone, which times of requests lack."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
