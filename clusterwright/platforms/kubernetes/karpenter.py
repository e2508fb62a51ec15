"""Karpenter in an EKS cluster: a node class and a pool for each group with `max_count`.

Sources: aws/karpenter-provider-aws, documentation of v1.14 (website/content/en/v1.14):
concepts/nodeclasses.md, nodepools.md, disruption.md and nodeoverlays.md, reference/settings.md;
v1.9/tasks/odcrs.md for reservations and capacity blocks; designs/efa-for-static-capacity.md for
`networkInterfaces`.

The `count` nodes of a group are in its managed node groups and always run; Karpenter adds nodes up
to `max_count` and removes its own nodes when they are empty. A node with a job is never removed:
there is no consolidation or expiry, and a change of the class or a new image (drift) replaces no
running node. Idle nodes are removed after ten minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.catalog import Catalog, Known
from clusterwright.catalog.model import Interface
from clusterwright.cluster_spec.karpenter import is_scaled, scaled_groups
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, ComputeGroup, Reservation
from clusterwright.cluster_spec.models.workloads import Job
from clusterwright.platforms.eks import launch_templates
from clusterwright.platforms.eks.user_data import SHELL_SCRIPT, user_data
from clusterwright.platforms.kubernetes import kubelet_wait
from clusterwright.platforms.kubernetes.groups import (
    HUGEPAGES,
    INSTANCE_TYPE,
    UnknownFactError,
    has_efa,
    held_taints,
    node_resources,
    taints,
)
from clusterwright.platforms.kubernetes.objects import Manifest, manifest, object_name
from clusterwright.platforms.tags import ENVIRONMENT_TAG

NAMESPACE: Final = "kube-system"
SERVICE_ACCOUNT: Final = "karpenter"
"""The namespace of the chart, and the service account that it creates (v1.14, getting-started)."""

INSTANCE_PROFILE: Final = "KarpenterInstanceProfile"
SUBNETS: Final = "KarpenterSubnetIds"
SECURITY_GROUPS: Final = "KarpenterSecurityGroupIds"
KEY: Final = "KarpenterKeyArn"
PLACEMENT_GROUPS: Final = "KarpenterPlacementGroups"
"""Outputs of the deployment: ids of the resources with which nodes are launched. The last one is a
JSON object with the name of the placement group by the name of the group in the spec.
"""

NODE_CLASS_GROUP: Final = "karpenter.k8s.aws"
IMAGE: Final = "al2023@latest"
"""The EKS image with the drivers of the type. A new node has the newest, as in a managed node
group; running nodes are not replaced for a new image (see `_DISRUPTION`).
"""

ZONE_ID: Final = "topology.k8s.aws/zone-id"
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
CAPACITY_TYPES: Final = {
    "on-demand": "on-demand",
    "spot": "spot",
    "reservation": "reserved",
    "capacity-block": "reserved",
}
"""Karpenter's capacity type for each kind that EKS supports (odcrs.md: capacity blocks are
selected like reservations).
"""

DO_NOT_DISRUPT: Final = {"karpenter.sh/do-not-disrupt": "true"}
"""Annotation of pods whose node Karpenter must keep (disruption.md, "Pod-Level Controls")."""

CONSOLIDATE_AFTER: Final = "10m"
"""Chosen to be long enough for the next job of a queue to use the node."""

_DISRUPTION: Final[dict[str, Any]] = {
    "consolidationPolicy": "WhenEmpty",
    "consolidateAfter": CONSOLIDATE_AFTER,
    "budgets": [
        # All empty nodes may be removed at once; the default is a tenth of the pool.
        {"nodes": "100%", "reasons": ["Empty"]},
        # `0` for these: a newer image or a changed class applies only to new nodes.
        {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
    ],
}


class UnknownOutputError(Exception):
    """The outputs of the deployment lack `missing`, which is needed to launch nodes."""

    def __init__(self, missing: tuple[str, ...]) -> None:
        super().__init__(", ".join(missing))
        self.missing = missing


@dataclass(frozen=True)
class _Site:
    """Resources of the deployment that Karpenter's nodes use."""

    instance_profile: str
    subnet_ids: tuple[str, ...]
    security_group_ids: tuple[str, ...]
    key_arn: str
    placement_groups: Mapping[str, str]


def queue_name(cluster: Cluster) -> str:
    """Return the queue of EC2's interruption notices."""
    return f"{cluster.environment}-karpenter"


def karpenter_manifests(
    cluster: Cluster, catalog: Catalog, outputs: Mapping[str, str]
) -> Iterator[Manifest]:
    """Return a node class and a pool for each group, and an overlay for huge pages.

    Raises
    ------
    UnknownOutputError
        An id of the deployment is not in `outputs`.
    UnknownFactError
        The catalogue lacks a value for an instance type.
    """
    groups = scaled_groups(cluster)
    if not groups:
        return
    site = _site(cluster, groups, catalog, outputs)
    for group in groups:
        name = object_name(group.name)
        yield _node_class(cluster, group, name, site, catalog)
        yield _pool(cluster, group, name, catalog)
    yield from _overlays(cluster, groups, catalog)


