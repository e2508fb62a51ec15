"""A deployed cluster as it was read: AWS's view and the scheduler's view."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Literal

from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.cluster_state.deep_health import Results
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import SchedulerView

Condition = Literal["up", "starting", "ending", "failed", "unknown"]
"""What a platform's state of a node means; `starting` includes updates and health checks."""


@dataclass(frozen=True)
class PlatformGroup:
    """A group of instances, as the platform reports it.

    Attributes
    ----------
    current, desired:
        Instances that exist, and that the platform works towards; None if it does not say.
    status:
        The platform's word; None if it has none.
    current_image, desired_image, image_status:
        Of HyperPod; None elsewhere.
    issues:
        What the platform reports as wrong with the group, in sentences.
    """

    name: str
    current: int | None
    desired: int | None
    status: str | None = None
    current_image: str | None = None
    desired_image: str | None = None
    image_status: str | None = None
    software_status: str | None = None
    scripts_s3_uri: str | None = None
    issues: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlatformCluster:
    """The cluster, as the platform reports it.

    Attributes
    ----------
    steady:
        The status is one in which nothing is being created, changed or deleted.
    healthy:
        The status is the one of a cluster in operation.
    """

    name: str
    status: str
    failure: str
    steady: bool
    healthy: bool
    groups: tuple[PlatformGroup, ...] = ()
    issues: tuple[str, ...] = ()
    endpoint: str | None = None
    """Address of the Kubernetes API."""


@dataclass(frozen=True)
class PlatformNode:
    """A node, as the platform reports it.

    Attributes
    ----------
    group:
        The group of the spec; None where the platform does not say.
    instance_id:
        None until EC2 has launched the instance.
    state:
        The platform's word, such as `Running`; `condition` is its meaning.
    """

    group: str | None
    instance_id: str | None
    logical_id: str | None
    hostname: str | None
    instance_type: str
    state: str
    condition: Condition
    message: str = ""
    launched_at: dt.datetime | None = None
    image_status: str | None = None
    lifecycle: str | None = None
    """EC2's lifecycle, such as `spot`; None on HyperPod."""

    address: str | None = None
    """The private address; None on HyperPod."""

    @property
    def name(self) -> str:
        """The name that people use before the scheduler knows the node."""
        return self.hostname or self.instance_id or self.logical_id or "(not launched)"


@dataclass(frozen=True)
class CapacityState:
    """A reservation, Capacity Block or training plan that the spec names.

    Attributes
    ----------
    used, free, total:
        Instances; None if AWS does not return them.
    spares:
        Of a training plan: instances that AWS keeps for replacements.
    unhealthy:
        Of a training plan or Capacity Block: instances out of order.
    interconnect:
        Of a Capacity Block of UltraServers: `ok`, `impaired` or `insufficient-data`.
    health:
        Why the health of a Capacity Block is unknown; None elsewhere.
    """

    id: str
    kind: str
    status: str
    instance_type: str
    zone: str | None
    total: int | None
    used: int | None
    free: int | None
    starts: dt.datetime | None
    ends: dt.datetime | None
    spares: int | None = None
    unhealthy: int | None = None
    interconnect: str | None = None
    health: NotRead | None = None


@dataclass(frozen=True)
class ClusterState:
    """Everything that was read of a cluster, at one time.

    Attributes
    ----------
    stacks:
        Deployed stacks of the environment, in the order of deployment.
    deployed_spec:
        The resolved spec of the last deployment as JSON; None if it is not recorded.
    cluster:
        None if there is no cluster of that name.
    nodes:
        None if there is no cluster of that name.
    scheduler:
        The scheduler's view; its `unknown` says why there is none.
    capacity:
        One entry for each purchase that the spec names; None where AWS does not have it.
    deep_health:
        The last results of HyperPod's own deep health checks, by instance id.
    changed_rules:
        Rules of security groups that were changed outside CloudFormation, in words; None if this
        command does not compare them.
    """

    read_at: dt.datetime
    stacks: tuple[Stack, ...] | NotRead
    deployed_spec: str | NotRead | None
    cluster: PlatformCluster | NotRead | None
    nodes: tuple[PlatformNode, ...] | NotRead | None
    scheduler: SchedulerView
    capacity: dict[str, CapacityState | NotRead | None]
    deep_health: Results | NotRead = field(default_factory=dict)
    changed_rules: tuple[str, ...] | NotRead | None = None
