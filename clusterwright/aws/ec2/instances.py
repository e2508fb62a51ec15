"""Pending and running instances."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.ec2.vpc import STACK_TAG
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Instance:
    """A pending or running instance.

    `lifecycle` is on-demand, spot, scheduled or capacity-block.
    """

    instance_type: str
    vcpus: int
    lifecycle: str
    stack: str | None
    reservation_id: str | None = None
    """The capacity reservation or Capacity Block that it uses."""

    node_of: str | None = None
    """The ParallelCluster, EKS or PCS cluster of a node, which may have no stack of its own."""


@dataclass(frozen=True)
class NodeInstance:
    """An instance of a cluster that is not terminated, with its tags."""

    id: str
    instance_type: str
    state: str
    launched_at: dt.datetime | None
    hostname: str | None
    """Without the domain: `ip-10-0-1-5`."""

    lifecycle: str
    reservation_id: str | None
    tags: Mapping[str, str]
    address: str | None = None
    """The private address."""


NODE_TAGS = ("parallelcluster:cluster-name", "eks:cluster-name", "clusterwright:environment")
"""Tags of nodes whose value is the name of the cluster; PCS's own tag has an id instead."""


def running(session: AwsSession) -> tuple[Instance, ...]:
    """Return every instance of the account in the region that is pending or running."""
    states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    return tuple(
        Instance(
            instance_type=answer["InstanceType"],
            vcpus=answer["CpuOptions"]["CoreCount"] * answer["CpuOptions"]["ThreadsPerCore"],
            lifecycle=answer.get("InstanceLifecycle") or "on-demand",
            stack=tag_value(answer, STACK_TAG),
            reservation_id=answer.get("CapacityReservationId"),
            node_of=tag_value(answer, *NODE_TAGS),
        )
        for reservation in session.items(
            "ec2", "DescribeInstances", "Reservations", Filters=states
        )
        for answer in reservation["Instances"]
    )


def tagged(session: AwsSession, key: str, value: str) -> tuple[NodeInstance, ...]:
    """Return every instance with a tag that is not terminated.

    Raises
    ------
    AwsUnavailable
        AWS did not answer, at any page.
    """
    filters = [
        {"Name": f"tag:{key}", "Values": [value]},
        {
            "Name": "instance-state-name",
            "Values": ["pending", "running", "shutting-down", "stopping", "stopped"],
        },
    ]
    return tuple(
        NodeInstance(
            id=answer["InstanceId"],
            instance_type=answer["InstanceType"],
            state=answer["State"]["Name"],
            launched_at=answer.get("LaunchTime"),
            hostname=(answer.get("PrivateDnsName") or "").partition(".")[0] or None,
            lifecycle=answer.get("InstanceLifecycle") or "on-demand",
            reservation_id=answer.get("CapacityReservationId"),
            tags={tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()},
            address=answer.get("PrivateIpAddress"),
        )
        for reservation in session.items(
            "ec2", "DescribeInstances", "Reservations", Filters=filters, MaxResults=1000
        )
        for answer in reservation["Instances"]
    )


def reboot(session: AwsSession, instance_id: str) -> None:
    """Reboot an instance.

    Raises
    ------
    AwsUnavailable
        EC2 refused, or did not answer.
    """
    session.call("ec2", "RebootInstances", InstanceIds=[instance_id])


def terminate(session: AwsSession, instance_id: str) -> None:
    """Terminate an instance; its instance store and root volume are lost.

    A call with several ends those in other zones than the one that it refuses (EC2 API,
    TerminateInstances), so each has its own.

    Raises
    ------
    AwsUnavailable
        EC2 refused, as with termination protection, or did not answer.
    """
    session.call("ec2", "TerminateInstances", InstanceIds=[instance_id])


def karpenter_instances(session: AwsSession, cluster: str) -> tuple[str, ...]:
    """Return the ids of the pending and running instances that Karpenter launched for a cluster.

    The tags are those of https://karpenter.sh/docs/concepts/nodeclasses/#spectags.
    """
    wanted = [
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
        {"Name": "tag-key", "Values": ["karpenter.sh/nodepool"]},
        {"Name": f"tag:kubernetes.io/cluster/{cluster}", "Values": ["owned"]},
    ]
    return tuple(
        instance["InstanceId"]
        for reservation in session.items(
            "ec2", "DescribeInstances", "Reservations", Filters=wanted
        )
        for instance in reservation["Instances"]
    )


def tag_value(answer: Mapping[str, Any], *keys: str) -> str | None:
    """Return the value of the first tag of an answer that has one of these keys; None without."""
    tags = answer.get("Tags") or ()
    return next((tag["Value"] for tag in tags if tag["Key"] in keys), None)
