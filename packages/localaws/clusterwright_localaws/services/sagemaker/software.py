"""UpdateClusterSoftware: a new image for the nodes, all at once or in batches.

The API model (botocore 1.44.5) has the rules: `MaximumBatchSize` instances are replaced at a time,
`WaitIntervalInSeconds` lies between batches, and an alarm in state ALARM rolls the update back, in
batches of `RollbackMaximumBatchSize`. The wait applies where the world's clusters have a delay
(`delays.cluster`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import node_driver, node_faults, rules
from clusterwright_localaws.services.sagemaker.events import record
from clusterwright_localaws.services.sagemaker.state import (
    DEFAULT_IMAGE_RELEASE,
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
)
from clusterwright_localaws.services.sagemaker.updates import require_in_service

DEFAULT_IMAGE = "default"


@operation("sagemaker", "UpdateClusterSoftware")
def update_cluster_software(call: Call) -> Mapping[str, Any]:
    """Replace root volumes with a new image; the nodes keep their ids and addresses."""
    clusters = clusters_of(call)
    request = call.parameters
    cluster = clusters.find(request["ClusterName"])
    require_in_service(cluster, "patched")
    entries = request.get("InstanceGroups") or [{"InstanceGroupName": n} for n in cluster.groups]
    releases = {entry["InstanceGroupName"]: entry.get("ImageReleaseVersion") for entry in entries}
    if len(releases) < len(entries):
        raise rules.invalid("Each instance group can be named once.")
    for name in releases:
        if name not in cluster.groups:
            raise rules.invalid(f"Instance group {name} does not exist in {cluster.name}.")
    groups = [cluster.groups[name] for name in releases]
    _check_images(groups, request.get("ImageId"))
    deployment = request.get("DeploymentConfig")
    _check_alarms(call, deployment)
    for group in groups:
        group.desired_release = latest(group.release, releases[group.name])
        group.desired_image = request.get("ImageId")
        group.software_status = "InProgress"
        group.deployment = deployment
        record(
            cluster,
            f"UpdateClusterSoftware initiated for IG {group.name} in Cluster {cluster.name} "
            f"using {'rolling' if deployment else 'default'} strategy.",
            call.now,
            group=group,
        )
    cluster.status = "SystemUpdating"
    for group in groups:
        group.status = "SystemUpdating"
    nodes = [node for group in groups for node in group.live()]
    rollout = _Rollout(
        clusters, cluster, groups, request.get("ImageId"), deployment or {}, call.account
    )
    rollout.begin(nodes, call.now)
    clusters.advance()
    return {"ClusterArn": cluster.arn}


def latest(current: str, requested: str | None) -> str:
    """Return the release of the nodes: the requested one, or the newest known release."""
    if requested:
        return requested
    return max(current, DEFAULT_IMAGE_RELEASE, key=lambda text: [int(p) for p in text.split(".")])


@dataclass
class _Rollout:
    """One software update that runs in batches."""

    clusters: Clusters
    cluster: Cluster
    groups: Sequence[Group]
    image_id: str | None
    deployment: Mapping[str, Any]
    account: str
    batches: list[list[Node]] = field(default_factory=list)
    done: list[Node] = field(default_factory=list)
    before: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    failure: str | None = None
    failed: list[Node] = field(default_factory=list)

    def begin(self, nodes: Sequence[Node], now: datetime) -> None:
        policy = self.deployment.get("RollingUpdatePolicy") or {}
        size = _size(policy.get("MaximumBatchSize"), len(nodes))
        self.batches = [list(nodes[i : i + size]) for i in range(0, len(nodes), size)] or [[]]
        self.before = {n.logical_id: (n.image_release, n.image_id) for n in nodes}
        self._start(0, now)

    def _start(self, index: int, now: datetime) -> None:
        for node in self.batches[index]:
            if node.gone_at is None:
                release = self.cluster.groups[node.group_name].desired_release
                self._patch(node, release, self._later(now))
        self.cluster.at(self._later(now), lambda when: self._finish(index, when))

    def _finish(self, index: int, when: datetime) -> None:
        batch = self.batches[index]
        if any(node.driven and node.status == "SystemUpdating" for node in batch):
            self.cluster.waiting.append(lambda later: self._finish(index, later))
            return
        for node in batch:
            if node.status == "Failure":
                self.failure = node.message or "A node failed while it was patched."
                self.failed.append(node)
                continue
            group = self.cluster.groups[node.group_name]
            self._take(node, group.desired_release or group.release, self._image(node), when)
            self.done.append(node)
        self.failure = self.failure or self._alarm()
        if self.failure is not None:
            self._fail(when)
        elif index + 1 < len(self.batches):
            self.cluster.at(self._pause(when), lambda due: self._start(index + 1, due))
        else:
            self._end("Succeeded", when)

    def _fail(self, when: datetime) -> None:
        """Go back to the earlier image: lifecycle scripts that fail on the new one, which HyperPod
        tries several times, roll back an update without an alarm, too.
        """
        self.cluster.failure = self.failure
        for group in self.groups:
            group.software_status = "RollbackInProgress"
        policy = self.deployment.get("RollingUpdatePolicy") or {}
        size = _size(
            policy.get("RollbackMaximumBatchSize") or policy.get("MaximumBatchSize"),
            len(self.before),
        )
        nodes = [*self.done, *self.failed]
        self.batches = [nodes[i : i + size] for i in range(0, len(nodes), size)] or [[]]
        self._back(0, when)

    def _back(self, index: int, now: datetime) -> None:
        for node in self.batches[index]:
            self._patch(node, self.before[node.logical_id][0], None)
        self.cluster.at(self._later(now), lambda when: self._gone_back(index, when))

    def _gone_back(self, index: int, when: datetime) -> None:
        batch = self.batches[index]
        if any(node.driven and node.status == "SystemUpdating" for node in batch):
            self.cluster.waiting.append(lambda later: self._gone_back(index, later))
            return
        for node in batch:
            self._take(node, *self.before[node.logical_id], when)
            if node in self.failed and not node.driven:
                lines = [(when, node_faults.DOWNLOADING), (when, node_faults.SUCCEEDED)]
                node_faults.write_log(self.cluster, node, node_faults.LIFECYCLE_STREAM, lines)
        if index + 1 < len(self.batches):
            self._back(index + 1, when)
        else:
            # Observed after failed scripts: Failed (`hyperpod-mental-model.md`).
            self._end("Failed" if self.failed else "RollbackComplete", when)

    def _end(self, status: str, when: datetime) -> None:
        for group in self.groups:
            if status == "Succeeded":
                group.release = group.desired_release or group.release
                if self.image_id == DEFAULT_IMAGE:
                    group.specification.pop("ImageId", None)
                elif self.image_id is not None:
                    group.specification["ImageId"] = self.image_id
            group.desired_release = group.desired_image = None
            group.deployment = None
            group.software_status = status
            if group.status == "SystemUpdating":
                group.status = "InService"
            record(
                self.cluster,
                f"UpdateClusterSoftware completed successfully for IG {group.name} in Cluster "
                f"{self.cluster.name}."
                if status == "Succeeded"
                else f"UpdateClusterSoftware failed for IG {group.name} in Cluster "
                f"{self.cluster.name}.",
                when,
                level="Info" if status == "Succeeded" else "Error",
                group=group,
                metadata=None
                if self.failure is None
                else {"InstanceGroup": {"FailureMessage": self.failure}},
            )
        self.cluster.status = "InService"

    def _patch(self, node: Node, release: str | None, due: datetime | None) -> None:
        if node.status != "Failure":
            node.message = None  # that of a failed try sticks
        node.status = "SystemUpdating"
        node_driver.inform(
            self.clusters,
            self.cluster,
            node,
            "update_software",
            due=due,
            image_release=release or node.image_release,
        )

    def _take(self, node: Node, release: str, image_id: str | None, when: datetime) -> None:
        if node.status == "SystemUpdating":
            node.status = None
        node.image_release = release
        node.image_id = image_id
        node.software_updated_at = when

    def _image(self, node: Node) -> str | None:
        if self.image_id is None:
            return node.image_id
        return None if self.image_id == DEFAULT_IMAGE else self.image_id

    def _alarm(self) -> str | None:
        """Return the first alarm of the deployment in state ALARM."""
        alarms = moto_state.backend("cloudwatch", self.account, self.cluster.region).alarms
        for entry in self.deployment.get("AutoRollbackConfiguration", ()):
            alarm = alarms.get(entry["AlarmName"])
            if alarm is not None and alarm.state_value == "ALARM":
                return f"Alarm {entry['AlarmName']} is in state ALARM."
        return None

    def _later(self, now: datetime) -> datetime:
        return now + timedelta(seconds=self.clusters.runtime.world.delays.cluster)

    def _pause(self, now: datetime) -> datetime:
        if not self.clusters.runtime.world.delays.cluster:
            return now
        return now + timedelta(seconds=self.deployment.get("WaitIntervalInSeconds", 0))


def _size(request: Mapping[str, Any] | None, total: int) -> int:
    if request is None:
        return max(1, total)
    value = int(request["Value"])
    if request["Type"] == "CAPACITY_PERCENTAGE":
        value = ceil(total * value / 100)
    return max(1, min(value, total))


def _check_images(groups: Sequence[Group], image_id: str | None) -> None:
    custom = [
        group.name
        for group in groups
        if group.specification.get("ImageId") not in (None, DEFAULT_IMAGE)
    ]
    if custom and image_id is None:
        # API model: "if an instance group uses a custom AMI, you must provide an ImageId or use
        # the default as input."
        raise rules.invalid(
            f"ImageId is required because of instance groups with a custom AMI: "
            f"{', '.join(custom)}."
        )


def _check_alarms(call: Call, deployment: Mapping[str, Any] | None) -> None:
    for policy in ("MaximumBatchSize", "RollbackMaximumBatchSize"):
        size = ((deployment or {}).get("RollingUpdatePolicy") or {}).get(policy) or {}
        if size.get("Type") == "CAPACITY_PERCENTAGE" and size["Value"] > 100:
            raise rules.invalid(f"{policy} cannot be more than 100 percent.")
    alarms = moto_state.backend("cloudwatch", call.account, call.region).alarms
    for entry in (deployment or {}).get("AutoRollbackConfiguration", ()):
        if entry["AlarmName"] not in alarms:
            raise AwsError(
                "ValidationException", f"The alarm {entry['AlarmName']} does not exist."
            )
