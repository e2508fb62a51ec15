"""Provisioning of nodes: capacity, addresses and lifecycle scripts, and their failures.

AWS's guide page "Continuous provisioning for enhanced cluster operations with Slurm" is the source
of the two models: all or nothing (the default), and continuous, where the controller and one login
node determine the cluster's status and workers are retried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.ec2.network import AddressesExhaustedError, User
from clusterwright_localaws.services.s3.world_buckets import find_bucket
from clusterwright_localaws.services.sagemaker import node_driver, plans
from clusterwright_localaws.services.sagemaker.closed_networks import reaches_s3
from clusterwright_localaws.services.sagemaker.events import PAIR_GAP, record
from clusterwright_localaws.services.sagemaker.node_faults import (
    LIFECYCLE_FAILED,
    NO_CAPACITY,
    without_capacity,
)
from clusterwright_localaws.services.sagemaker.role_rights import may_fetch
from clusterwright_localaws.services.sagemaker.state import (
    NEVER,
    Cluster,
    Clusters,
    Group,
    Node,
    new_instance_id,
    new_uuid,
)

# AWS's guide page "Migrating to API-driven Slurm configuration", troubleshooting.
BOTH_CONFIGURATIONS = (
    "The LifeCycleConfig cannot include both a SLURM Orchestrator Config and a "
    "provisioning_parameters.json file simultaneously."
)
PROVISIONING_PARAMETERS = "provisioning_parameters.json"
_PRIORITY = {"Controller": 0, "Login": 1}


@dataclass
class Shortage:
    """Why a group has fewer nodes than its target."""

    group: Group
    missing: int
    message: str
    # A retry cannot resolve it: the request itself has to change.
    final: bool


def provision(
    clusters: Clusters,
    cluster: Cluster,
    groups: Iterable[Group],
    *,
    types: Sequence[str] = (),
    zones: Sequence[str] = (),
) -> list[Shortage]:
    """Launch missing nodes of `groups`, controller first; return the shortages.

    `types` (SageMaker's names) and `zones` (names) restrict those of the groups.
    """
    groups = list(groups)
    shortages = []
    for group in sorted(groups, key=lambda g: _PRIORITY.get(g.slurm_role or "", 2)):
        missing = group.target_count - len(group.live())
        if missing <= 0:
            continue
        if _waits_for_plan(clusters, cluster, group):
            continue
        problem = lifecycle_problem(clusters, group) or _closed(clusters, cluster, group)
        if problem is not None:
            shortages.append(Shortage(group, missing, problem, final=True))
            continue
        refused = without_capacity(clusters, cluster, group, missing)
        shortage = _launch(clusters, cluster, group, missing - refused, types, zones)
        if refused:
            shortage = shortage or Shortage(group, 0, NO_CAPACITY, final=False)
            shortage.missing += refused
        if shortage is not None:
            shortages.append(shortage)
    for shortage in shortages:
        _record_shortage(clusters, cluster, shortage)
    if cluster.continuous:
        for group in groups:
            group.expect()
    return shortages


def _waits_for_plan(clusters: Clusters, cluster: Cluster, group: Group) -> bool:
    """Return whether a group's plan has not started: its instances launch then, and the group is
    InService.

    API model, CreateTrainingPlan: "When the plan start date arrives, it becomes Active [...]
    Instance groups are provisioned." AWS's page "View training plan details": "the instance group
    status appears as InService once created."
    """
    if group.plan_arn is None:
        return False
    plan = plans.plan_in(clusters.runtime, clusters.account, clusters.region, group.plan_arn)
    now = clusters.runtime.clock.now()
    if plan is None or plan.status_at(now) != "Scheduled":
        return False
    if plan.start > now and group.begins_at != plan.start:
        group.begins_at = plan.start

        def begin(_: datetime) -> None:
            if cluster.groups.get(group.name) is group and cluster.status != "Deleting":
                provision(clusters, cluster, [group])

        cluster.at(plan.start, begin)
    return True


def remove(clusters: Clusters, cluster: Cluster, group: Group, nodes: Sequence[Node]) -> None:
    """Terminate nodes: they are deleted after the delay, or when their driver reports it."""
    now = clusters.runtime.clock.now()
    timed: dict[datetime, set[str]] = {}
    for node in nodes:
        record(
            cluster,
            f"Termination of EC2 Instance {node.instance_id} is currently in progress in Cluster "
            f"{cluster.name} and IG {group.name}",
            now,
            group=group,
            node=node,
        )
        gone_at = node_driver.stop(clusters, cluster, node)
        if gone_at is not None:
            timed.setdefault(gone_at, set()).add(node.instance_id)
    for gone_at, doomed in timed.items():
        cluster.at(gone_at, _forgetting(clusters, cluster, doomed))
    clusters.advance()


def _forgetting(
    clusters: Clusters, cluster: Cluster, instance_ids: set[str]
) -> Callable[[datetime], None]:
    return lambda _: clusters.forget_nodes(cluster, instance_ids)


def clear(
    clusters: Clusters, cluster: Cluster, due: datetime, then: Callable[[datetime], None]
) -> None:
    """Terminate every node of a cluster; continue at `due`, or when the last driven node is
    gone.
    """
    for group in cluster.groups.values():
        driven = [node for node in group.live() if node.driven]
        if driven:
            remove(clusters, cluster, group, driven)

    def look(when: datetime) -> None:
        if any(node.driven and node.gone_at == NEVER for node in cluster.nodes()):
            cluster.waiting.append(look)
            return
        for group in cluster.groups.values():
            clusters.forget_nodes(cluster, {node.instance_id for node in group.nodes})
        then(when)

    cluster.at(due, look)
    clusters.advance()


def use_network(clusters: Clusters, cluster: Cluster) -> None:
    """Record which security groups and subnets the cluster's nodes use."""
    configs = [cluster.request.get("VpcConfig")]
    configs += [group.specification.get("OverrideVpcConfig") for group in cluster.groups.values()]
    found = [config for config in configs if config]
    clusters.network.use(
        cluster.arn,
        User(
            f"HyperPod cluster {cluster.name}",
            tuple(dict.fromkeys(g for c in found for g in c["SecurityGroupIds"])),
            tuple(dict.fromkeys(s for c in found for s in c["Subnets"])),
        ),
    )


def lifecycle_problem(clusters: Clusters, group: Group) -> str | None:
    """Return why the lifecycle scripts of a group cannot run, or `None`."""
    config = group.specification.get("LifeCycleConfig") or {}
    uri = config.get("SourceS3Uri")
    if not uri:
        return None
    entries = [item for item in (config.get("OnCreate"), config.get("OnInitComplete")) if item]
    for entry in entries:
        if not _object_exists(uri, entry):
            return LIFECYCLE_FAILED
    role = str(group.specification["ExecutionRole"])
    if not may_fetch(clusters.runtime, clusters.region, role, uri, entries):
        return LIFECYCLE_FAILED
    if group.slurm_role and _object_exists(uri, PROVISIONING_PARAMETERS):
        return BOTH_CONFIGURATIONS
    return None


def _closed(clusters: Clusters, cluster: Cluster, group: Group) -> str | None:
    """Return why a group's nodes cannot fetch its scripts, or `None`."""
    closed = [seed.id for seed in clusters.runtime.world.subnets if seed.closed]
    if not closed or not (group.specification.get("LifeCycleConfig") or {}).get("SourceS3Uri"):
        return None
    subnets = [subnet for subnet in _subnets(clusters, cluster, group) if subnet.id]
    return None if reaches_s3(clusters.network, subnets, closed) else LIFECYCLE_FAILED


def _object_exists(uri: str, name: str) -> bool:
    parts = urlsplit(uri)
    if parts.scheme != "s3":  # the model also allows https, which is not checked
        return True
    bucket = find_bucket(parts.netloc)
    if bucket is None:
        return False
    key = "/".join(part for part in (parts.path.strip("/"), name) if part)
    return key in bucket.keys


def _launch(
    clusters: Clusters,
    cluster: Cluster,
    group: Group,
    requested: int,
    types: Sequence[str],
    zones: Sequence[str],
) -> Shortage | None:
    subnets = [
        subnet
        for subnet in _subnets(clusters, cluster, group)
        if not zones or subnet.availability_zone in zones
    ]
    message = ""
    final = False
    left = requested
    for name in types or group.instance_types:
        ec2_type = catalog_facts.ec2_name(name)
        each = catalog_facts.addresses_per_node(ec2_type, cluster.platform)
        for subnet in subnets:
            if left == 0:
                return None
            zone_id = subnet.availability_zone_id
            offered = catalog_facts.offered_in(
                clusters.runtime.world, ec2_type, clusters.region, zone_id
            )
            if offered is False:
                continue
            capacity = _capacity(clusters, ec2_type, zone_id)
            count = left if capacity is None else min(left, capacity)
            if count < left:
                # Message of the example in "SageMaker HyperPod cluster events reference".
                message = (
                    f"We currently do not have sufficient capacity to launch new {name} "
                    "instances. Please try again."
                )
                final = False
            fitting = _fitting(clusters, subnet, each)
            if fitting is not None and fitting < count:
                message = (
                    f"Subnet {subnet.id} does not have enough free IP addresses: {count} × {name} "
                    f"need {count * each}, {clusters.network.free_addresses(subnet)} are free."
                )
                final = True
                count = fitting
            if count:
                _add_nodes(clusters, cluster, group, name, subnet, count, each)
                left -= count
    if left == 0:
        return None
    return Shortage(group, left, message or f"{group.instance_types[0]} is not available", final)


def _fitting(clusters: Clusters, subnet: Any, each: int) -> int | None:
    """Return how many nodes a subnet has addresses for; `None` in the service's own VPC."""
    if not subnet.id:
        return None
    return clusters.network.free_addresses(subnet) // each


def _subnets(clusters: Clusters, cluster: Cluster, group: Group) -> list[Any]:
    config = group.specification.get("OverrideVpcConfig") or cluster.request.get("VpcConfig")
    if not config:
        return [_platform_subnet(clusters, group)]
    return [clusters.network.subnet(subnet_id) for subnet_id in config["Subnets"]]


class _PlatformSubnet:
    """The VPC of the service, which uses no addresses of the account."""

    def __init__(self, zone_name: str, zone_id: str) -> None:
        self.id = ""
        self.availability_zone = zone_name
        self.availability_zone_id = zone_id


def _platform_subnet(clusters: Clusters, group: Group) -> Any:
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    zones = RegionsAndZonesBackend.zones[clusters.region]
    for zone in zones:
        offered = catalog_facts.offered_in(
            clusters.runtime.world,
            catalog_facts.ec2_name(group.instance_types[0]),
            clusters.region,
            zone.zone_id,
        )
        if offered is not False:
            return _PlatformSubnet(zone.name, zone.zone_id)
    return _PlatformSubnet(zones[0].name, zones[0].zone_id)


def _capacity(clusters: Clusters, instance_type: str, zone_id: str) -> int | None:
    """Return the world's capacity in a zone, without the nodes that run there."""
    limit = clusters.runtime.world.free_capacity(instance_type, zone_id)
    if limit is None:
        return None
    running = sum(
        1
        for _, _, found in clusters.runtime.stores("sagemaker-clusters")
        for cluster in found.by_name.values()
        for node in cluster.nodes()
        if node.zone_id == zone_id and catalog_facts.ec2_name(node.instance_type) == instance_type
    )
    return max(0, limit - running)


def _add_nodes(
    clusters: Clusters,
    cluster: Cluster,
    group: Group,
    instance_type: str,
    subnet: Any,
    count: int,
    each: int,
) -> None:
    ranges = _per_node(clusters, subnet, count, each)
    now = clusters.runtime.clock.now()
    image_id = group.specification.get("ImageId")
    for taken in ranges:
        node = Node(
            instance_id=new_instance_id(),
            logical_id=group.awaited.pop(0) if group.awaited else new_uuid(),
            number=group.next_number,
            group_name=group.name,
            instance_type=instance_type,
            subnet_id=subnet.id,
            zone_name=subnet.availability_zone,
            zone_id=subnet.availability_zone_id,
            addresses=taken,
            launched_at=now,
            ready_at=now,
            image_release=group.release,
            image_id=image_id if image_id not in (None, "default") else None,
        )
        group.next_number += 1
        group.nodes.append(node)
        record(
            cluster,
            f"EC2 Instance {node.instance_id} successfully provisioned in Cluster {cluster.name} "
            f"and IG {group.name}",
            now,
            group=group,
            node=node,
            metadata={"Instance": {"NodeLogicalId": node.logical_id}},
        )
        checks = tuple(group.specification.get("OnStartDeepHealthChecks", ()))
        node_driver.start(clusters, cluster, node, "create", checks=checks)
        if checks and not node.driven:
            node.checked_until = node.ready_at + timedelta(
                seconds=clusters.runtime.world.delays.node
            )


def _per_node(
    clusters: Clusters, subnet: Any, count: int, each: int
) -> list[tuple[tuple[int, int], ...]]:
    if not subnet.id:
        # An address of the service's own VPC, from the shared range (RFC 6598).
        base = int.from_bytes(bytes([100, 64, 0, 0]), "big")
        return [((base + n, base + n + 1),) for n in random.sample(range(4, 4_000_000), count)]
    try:
        rest = clusters.network.take(subnet, count * each)
    except AddressesExhaustedError as error:  # `_launch` has counted
        raise AssertionError(str(error)) from error
    found: list[tuple[tuple[int, int], ...]] = []
    current: list[tuple[int, int]] = []
    missing = each
    for start, end in rest:
        position = start
        while position < end:
            got = min(missing, end - position)
            current.append((position, position + got))
            position += got
            missing -= got
            if missing == 0:
                found.append(tuple(current))
                current, missing = [], each
    return found


def _record_shortage(clusters: Clusters, cluster: Cluster, shortage: Shortage) -> None:
    now = clusters.runtime.clock.now()
    record(
        cluster,
        f"Failed to provision EC2 Instance in Cluster {cluster.name} and IG {shortage.group.name}",
        now,
        level="Error",
        group=shortage.group,
        metadata={
            "InstanceGroup": {
                "FailureMessage": shortage.message,
                **group_metadata(clusters, cluster, shortage.group),
            }
        },
    )
    # The second event of the pair: its resource is the instance that was not created.
    record(
        cluster,
        f"Instance creation in Cluster {cluster.name} and InstanceGroup {shortage.group.name} "
        "failed",
        now + PAIR_GAP,
        level="Error",
        group=shortage.group,
        about_instance=True,
        metadata={"Instance": {"FailureMessage": shortage.message}},
    )


def group_metadata(clusters: Clusters, cluster: Cluster, group: Group) -> dict[str, Any]:
    """Return where a group's instances are, as its events have it."""
    config = group.specification.get("OverrideVpcConfig") or cluster.request.get("VpcConfig")
    found: dict[str, Any] = {}
    if config:
        subnet = clusters.network.subnet(config["Subnets"][0])
        found = {
            "SubnetId": config["Subnets"][0],
            "SecurityGroupIds": list(config["SecurityGroupIds"]),
        }
        if subnet is not None:
            found["AvailabilityZoneId"] = subnet.availability_zone_id
    image = group.specification.get("ImageId")
    if image not in (None, "default"):
        found["AmiOverride"] = image
    return found
