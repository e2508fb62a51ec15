"""The scheduler's state as the controller publishes it, in `state/scheduler.json` of S3.

The controller's service (`lifecycle_scripts/clusterwright_state`) writes the file when the state
changed, and at least every five minutes. A field that the controller could not read is null. The
design is in docs/designs/operating.md; the schema is schema/scheduler-state.schema.json.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clusterwright.aws import s3
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.platforms.pcs.groups import administration_group

KEY: Final = "state/scheduler.json"
"""The object's key in the bucket of the lifecycle scripts."""

SCHEMA_VERSION: Final = 1

STALE_AFTER: Final = dt.timedelta(minutes=15)
"""Three times the interval in which the controller writes the file, changed or not."""

MAXIMUM_BYTES: Final = 32 * 1024 * 1024
"""About 1 KiB for each node and job: more than 10,000 nodes."""

AcceptanceState = Literal["new", "accepted", "rejected", "unknown"]


class _Part(BaseModel):
    """Unknown keys, of a newer version of the node program, are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class SchedulerNode(_Part):
    """A node that Slurm knows."""

    name: str = Field(description="NodeName in Slurm.")
    group: str | None = Field(
        default=None, description="The group of the spec; null where the controller cannot tell."
    )
    instance_id: str | None = Field(default=None, description="The EC2 instance id.")
    address: str | None = Field(
        default=None, description="NodeAddr in Slurm: the private address of its instance."
    )
    states: tuple[str, ...] | None = Field(
        default=None, description="Slurm's states and flags, such as IDLE and DRAIN."
    )
    reason: str | None = Field(default=None, description="Slurm's reason of a drain or failure.")
    reason_by: str | None = Field(default=None, description="The user who set the reason.")
    reason_at: dt.datetime | None = Field(default=None, description="When it was set.")
    partitions: tuple[str, ...] | None = Field(default=None, description="Its partitions.")
    reservation: str | None = Field(default=None, description="The reservation that it is in.")
    boot_time: dt.datetime | None = Field(default=None, description="When it booted.")
    boot_id: str | None = Field(default=None, description="Its boot, on Kubernetes.")
    switch_path: tuple[str, ...] | None = Field(
        default=None, description="Network nodes above it, from the spine to the leaf."
    )
    slurm_switch_path: tuple[str, ...] | None = Field(
        default=None, description="Switches above it in Slurm's running topology, from the top."
    )


class RunningJob(_Part):
    """A job that has nodes."""

    id: str = Field(description="Job id.")
    name: str | None = Field(default=None, description="Job name.")
    user: str | None = Field(default=None, description="User.")
    nodes: tuple[str, ...] | None = Field(
        default=None, description="NodeNames in Slurm; null or empty where unknown."
    )
    since: dt.datetime | None = Field(default=None, description="When it started.")


class PendingJob(_Part):
    """A job that waits."""

    id: str = Field(description="Job id.")
    name: str | None = Field(default=None, description="Job name.")
    user: str | None = Field(default=None, description="User.")
    reason: str | None = Field(default=None, description="Why it waits.")
    since: dt.datetime | None = Field(default=None, description="When it was submitted.")


class EndedJob(_Part):
    """A job of the last 24 hours that did not end with COMPLETED."""

    id: str = Field(description="Job id.")
    name: str | None = Field(default=None, description="Job name.")
    user: str | None = Field(default=None, description="User.")
    state: str | None = Field(default=None, description="Slurm's state, such as NODE_FAIL.")
    exit_code: str | None = Field(default=None, description="Exit code and signal: `1:0`.")
    reason: str | None = Field(default=None, description="Slurm's reason.")
    nodes: tuple[str, ...] | None = Field(default=None, description="NodeNames in Slurm.")
    start: dt.datetime | None = Field(default=None, description="When it started.")
    end: dt.datetime | None = Field(default=None, description="When it ended.")
    restarts: int | None = Field(default=None, description="How often it was requeued.")
    comment: str | None = Field(default=None, description="The user's comment.")
    system_comment: str | None = Field(default=None, description="Slurm's comment.")


class Partition(_Part):
    """A partition of Slurm."""

    name: str = Field(description="Its name.")
    state: str | None = Field(default=None, description="UP, DOWN, DRAIN or INACTIVE.")
    nodes: tuple[str, ...] | None = Field(default=None, description="NodeNames in Slurm.")


class Reservation(_Part):
    """A reservation of Slurm."""

    name: str = Field(description="Its name.")
    nodes: tuple[str, ...] | None = Field(default=None, description="NodeNames in Slurm.")
    flags: tuple[str, ...] | None = Field(default=None, description="Flags, such as MAINT.")
    end: dt.datetime | None = Field(default=None, description="Its end; null without one.")


class ProgramChange(_Part):
    """A file of the node program that is not as it was installed."""

    path: str = Field(description="Its path on the node.")
    sha256: str | None = Field(default=None, description="Its digest; null if it was removed.")
    recorded_sha256: str | None = Field(
        default=None, description="That of the installed file; null if it was added."
    )


class ReportedProgram(_Part):
    """The installed files of the node program, as a node's last test found them."""

    sha256: str | None = Field(
        default=None, description="Digest of the version; null if there are several."
    )
    changes: tuple[ProgramChange, ...] = Field(default=(), description="The first changes.")
    changes_count: int = Field(default=0, description="How many files changed.")


