"""The world's node faults: which nodes break, AWS's texts for it, and lines in their log streams.

Source of the fixed texts and of the streams' names: awslabs/awsome-distributed-ai 95b939cd
(2026-07-23), `hyperpod-mental-model.md`; of the agent's line: AWS's guide page "Health Monitoring
System".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from clusterwright_localaws.services.logs.lines import write_lines
from clusterwright_localaws.services.sagemaker.events import record
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Clusters,
    Group,
    Node,
    log_group_name,
)
from clusterwright_localaws.worlds.injections import NodeFault, NodeMoment

NO_CAPACITY: Final = (
    "We currently do not have sufficient capacity in the Availability Zone you requested"
)
EFA_FAILED: Final = "EFA health checks did not run successfully"
# awslabs/awsome-distributed-ai#188 and #189 quote it.
LIFECYCLE_FAILED: Final = (
    "Lifecycle scripts did not run successfully. Ensure the scripts exist in provided S3 path, "
    "are accessible, and run without errors. Please see CloudWatch logs for lifecycle script "
    "execution details."
)
_UNHEALTHY: Final = "The health monitoring agent detected a hardware fault."
_BROKEN: Final = "The instance is not healthy."
_TEXTS: Final = {
    "no-capacity": NO_CAPACITY,
    "efa": EFA_FAILED,
    "lifecycle-scripts": LIFECYCLE_FAILED,
    "reboot": _UNHEALTHY,
    "replace": _UNHEALTHY,
    "failure": _BROKEN,
}
LIFECYCLE_STREAM: Final = "LifecycleConfig"
AGENT_STREAM: Final = "SagemakerHealthMonitoringAgent"
HEALTH_CHECK_STREAM: Final = "DeepHealthCheckResults"
DOWNLOADING: Final = "[SageMaker] Downloading lifecycle scripts"
SUCCEEDED: Final = "[SageMaker] The lifecycle scripts succeeded."
# "about 4 times in 18 min" (hyperpod-mental-model.md), of a software update.
UPDATE_TRIES: Final = 4
_BETWEEN_TRIES: Final = timedelta(minutes=18 / UPDATE_TRIES)


def fault_of(clusters: Clusters, cluster: Cluster, node: Node, at: NodeMoment) -> NodeFault | None:
    """Return the fault that breaks a node now; a match is counted."""
    book = clusters.runtime.node_faults
    return book.hit(cluster.name, node.group_name, node.number, at) if book else None


def without_capacity(clusters: Clusters, cluster: Cluster, group: Group, count: int) -> int:
    """Return for how many of the next `count` instances of a group there is no capacity."""
    book = clusters.runtime.node_faults
    if not book:
        return 0
    hits = [
        book.hit(cluster.name, group.name, number, "launch", launched=False)
        for number in range(group.next_number, group.next_number + count)
    ]
    return sum(hit is not None for hit in hits)


def message_of(fault: NodeFault) -> str:
    """Return the message of the node's status."""
    return fault.message or _TEXTS[fault.outcome]


def write_log(
    cluster: Cluster, node: Node, stream: str, lines: Sequence[tuple[datetime, str]]
) -> None:
    """Write lines to a stream of a node in the cluster's log group."""
    write_lines(
        cluster.account, cluster.region, log_group_name(cluster), _stream(node, stream), lines
    )


def tell(cluster: Cluster, node: Node, fault: NodeFault, at: NodeMoment, when: datetime) -> None:
    """Write what a broken node leaves in CloudWatch Logs, and the lines of the fault."""
    if fault.outcome == "lifecycle-scripts":
        for state in ("Started", "Failed"):
            record(
                cluster,
                f"Instance lifecycle script execution for EC2InstanceId {node.instance_id} has "
                f"{state}",
                when,
                level="Info" if state == "Started" else "Error",
                group=cluster.groups[node.group_name],
                node=node,
                metadata={"Instance": {"LcsExecutionState": state}},
            )
    for stream, lines in _lines(cluster, node, fault, at, when).items():
        write_log(cluster, node, stream, lines)
    for stream, texts in fault.log_lines.items():
        write_log(cluster, node, stream, [(when, text) for text in texts])


def _stream(node: Node, kind: str) -> str:
    if kind == HEALTH_CHECK_STREAM:
        return f"{kind}/{node.instance_id}"
    return f"{kind}/{node.group_name}/{node.instance_id}"


def _lines(
    cluster: Cluster, node: Node, fault: NodeFault, at: NodeMoment, when: datetime
) -> dict[str, list[tuple[datetime, str]]]:
    if fault.outcome == "lifecycle-scripts":
        tries = UPDATE_TRIES if at == "software-update" else 1
        first = when - (tries - 1) * _BETWEEN_TRIES
        return {
            LIFECYCLE_STREAM: [
                (first + number * _BETWEEN_TRIES, DOWNLOADING) for number in range(tries)
            ]
        }
    if fault.outcome in ("reboot", "replace") and at == "running":
        return {AGENT_STREAM: [(when, _detection(fault, when))]}
    if at == "health-check":
        return {HEALTH_CHECK_STREAM: [(when, _faulty(cluster, node, fault, when))]}
    return {}


def _faulty(cluster: Cluster, node: Node, fault: NodeFault, when: datetime) -> str:
    """Return the line of a failed deep health check, in the form of AWS's guide."""
    text = fault.message or (
        "Bandwidth has less than threshold: Expected minimum threshold :80,NCCL Test output Bw: 30"
    )
    action = "Reboot" if fault.outcome == "reboot" else "Replace"
    return json.dumps(
        {
            "level": "error",
            "ts": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "msg": f"Encountered FaultyInstance. {action} the Instance. Region: {cluster.region}, "
            f"InstanceType: {node.instance_type}. ERROR:{text}",
        }
    )


def _detection(fault: NodeFault, when: datetime) -> str:
    """Return the agent's line about a detected fault, in the form of AWS's guide."""
    condition = "NvidiaErrorReboot" if fault.outcome == "reboot" else "NvidiaErrorReplace"
    moment = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    text = fault.message or "NVRM: Xid (PCI:0000:b9:00): 79, GPU has fallen off the bus."
    return json.dumps(
        {
            "level": "info",
            "ts": moment,
            "msg": "NPD caught event: %v",
            "details: ": {
                "severity": "warn",
                "timestamp": moment,
                "reason": "XidHardwareFailure",
                "message": f"Node condition {condition} is now: True, "
                f'reason: XidHardwareFailure, message: "{text}"',
            },
            "HealthMonitoringAgentDetectionEvent": "HealthEvent",
        },
        separators=(",", ":"),
    )
