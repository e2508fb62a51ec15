"""State of HyperPod: clusters, instance groups and nodes."""

from __future__ import annotations

import secrets
import string
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.catalog_facts import ec2_name
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.network import Network, Range, network_of
from clusterwright_localaws.services.sagemaker.records import ClusterOperation, Extension

# The release of nodes without a pinned version: a placeholder, since AWS's numbers are not
# sourced.
DEFAULT_IMAGE_RELEASE = "0.0.1"
# The time of a node whose driver has not reported yet.
NEVER = datetime.max.replace(tzinfo=UTC)
_ID_LETTERS = string.ascii_lowercase + string.digits


@dataclass(slots=True)
class Node:
    """One instance of a cluster. Slots, since a cluster has thousands."""

    instance_id: str
    logical_id: str
    number: int
    group_name: str
    instance_type: str
    subnet_id: str
    zone_name: str
    zone_id: str
    addresses: tuple[Range, ...]
    launched_at: datetime
    ready_at: datetime
    image_release: str
    image_id: str | None
    # Set by events of the node; without it the clock decides between Pending and Running.
    status: str | None = None
    message: str | None = None
    gone_at: datetime | None = None
    checked_until: datetime | None = None
    software_updated_at: datetime | None = None
    # Whether a driver runs it (`node_driver`), and whether it has been Running since its launch.
    driven: bool = False
    settled: bool = False

    @property
    def primary_address(self) -> int:
        return self.addresses[0][0]

    def status_at(self, now: datetime) -> str:
        if self.gone_at is not None:
            return "ShuttingDown"
        if self.status is not None:
            return self.status
        if now < self.ready_at:
            return "Pending"
        if self.checked_until is not None and now < self.checked_until:
            return "DeepHealthCheckInProgress"
        return "Running"


@dataclass
class Group:
    """One instance group: its specification and its nodes."""

    specification: dict[str, Any]
    target_count: int
    min_count: int | None = None
    status: str = "Creating"
    nodes: list[Node] = field(default_factory=list)
    next_number: int = 1
    failure: str | None = None
    restricted: bool = False
    software_status: str | None = None
    release: str = DEFAULT_IMAGE_RELEASE
    # Logical ids of nodes that a continuous cluster still waits for.
    awaited: list[str] = field(default_factory=list)
    # When its training plan starts, once that is scheduled.
    begins_at: datetime | None = None
    # The DeploymentConfig of a software update in progress.
    deployment: Mapping[str, Any] | None = None
    desired_release: str | None = None
    desired_image: str | None = None
    before_rollback: tuple[int, int | None] = (0, None)
    # The labels and taints that its nodes have, while an update changes them.
    kubernetes_before: Mapping[str, Any] | None = None
    # The scaling in progress, which its events name.
    operation_id: str | None = None

    @property
    def name(self) -> str:
        return str(self.specification["InstanceGroupName"])

    @property
    def instance_types(self) -> list[str]:
        """SageMaker's names (`ml.…`), in the order of priority."""
        single = self.specification.get("InstanceType")
        if single:
            return [str(single)]
        return list(self.specification["InstanceRequirements"]["InstanceTypes"])

    @property
    def plan_arn(self) -> str | None:
        return self.specification.get("TrainingPlanArn")

    @property
    def spot(self) -> bool:
        return "Spot" in (self.specification.get("CapacityRequirements") or {})

    @property
    def slurm_role(self) -> str | None:
        return (self.specification.get("SlurmConfig") or {}).get("NodeType")

    def expect(self) -> None:
        """Name the awaited nodes, and drop the names that are no longer awaited."""
        missing = max(0, self.target_count - len(self.live()))
        self.awaited = self.awaited[:missing]
        self.awaited += [new_uuid() for _ in range(missing - len(self.awaited))]

    def live(self) -> list[Node]:
        return [node for node in self.nodes if node.gone_at is None]


@dataclass
class Cluster:
    """One HyperPod cluster."""

    name: str
    arn: str
    account: str
    region: str
    created_at: datetime
    request: dict[str, Any]
    groups: dict[str, Group] = field(default_factory=dict)
    status: str = "Creating"
    failure: str | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    # Scheduled actions: (time, action), sorted by time.
    scheduled: list[tuple[datetime, Callable[[datetime], None]]] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)
    # Checks that run when a node's driver reports.
    waiting: list[Callable[[datetime], None]] = field(default_factory=list)
    # When failed launches are retried.
    retrying: bool = False
    # A failure of the creation that does not depend on nodes.
    doomed: str | None = None
    # Nodes with a driver, by instance id, for thousands of reports.
    driven: dict[str, Node] = field(default_factory=dict)
    operations: list[ClusterOperation] = field(default_factory=list)
    # Answers of ListClusterNodes by request, while they are repeated (`delays.node_list`).
    listed: dict[str, tuple[datetime, Mapping[str, Any]]] = field(default_factory=dict)
    # Events of the world that it has.
    seeded: set[str] = field(default_factory=set)
    # By ARN.
    extensions: dict[str, Extension] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.arn.rsplit("/", 1)[-1]

    @property
    def continuous(self) -> bool:
        return self.request.get("NodeProvisioningMode") == "Continuous"

    @property
    def eks_arn(self) -> str | None:
        """Return the ARN of the Amazon EKS cluster that orchestrates it."""
        eks = (self.request.get("Orchestrator") or {}).get("Eks") or {}
        return eks.get("ClusterArn")

    @property
    def platform(self) -> str:
        return "hyperpod-eks" if self.eks_arn else "hyperpod-slurm"

    @property
    def provisioning(self) -> bool:
        return self.status in ("Creating", "Updating", "Deleting", "RollingBack", "SystemUpdating")

    def nodes(self) -> Iterator[Node]:
        for group in self.groups.values():
            yield from group.nodes

    def instance(self, instance_id: str) -> Node | None:
        """Return a node with a driver by its instance id."""
        return self.driven.get(instance_id)

    def wake(self, now: datetime) -> None:
        """Run the checks that wait for reports of nodes."""
        waiting, self.waiting = self.waiting, []
        for look in waiting:
            look(now)

    def at(self, when: datetime, what: Callable[[datetime], None]) -> None:
        """Schedule an action at a time; actions due at the same time keep their order."""
        self.scheduled.append((when, what))
        self.scheduled.sort(key=lambda entry: entry[0])