class InstalledProgram(_Part):
    """The installed files of the node program on the node that publishes."""

    versions: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="The installed packages by the digest of their version: usually one.",
    )
    changes: tuple[ProgramChange, ...] = Field(
        default=(), description="Files that are not as they were installed, at most 20."
    )
    changes_count: int = Field(default=0, description="How many there are.")


class NodeAcceptance(_Part):
    """Whether a node passed the acceptance checks since its last boot."""

    state: AcceptanceState = Field(description="Only `accepted` opens a node for jobs.")
    reason: str | None = Field(default=None, description="Why it is not accepted.")
    action: str | None = Field(default=None, description="What to do: reboot, replace, ...")
    level: str | None = Field(default=None, description="quick, standard or full.")
    since: dt.datetime | None = Field(default=None, description="Since when it has the state.")
    program: ReportedProgram | None = Field(
        default=None, description="The node program at the last test of this boot."
    )


class NodeEvent(_Part):
    """Something that happened to a node: a fault, a reboot, an acceptance."""

    at: dt.datetime = Field(description="When the controller saw it.")
    kind: str = Field(description="xid, drained, rejected, hung, node_fail, rebooted, ...")
    detail: str = Field(default="", description="The reason that Slurm or acceptance had.")


class NodeHistory(_Part):
    """What happened to an instance over weeks."""

    instance_id: str = Field(description="The EC2 instance id; another one starts anew.")
    is_lemon: bool = Field(default=False, description="Faults on several days of a month.")
    advice: str = Field(default="none", description="none, reboot or replace.")
    reason: str = Field(default="", description="Why.")
    events: tuple[NodeEvent, ...] = Field(default=(), description="The last ten, oldest first.")


class RunningConfiguration(_Part):
    """What runs, as the controller reads it."""

    inputs_sha256: str | None = Field(
        default=None,
        description="Digest of the uploaded files that configured the controller.",
    )
    slurm_conf: dict[str, str | None] | None = Field(
        default=None, description="`scontrol show config`, by name."
    )
    program: InstalledProgram | None = Field(
        default=None, description="The node program on the node that publishes."
    )


class SchedulerState(_Part):
    """The file `state/scheduler.json`."""

    schema_version: Literal[1] = Field(description="Goes up when a key is renamed or removed.")
    environment: str = Field(description="The cluster's name.")
    written_at: dt.datetime = Field(description="When the controller wrote it.")
    controller: str | None = Field(default=None, description="Host name of the controller.")
    slurm_version: str | None = Field(default=None, description="Version of slurmctld.")
    daemons: dict[str, str | None] | None = Field(
        default=None,
        description="`up` or `down` for slurmctld, slurmdbd and munge; null for one "
        "that the cluster does not have.",
    )
    nodes: tuple[SchedulerNode, ...] | None = Field(default=None, description="Every node.")
    jobs: dict[str, int] | None = Field(default=None, description="Number of jobs by state.")
    running: tuple[RunningJob, ...] | None = Field(default=None, description="Running jobs.")
    pending: tuple[PendingJob, ...] | None = Field(default=None, description="Waiting jobs.")
    ended: tuple[EndedJob, ...] | None = Field(
        default=None,
        description="Jobs of the last 24 hours that did not end with COMPLETED, at most 500.",
    )
    partitions: tuple[Partition, ...] | None = Field(default=None, description="Partitions.")
    reservations: tuple[Reservation, ...] | None = Field(default=None, description="Reservations.")
    acceptance: dict[str, NodeAcceptance] | None = Field(
        default=None, description="Acceptance by NodeName."
    )
    history: dict[str, NodeHistory] | None = Field(
        default=None, description="Faults over weeks by NodeName, of the instances that exist."
    )
    configuration: RunningConfiguration | None = Field(
        default=None, description="The running configuration."
    )

    @property
    def jobs_on_unknown_nodes(self) -> tuple[str, ...]:
        """Running jobs that have nodes, but whose nodes the controller could not read."""
        return tuple(job.id for job in self.running or () if not job.nodes)

    def jobs_on(self, names: Container[str]) -> list[RunningJob] | None:
        """Running jobs on the nodes; None if unknown: a job on unknown nodes may be there."""
        if self.running is None or self.jobs_on_unknown_nodes:
            return None
        return [job for job in self.running if any(node in names for node in job.nodes or ())]


