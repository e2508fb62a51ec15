"""Cluster events: ListClusterEvents and DescribeClusterEvent.

Descriptions are AWS's, from the guide page "SageMaker HyperPod cluster events reference". Events
exist for clusters with NodeProvisioningMode Continuous; others are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

from clusterwright_localaws.core import catalog_facts, moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sagemaker.state import (
    WATCHERS,
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
    find_node,
    new_uuid,
)
from clusterwright_localaws.worlds.model import moment_of

# Beyond this the oldest events are dropped: clusters have thousands of nodes.
MAX_EVENTS = 20_000
# Events of one failure come in pairs, about this far apart (`hyperpod-mental-model.md`).
PAIR_GAP = timedelta(seconds=1)


def record(
    cluster: Cluster,
    description: str,
    when: datetime,
    *,
    level: str = "Info",
    group: Group | None = None,
    node: Node | None = None,
    about_instance: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Add an event to a cluster.

    `about_instance`: the resource is an instance that was not launched, without an id.
    """
    event: dict[str, Any] = {
        "EventId": new_uuid(),
        "ClusterArn": cluster.arn,
        "ClusterName": cluster.name,
        "ResourceType": "Instance"
        if node or about_instance
        else "InstanceGroup"
        if group
        else "Cluster",
        "EventTime": when,
        "Description": description,
        "EventLevel": level,
    }
    if group is not None:
        event["InstanceGroupName"] = group.name
        if group.operation_id is not None:
            event["OperationId"] = group.operation_id
    if node is not None:
        event["InstanceId"] = node.instance_id
    if metadata:
        event["EventDetails"] = {"EventMetadata": dict(metadata)}
    cluster.events.append(event)
    del cluster.events[:-MAX_EVENTS]
    if cluster.continuous:
        publish(cluster, event)


def _kind(group: Group | None, *, about_instance: bool) -> str:
    if about_instance:
        return "Instance"
    return "Cluster" if group is None else "InstanceGroup"


def _with_interfaces(cluster: Cluster, event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event about a launched instance with its network interfaces.

    The ids of the interfaces are invented.
    """
    metadata = (event.get("EventDetails") or {}).get("EventMetadata") or {}
    node = find_node(cluster, instance_id=event.get("InstanceId") or None, logical_id=None)
    if "successfully provisioned" not in event["Description"] or node is None:
        return event
    count = catalog_facts.efa_interfaces_of(catalog_facts.ec2_name(node.instance_type))
    names = [
        "eni-" + hashlib.sha256(f"{node.instance_id}/{card}".encode()).hexdigest()[:17]
        for card in range(count + 1)
    ]
    instance = {**metadata["Instance"], "CustomerEni": names[0]}
    if count:
        instance["AdditionalEnis"] = {"EfaEnis": names[1:]}
    return {**event, "EventDetails": {"EventMetadata": {**metadata, "Instance": instance}}}


def publish(cluster: Cluster, event: Mapping[str, Any]) -> None:
    """Send an event to EventBridge if the account has rules there.

    The copy has no metadata, and the id of its envelope is not the EventId (awsome-distributed-ai
    95b939cd, `hyperpod-mental-model.md`). AWS's guide shows an example with metadata.
    """
    backend = moto_state.existing("events", cluster.account, cluster.region)
    if backend is None or not any(bus.rules for bus in backend.event_buses.values()):
        return
    moment: datetime = event["EventTime"]
    detail = {
        "EventDetails": {
            **{key: value for key, value in event.items() if key != "EventDetails"},
            "EventTime": int(moment.timestamp() * 1000),
            "EventDetails": {"EventMetadata": None},
        }
    }
    backend.put_events(
        [
            {
                "Source": "aws.sagemaker",
                "DetailType": "SageMaker HyperPod Cluster Event",
                "Time": moment.timestamp(),
                "Resources": [cluster.arn],
                "Detail": json.dumps(detail),
            }
        ]
    )


@operation("sagemaker", "ListClusterEvents")
def list_cluster_events(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call)
    request = call.parameters
    events = [
        event
        for event in cluster.events
        if event["EventTime"] <= call.now and _wanted(event, request)
    ]
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
        if event["EventId"] == call.parameters["EventId"] and event["EventTime"] <= call.now:
            return {"EventDetails": _with_interfaces(cluster, event)}
    raise AwsError("ResourceNotFound", f"Event {call.parameters['EventId']} does not exist.")


def _seed_events(clusters: Clusters, now: datetime) -> None:
    """Add the world's `cluster_events` to the clusters that they are for, each once."""
    for number, seed in enumerate(clusters.runtime.world.cluster_events):
        key = f"{number}/{seed.model_dump_json()}"
        for cluster in clusters.by_name.values():
            if key in cluster.seeded or not fnmatchcase(cluster.name, seed.cluster):
                continue
            group = cluster.groups.get(seed.group) if seed.group else None
            nodes = [] if group is None else group.live()
            node = next((node for node in nodes if node.number == seed.number), None)
            if (seed.group and group is None) or (seed.number and node is None):
                continue
            cluster.seeded.add(key)
            record(
                cluster,
                seed.description,
                moment_of(seed.at, now),
                level=seed.level,
                group=group,
                node=node,
                metadata=seed.metadata,
            )


WATCHERS.append(_seed_events)


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