def added_nodes(group: ComputeGroup) -> int:
    """Return the number of nodes that Karpenter may add to the `count` in managed node groups."""
    return max(0, (group.max_count or 0) - group.count)


def pod_annotations(cluster: Cluster, group: ComputeGroup) -> dict[str, str]:
    """Return the annotations of pods of jobs, which keep their nodes until the job ends."""
    scaled = cluster.traits.karpenter_in_cluster and is_scaled(cluster, group)
    return dict(DO_NOT_DISRUPT) if scaled else {}


def chart_values(cluster: Cluster, catalog: Catalog) -> dict[str, Any]:  # noqa: ARG001
    """Values of the chart (aws/karpenter-provider-aws, charts/karpenter/values.yaml, 0003697, and
    its README of 1.8.1; gates: v1.14, reference/settings.md).
    """
    homes = [g for g in cluster.compute if g.count and _takes_controllers(g)]
    system = [g for g in homes if g.role == "system"]
    values: dict[str, Any] = {
        # Two replicas if there is a second node: the chart runs them on different nodes.
        "replicas": min(2, sum(g.count for g in system or homes)) or 1,
        "serviceAccount": {"create": True, "name": SERVICE_ACCOUNT},
        "settings": {
            "clusterName": cluster.environment,
            "interruptionQueue": queue_name(cluster),
            # Without egress neither the Price List nor IAM is reachable.
            "isolatedVPC": is_isolated(cluster),
            "featureGates": {
                "reservedCapacity": True,
                "nodeRepair": cluster.resilience.node_recovery == "automatic",
                "nodeOverlay": True,
                "spotToSpotConsolidation": False,
                "staticCapacity": False,
            },
        },
    }
    if system:
        # In addition to the chart's rule that keeps the controller off nodes that it launches.
        values["nodeSelector"] = {
            "kubernetes.io/os": "linux",
            launch_templates.ROLE_LABEL: "system",
        }
    return values


def is_isolated(cluster: Cluster) -> bool:
    """Return whether AWS is reachable only through interface endpoints."""
    return cluster.network.existing is None and cluster.network.egress == "closed"


def _takes_controllers(group: ComputeGroup) -> bool:
    """Return whether the chart's pods tolerate the group's nodes: they tolerate
    CriticalAddonsOnly.
    """
    return all(
        t.effect == "PreferNoSchedule" or t.key == "CriticalAddonsOnly" for t in group.taints
    )


def _site(
    cluster: Cluster, groups: list[ComputeGroup], catalog: Catalog, outputs: Mapping[str, str]
) -> _Site:
    wanted = [INSTANCE_PROFILE, SUBNETS, SECURITY_GROUPS, KEY]
    placed = [g.name for g in groups if _is_placed(cluster, g, catalog)]
    if placed:
        wanted.append(PLACEMENT_GROUPS)
    missing = tuple(name for name in wanted if not outputs.get(name))
    if missing:
        raise UnknownOutputError(missing)
    placement = json.loads(outputs[PLACEMENT_GROUPS]) if placed else {}
    lost = tuple(f"{PLACEMENT_GROUPS} of {name}" for name in placed if name not in placement)
    if lost:
        raise UnknownOutputError(lost)
    return _Site(
        instance_profile=outputs[INSTANCE_PROFILE],
        subnet_ids=tuple(outputs[SUBNETS].split(",")),
        security_group_ids=tuple(outputs[SECURITY_GROUPS].split(",")),
        key_arn=outputs[KEY],
        placement_groups=placement,
    )


def _image(cluster: Cluster) -> dict[str, Any]:
    """Return the image family, which selects the bootstrap data even for a custom image."""
    if cluster.image.image_id is not None:
        return {"amiFamily": "AL2023", "amiSelectorTerms": [{"id": cluster.image.image_id}]}
    return {"amiSelectorTerms": [{"alias": IMAGE}]}