@dataclass(frozen=True)
class SchedulerView:
    """What the controller published last.

    Attributes
    ----------
    state:
        The file, also where it is too old to be used; None where there is none.
    unknown:
        Why the scheduler's view is unknown now; None where `state` is current.
    """

    state: SchedulerState | None
    unknown: NotRead | None

    @property
    def current(self) -> SchedulerState | None:
        """The state, if it is not older than `STALE_AFTER`."""
        return self.state if self.unknown is None else None


_SHOWN: Final = 5
_READ: Final = {"running": "running jobs", "pending": "waiting jobs"}


def not_readable(state: SchedulerState, *keys: str) -> Iterator[NotRead]:
    """Those of the keys that the controller wrote as null, because it could not read them."""
    for key in keys:
        if getattr(state, key) is None and key in state.model_fields_set:
            name = _READ.get(key, key)
            yield NotRead(f"the scheduler's {name}", "the controller could not read it")
    jobs = state.jobs_on_unknown_nodes
    if "running" in keys and jobs:
        yield NotRead("the nodes of running jobs", nodes_not_read(jobs))


def nodes_not_read(jobs: Sequence[str]) -> str:
    """Why it is unknown which jobs run on a node."""
    shown = ", ".join(jobs[:_SHOWN]) + (" and others" if len(jobs) > _SHOWN else "")
    return f"the controller could not read the nodes of job{'s' * (len(jobs) > 1)} {shown}"


def publishing_node(cluster: Cluster) -> str:
    """Return the node that publishes, for messages: the controller, or the one that administers a
    cluster whose controller AWS runs.
    """
    group = administration_group(cluster) if cluster.traits.service_runs_controller else None
    return "the controller" if group is None else f"the node of {group.name}"


def without_cluster(what: str, cluster: Cluster) -> NotRead:
    """What nobody publishes, because the cluster is not deployed."""
    name = cluster.environment
    return NotRead(
        what,
        f"no cluster {name} exists in {cluster.region}, in the account of these credentials",
        f"cdk deploy -c env={name} --all; or check the account: aws sts get-caller-identity",
    )


def scheduler_view(
    session: AwsSession,
    bucket: str,
    *,
    environment: str,
    now: dt.datetime,
    publisher: str = "the controller",
) -> SchedulerView:
    """Read what the controller of an environment published, with one call of S3.

    Nothing is raised: what AWS refuses, and what is not the file of this environment, is unknown.
    """
    what = "the scheduler's view"
    try:
        text = s3.object_text(session, bucket, KEY, maximum_bytes=MAXIMUM_BYTES)
    except AwsUnavailable as error:
        return SchedulerView(None, NotRead.from_error(what, error))
    if text is None:
        reason = f"{publisher} has not published its state: s3://{bucket}/{KEY} does not exist"
        hint = f"see on {publisher}: journalctl --unit clusterwright-state"
        return SchedulerView(None, NotRead(what, reason, hint))
    return parsed(text, environment=environment, now=now, publisher=publisher)


def parsed(
    text: str | bytes,
    *,
    environment: str,
    now: dt.datetime,
    publisher: str = "the controller",
) -> SchedulerView:
    """The view of a text of `state/scheduler.json`."""
    what = "the scheduler's view"
    try:
        state = SchedulerState.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        detail = f"{where}: {first['msg']}" if where else str(first["msg"])
        reason = f"{KEY} is not valid for this version of Clusterwright: {detail}"
        return SchedulerView(None, NotRead(what, reason))
    if state.environment != environment:
        reason = f"{KEY} is of the environment {state.environment}, not of {environment}"
        return SchedulerView(None, NotRead(what, reason))
    written = _utc(state.written_at)
    if abs(now - written) <= STALE_AFTER:
        return SchedulerView(state, None)
    when = written.strftime("%Y-%m-%d %H:%M:%S UTC")
    minutes = int(abs(now - written).total_seconds() // 60)
    if written < now:
        reason = f"{publisher} published its state last at {when}, {minutes} minutes ago"
        hint = f"see on {publisher}: systemctl status clusterwright-state"
    else:
        reason = f"the clock of {publisher} is {minutes} minutes ahead: it wrote at {when}"
        hint = f"see on {publisher}: chronyc tracking"
    return SchedulerView(state, NotRead(what, reason, hint))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file, which schema/scheduler-state.schema.json holds."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SchedulerState.model_json_schema(),
        "title": "The scheduler's state that the controller publishes (state/scheduler.json)",
    }


def _utc(time: dt.datetime) -> dt.datetime:
    return time.replace(tzinfo=dt.UTC) if time.tzinfo is None else time.astimezone(dt.UTC)