# Called with the clusters and the time whenever time passes, before what is scheduled.
WATCHERS: list[Callable[[Clusters, datetime], None]] = []


class Clusters:
    """Every cluster of one account and region."""

    def __init__(self, runtime: Runtime, account: str, region: str) -> None:
        self.runtime = runtime
        self.account = account
        self.region = region
        self.by_name: dict[str, Cluster] = {}

    @property
    def network(self) -> Network:
        return network_of(self.runtime, self.account, self.region)

    def advance(self) -> None:
        """Run every action that is due."""
        now = self.runtime.clock.now()
        for watch in WATCHERS:
            watch(self, now)
        for cluster in list(self.by_name.values()):
            while cluster.scheduled and cluster.scheduled[0][0] <= now:
                when, what = cluster.scheduled.pop(0)
                what(when)

    def find(self, name_or_arn: str) -> Cluster:
        """Return a cluster by name or ARN.

        Raises
        ------
        AwsError
            ResourceNotFound.
        """
        self.advance()
        for cluster in self.by_name.values():
            if name_or_arn in (cluster.name, cluster.arn):
                return cluster
        raise AwsError("ResourceNotFound", f"Cluster with name {name_or_arn} does not exist.")

    def forget_nodes(self, cluster: Cluster, instance_ids: set[str]) -> None:
        """Remove terminated nodes, and release their addresses."""
        for group in cluster.groups.values():
            gone = [node for node in group.nodes if node.instance_id in instance_ids]
            for node in gone:
                self.network.give_back(node.subnet_id, node.addresses)
                cluster.driven.pop(node.instance_id, None)
            if gone:
                group.nodes = [n for n in group.nodes if n.instance_id not in instance_ids]

    def settle_at(self) -> datetime:
        """Return when an operation that starts now ends."""
        return self.runtime.clock.now() + timedelta(seconds=self.runtime.world.delays.cluster)

    def node_ready_at(self) -> datetime:
        return self.runtime.clock.now() + timedelta(seconds=self.runtime.world.delays.node)


def clusters_of(call: Call) -> Clusters:
    """Return the clusters of the caller's account and region, with due actions run."""
    found = store(call.runtime, call.account, call.region)
    found.advance()
    return found


def store(runtime: Runtime, account: str, region: str) -> Clusters:
    return runtime.store(
        "sagemaker-clusters", account, region, lambda: Clusters(runtime, account, region)
    )


def log_group_name(cluster: Cluster) -> str:
    """Return the name of the log group of a cluster's nodes."""
    return f"/aws/sagemaker/Clusters/{cluster.name}/{cluster.id}"


def new_cluster_id() -> str:
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(12))


def new_instance_id() -> str:
    return "i-" + secrets.token_hex(9)[:17]


def new_uuid() -> str:
    return str(uuid.uuid4())


def find_node(cluster: Cluster, *, instance_id: str | None, logical_id: str | None) -> Node | None:
    for node in cluster.nodes():
        if node.instance_id == instance_id or (logical_id and node.logical_id == logical_id):
            return node
    return None


def count_nodes(
    runtime: Runtime,
    account: str,
    region: str,
    counts: Callable[[Cluster, Group], bool],
) -> int:
    """Return the target instances of clusters, including those that are not launched yet."""
    return sum(
        max(group.target_count, len(group.live()))
        for cluster in store(runtime, account, region).by_name.values()
        for group in cluster.groups.values()
        if counts(cluster, group)
    )


def of_type(instance_type: str, *, spot: bool) -> Callable[[Cluster, Group], bool]:
    """Yield groups of an EC2 type that count against its on-demand or Spot quota, without a
    plan.
    """

    def counts(_: Cluster, group: Group) -> bool:
        return (
            group.plan_arn is None
            and group.spot == spot
            and ec2_name(group.instance_types[0]) == instance_type
        )

    return counts


def specification_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group's specification without the counts, which the group keeps itself."""
    return {
        key: value
        for key, value in parameters.items()
        if key not in ("InstanceCount", "MinInstanceCount", "CurrentCount")
    }