def _is_placed(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> bool:
    return launch_templates.takes_placement_group(group, cluster.platform, catalog)


def _node_class(
    cluster: Cluster, group: ComputeGroup, name: str, site: _Site, catalog: Catalog
) -> Manifest:
    layout = _layout(group, catalog)
    spec: dict[str, Any] = {
        **_image(cluster),
        # Not `role`: Karpenter would create instance profiles, which requires IAM's endpoint,
        # unreachable from a closed network, and additional permissions.
        "instanceProfile": site.instance_profile,
        "subnetSelectorTerms": [{"id": each} for each in site.subnet_ids],
        "securityGroupSelectorTerms": [{"id": each} for each in site.security_group_ids],
        "networkInterfaces": [
            {
                "networkCardIndex": each.card,
                "deviceIndex": each.device,
                "interfaceType": each.kind,
            }
            for each in layout
        ],
        "blockDeviceMappings": [
            {
                "deviceName": launch_templates.ROOT_DEVICE,
                "rootVolume": True,
                "ebs": {
                    "volumeSize": f"{cluster.kubernetes.node_volume_gib}Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "kmsKeyID": site.key_arn,
                    "deleteOnTermination": True,
                },
            }
        ],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": launch_templates.METADATA_HOPS,
            "httpTokens": "required",
        },
        "tags": {
            "Name": f"{cluster.environment}-{group.name}",
            ENVIRONMENT_TAG: cluster.environment,
            **cluster.tags,
        },
    }
    if layout == (Interface(0, 0, "interface"),):
        # EC2 assigns no public address to an instance with several interfaces, and refuses the
        # key.
        spec["associatePublicIPAddress"] = False
    if isinstance(group.capacity, Reservation | CapacityBlock):
        spec["capacityReservationSelectorTerms"] = [{"id": group.capacity.id}]
    # Other groups in the outputs of an earlier deployment are ignored.
    if _is_placed(cluster, group, catalog):
        spec["placementGroupSelector"] = {"name": site.placement_groups[group.name]}
    if group.scratch is not None:
        spec["instanceStorePolicy"] = "RAID0"
    if kubelet_wait.delays_kubelet(cluster, group):
        spec["userData"] = user_data([(SHELL_SCRIPT, kubelet_wait.script())])
    return manifest(f"{NODE_CLASS_GROUP}/v1", "EC2NodeClass", name, spec=spec)


def _layout(group: ComputeGroup, catalog: Catalog) -> tuple[Interface, ...]:
    layout = launch_templates.interfaces(group, catalog)
    if not isinstance(layout, Known):
        raise UnknownFactError(group.instance_type, "network interfaces")
    return tuple(layout.value)


def _pool(cluster: Cluster, group: ComputeGroup, name: str, catalog: Catalog) -> Manifest:
    held = [taint.model_dump() for taint in held_taints(cluster, group)]
    return manifest(
        "karpenter.sh/v1",
        "NodePool",
        name,
        spec={
            "template": {
                "metadata": {"labels": launch_templates.labels(group)},
                "spec": {
                    "nodeClassRef": {
                        "group": NODE_CLASS_GROUP,
                        "kind": "EC2NodeClass",
                        "name": name,
                    },
                    "expireAfter": "Never",
                    "requirements": [
                        _one_of(INSTANCE_TYPE, group.instance_type),
                        _one_of(ZONE_ID, cluster.network.availability_zone_id),
                        _one_of(CAPACITY_TYPE, CAPACITY_TYPES[group.capacity.kind]),
                    ],
                    **({"taints": taints(group)} if group.taints else {}),
                    # Karpenter expects that something removes these.
                    **({"startupTaints": held} if held else {}),
                },
            },
            "disruption": _DISRUPTION,
            "limits": _limits(group, catalog),
        },
    )


def _one_of(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": [value]}


def _limits(group: ComputeGroup, catalog: Catalog) -> dict[str, str]:
    """Return the limits of what Karpenter may add, as nodes and their resources."""
    nodes, node = added_nodes(group), node_resources(group, catalog)
    devices = {name: str(count * nodes) for name, count in node.devices().items()}
    return {"nodes": str(nodes), "cpu": str(node.cpu_count * nodes), **devices}


def _overlays(
    cluster: Cluster, groups: list[ComputeGroup], catalog: Catalog
) -> Iterator[Manifest]:
    """Return an overlay for huge pages, which EKS images reserve for EFA and Karpenter does not
    count.

    Without it no node is launched for a pod that requests them: "no instance type satisfied
    resources" (aws/karpenter-provider-aws #3315). One for each type, as Karpenter matches them by
    it.
    """
    pages: dict[str, int] = {}
    for group in groups:
        if group.role == "compute" and has_efa(group, catalog):
            asked = [j.hugepages_mib for j in _jobs_of(cluster, group)]
            default = Job.model_fields["hugepages_mib"].default
            most = max([*asked, int(default)])
            pages[group.instance_type] = max(pages.get(group.instance_type, 0), most)
    for instance_type, mib in sorted(pages.items()):
        yield manifest(
            "karpenter.sh/v1alpha1",
            "NodeOverlay",
            object_name("hugepages", instance_type),
            spec={
                "requirements": [_one_of(INSTANCE_TYPE, instance_type)],
                "capacity": {HUGEPAGES: f"{mib}Mi"},
            },
        )


def _jobs_of(cluster: Cluster, group: ComputeGroup) -> list[Job]:
    return [job for job in cluster.kubernetes.workloads.jobs if job.group == group.name]
