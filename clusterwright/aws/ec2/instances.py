"""Pending and running instances."""

from __future__ import annotations

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
    """The ParallelCluster or EKS cluster of a node, which may have no stack of its own."""


NODE_TAGS = ("parallelcluster:cluster-name", "eks:cluster-name")


def running(session: AwsSession) -> tuple[Instance, ...]:
    """Return every instance of the account in the region that is pending or running."""
    states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    return tuple(
        Instance(
            instance_type=answer["InstanceType"],
            vcpus=answer["CpuOptions"]["CoreCount"] * answer["CpuOptions"]["ThreadsPerCore"],
            lifecycle=answer.get("InstanceLifecycle") or "on-demand",
            stack=_tag(answer, STACK_TAG),
            reservation_id=answer.get("CapacityReservationId"),
            node_of=_tag(answer, *NODE_TAGS),
        )
        for reservation in session.items(
            "ec2", "DescribeInstances", "Reservations", Filters=states
        )
        for answer in reservation["Instances"]
    )


def _tag(answer: Mapping[str, Any], *keys: str) -> str | None:
    tags = answer.get("Tags") or ()
    return next((tag["Value"] for tag in tags if tag["Key"] in keys), None)
