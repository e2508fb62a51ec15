"""Failures and states that a world injects: changed answers, broken nodes, lines of logs.

Faults of calls are `Fault` in `worlds.model`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def _plain(value: Any) -> Any:
    """Return the value without the classes of the YAML reader."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (bool, datetime)) or value is None:
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


Members = Annotated[dict[str, Any], AfterValidator(_plain)]
Pattern = Annotated[str, Field(min_length=1, description="A name; * stands for any characters")]


class _Injection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Override(_Injection):
    """Other members in the answers of one operation than the local AWS would answer.

    The state does not change: later calls of other operations see what the local AWS has. Answers
    are validated against the API model again. A time may be an offset from now: -1d, +12h, +30m.
    """

    service: str = Field(description="boto3's name of the service")
    operation: str = Field(description="Name of the operation in the API (DescribeCluster)")
    request: Members = Field(
        default_factory=dict,
        description="Only calls with these parameters, by path; * in a text stands for anything",
    )
    each: str | None = Field(
        None,
        description="Path of a list in the answer (InstanceGroups, Reservations.Instances): match "
        "and set apply to each of its items; default: to the answer",
    )
    match: Members = Field(
        default_factory=dict,
        description="Only items whose members have these values, by path; * as in request",
    )
    first: int | None = Field(
        None, ge=1, description="At most this many matching items of an answer; default: all"
    )
    set: Members = Field(
        default_factory=dict,
        description="New values by path (InstanceStatus.Status); null removes a member",
    )
    add: list[Members] = Field(
        default_factory=list, description="Items added to the list; needs each"
    )
    remove: bool = Field(False, description="Remove the matching items; needs each")
    times: int | None = Field(None, ge=1, description="How many calls are changed; default: all")
    after: int = Field(0, ge=0, description="How many matching calls are answered unchanged first")

    @model_validator(mode="after")
    def _does_something(self) -> Override:
        if not self.set and not self.add and not self.remove:
            raise ValueError("an override needs one of set, add or remove")
        if self.each is None and (self.add or self.remove or self.first):
            raise ValueError("add, remove and first need each, the path of a list")
        if self.set and self.remove:
            raise ValueError("an override has either set or remove")
        return self


NodeMoment = Literal[
    "launch", "running", "reboot", "replacement", "software-update", "health-check"
]
NodeOutcome = Literal[
    "no-capacity", "efa", "lifecycle-scripts", "failure", "pending", "reboot", "replace"
]


class NodeFault(_Injection):
    """A HyperPod node that breaks, and what users then see of it.

    It applies to nodes that the clock runs, not to those of a driver (`rehearse`).
    """

    cluster: Pattern = "*"
    group: Pattern = "*"
    number: int | None = Field(
        None, ge=1, description="Number of the node within its group, from 1; default: every node"
    )
    at: NodeMoment = Field(
        "launch",
        description="What fails: the launch, a reboot, replacement, software update or deep "
        "health check; or the node after it was Running",
    )
    outcome: NodeOutcome = Field(
        "failure",
        description="no-capacity: no instance can be launched; efa, lifecycle-scripts, failure: "
        "the node is in status Failure, with AWS's message or `message`; pending: it stays "
        "Pending; reboot, replace: the health monitoring agent detects a fault and asks for it",
    )
    message: str | None = Field(
        None, min_length=1, description="InstanceStatus.Message instead of AWS's fixed text"
    )
    after_seconds: float = Field(
        0, ge=0, le=86_400, description="With at: running, how long the node has been Running"
    )
    log_lines: dict[str, list[str]] = Field(
        default_factory=dict,
        description="Lines by stream of the cluster's log group: LifecycleConfig, "
        "SagemakerHealthMonitoringAgent or DeepHealthCheckResults; the node's part of the "
        "stream's name is added",
    )
    times: int | None = Field(None, ge=1, description="How often it happens; default: always")
    after: int = Field(0, ge=0, description="How often it does not happen first")

    @model_validator(mode="after")
    def _fits(self) -> NodeFault:
        if self.outcome == "no-capacity" and self.at not in ("launch", "replacement"):
            raise ValueError("no-capacity needs at: launch or at: replacement")
        if self.outcome in ("reboot", "replace") and self.at not in ("running", "health-check"):
            raise ValueError(f"{self.outcome} needs at: running or at: health-check")
        if self.outcome == "pending" and self.at == "running":
            raise ValueError("a Running node does not become Pending: use at: reboot")
        if self.after_seconds and self.at != "running":
            raise ValueError("after_seconds needs at: running")
        return self


class ClusterEvent(_Injection):
    """An event of a HyperPod cluster with continuous provisioning, such as SlurmHealth's."""

    cluster: Pattern = "*"
    group: str | None = Field(None, description="Its instance group; default: the cluster's event")
    number: int | None = Field(
        None, ge=1, description="Number of the node within its group; default: the group's event"
    )
    level: Literal["Info", "Warn", "Error"] = "Error"
    description: str = Field(min_length=1)
    metadata: Members = Field(
        default_factory=dict,
        description="The API's EventMetadata: {SlurmHealth: {Component: Slurmdbd, ...}}",
    )
    at: str = Field("-1m", description="A time, or an offset from now")

    @model_validator(mode="after")
    def _fits(self) -> ClusterEvent:
        if self.number is not None and self.group is None:
            raise ValueError("number needs group")
        return self


class LogLines(_Injection):
    """Lines of a stream of CloudWatch Logs; the group and the stream are created."""

    group: str = Field(
        min_length=1,
        max_length=512,
        description="Name of the log group. /aws/sagemaker/Clusters/NAME/* is the group of the "
        "HyperPod cluster NAME, once it exists",
    )
    stream: str = Field(min_length=1, max_length=512)
    lines: list[str] = Field(min_length=1)
    at: str = Field("-1m", description="A time, or an offset from now, of the first line")
    account: str | None = Field(
        None, pattern=r"^\d{12}$", description="Default: the world's account"
    )
    region: str | None = Field(None, description="Default: the world's")


def first_of(matches: Sequence[bool], limit: int | None) -> list[bool]:
    """Return the matches with those beyond the first `limit` dropped."""
    found: list[bool] = []
    count = 0
    for matched in matches:
        taken = matched and (limit is None or count < limit)
        count += taken
        found.append(taken)
    return found
