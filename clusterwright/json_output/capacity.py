"""The JSON output of `clusterwright capacity`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal

from clusterwright.json_output.base import Count, Envelope, Joined, Output, Usd, field, json_text
from clusterwright.json_output.operating import (
    OperatingFindingOutput,
    OperatingPolicyOutput,
    UnknownPartOutput,
)
from clusterwright.json_output.status import CapacityOutput
from clusterwright.operate.results import CapacityReport, FailureCost


class PurchaseOutput(CapacityOutput):
    """A reservation, Capacity Block or training plan of the file, in detail."""

    groups: tuple[str, ...] = field("Groups of the file that use it.")
    spares: Count | None = field("Instances that AWS keeps for replacements (training plan).")
    unhealthy: Count | None = field(
        "Instances that are out of order at AWS (training plan, Capacity Block)."
    )
    interconnect: str | None = field(
        "Of UltraServers: ok, impaired or insufficient-data; null elsewhere, or if unknown."
    )
    instances_end: dt.datetime | None = field("When EC2 begins to terminate the instances.")


class SparesOutput(Output):
    """What can take the place of a failed node of a group."""

    group: str = field("The group.")
    capacity: str = field("Its kind of capacity.")
    instance_type: str = field("EC2's name of the type.")
    nodes: Count | None = field("Instances that run; null if unknown.")
    spare_count: Count = field("Spares that the file asks for.")
    idle: tuple[str, ...] | None = field("Nodes that could run a job now; null if unknown.")
    launchable: Count | None = field(
        "Instances that the group's purchase can still launch; null without one, or if unknown."
    )


class Range(Output):
    """The least and the most."""

    least: Count = field("At least.")
    most: Count = field("At most.")


class UsdRange(Output):
    """The least and the most, in US dollars."""

    least: Usd = field("At least.")
    most: Usd = field("At most.")


class FailureOutput(Output):
    """What the failure of one node of a group would cost now, if it hits the largest job."""

    group: str = field("The group.")
    job: str | None = field("The running job with the most nodes of the group.")
    job_nodes: Count | None = field("Its nodes; 0 without a job, null if unknown.")
    replacement: Literal["idle-node", "platform", "purchase", "none"] | None = field(
        "Where the job gets its node from; null if no job would stop, or if it is unknown."
    )
    minutes: Range | None = field("Until the job runs again; null if unknown.")
    node_minutes: Range | None = field("`minutes` times the nodes of the job.")
    cost_usd: UsdRange | None = field("Price of `node_minutes`; null if unknown.")
    cost_per_hour_usd: Usd | None = field("Price of the job's nodes while they wait.")
    note: str = field("How the time was found, or why it is unknown.")


class CapacityReportOutput(Envelope):
    """Purchased capacity, spares, and what a failure would cost."""

    command: Literal["capacity"] = "capacity"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    account: str = field("The account.")
    region: str = field("The region.")
    read_at: dt.datetime = field("When it was read.")
    capacity: tuple[PurchaseOutput, ...] = field("Every purchase that the file names.")
    spares: tuple[SparesOutput, ...] = field("Every compute group.")
    failures: tuple[FailureOutput, ...] = field("Every compute group.")
    findings: tuple[OperatingFindingOutput, ...] = field("Most severe first.")
    unknown: tuple[UnknownPartOutput, ...] = field("What could not be read.")


OUTPUTS = (CapacityReportOutput, OperatingPolicyOutput)


def capacity_json(report: CapacityReport) -> str:
    """The report as JSON."""
    return json_text(
        CapacityReportOutput,
        report,
        capacity=[Joined(each, each.row) for each in report.purchases],
        failures=[_failure(each) for each in report.failures],
    )


def _failure(cost: FailureCost) -> Joined:
    return Joined(
        cost,
        minutes=least_and_most(cost.minutes),
        node_minutes=least_and_most(cost.node_minutes),
        cost_usd=least_and_most(cost.usd),
        cost_per_hour_usd=cost.usd_per_hour,
    )


def least_and_most(
    found: tuple[int, int] | tuple[Decimal, Decimal] | None,
) -> dict[str, Any] | None:
    """The value of a `Range` or `UsdRange`."""
    return None if found is None else {"least": found[0], "most": found[1]}
