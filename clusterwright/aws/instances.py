"""Instances of EC2."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.session import AwsSession
from clusterwright.aws.vpc import STACK_TAG


@dataclass(frozen=True)
class Instance:
    """A pending or running one; `lifecycle` is on-demand, spot, scheduled or capacity-block."""

    instance_type: str
    vcpus: int
    lifecycle: str
    stack: str | None
    reservation_id: str | None = None
    """The capacity reservation or block that it runs in."""


def running(session: AwsSession) -> tuple[Instance, ...]:
    """Every instance of the account in the region that is pending or running."""
    states = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    return tuple(
        Instance(
            instance_type=answer["InstanceType"],
            vcpus=answer["CpuOptions"]["CoreCount"] * answer["CpuOptions"]["ThreadsPerCore"],
            lifecycle=answer.get("InstanceLifecycle") or "on-demand",
            stack=next(
                (tag["Value"] for tag in answer.get("Tags") or () if tag["Key"] == STACK_TAG), None
            ),
            reservation_id=answer.get("CapacityReservationId"),
        )
        for page in session.pages("ec2", "DescribeInstances", Filters=states)
        for reservation in page["Reservations"]
        for answer in reservation["Instances"]
    )
