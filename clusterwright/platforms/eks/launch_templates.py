"""Contents of the launch templates of EKS node groups: interfaces, placement, image.

ParallelCluster writes its own launch templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.catalog import Catalog, Fact, Known, Unknown, load_catalog
from clusterwright.catalog.model import InstanceType, Interface
from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.accelerators import family
from clusterwright.platforms.kubernetes import control_plane
from clusterwright.platforms.kubernetes.control_plane import (
    MAXIMUM_NODE_GROUPS,
    MAXIMUM_NODES_PER_GROUP,
)
from clusterwright.platforms.registry import traits_of
from clusterwright.platforms.traits import PLACEMENT_GROUP_REFUSED_WITH

ROOT_DEVICE: Final = "/dev/xvda"
"""Root device of Amazon Linux 2023 (EC2 user guide, "Device names for volumes")."""

IMAGES: Final = {
    ("x86_64", "none"): "AL2023_x86_64_STANDARD",
    ("arm64", "none"): "AL2023_ARM_64_STANDARD",
    ("x86_64", "nvidia"): "AL2023_x86_64_NVIDIA",
    ("arm64", "nvidia"): "AL2023_ARM_64_NVIDIA",
    ("x86_64", "neuron"): "AL2023_x86_64_NEURON",
}
"""EKS image by architecture and accelerator (EKS API, AMITypes, botocore 1.44.5)."""

METADATA_HOPS: Final = 1
"""Responses of the metadata service reach the node itself and pods in its network namespace only:
any other pod could use the node's role. Add-ons have separate roles.
"""


def interfaces(group: ComputeGroup, catalog: Catalog) -> Fact[tuple[Interface, ...]]:
    """Return the network interfaces of an instance of a group, ordered by card and device.

    Groups that run jobs have EFA interfaces if the type supports them, other groups a plain
    interface. By default all but the first are `efa-only`, which have no address; with
    `network_interface: efa` they have addresses, and so has the first one if card 0 supports EFA.
    """
    layout = catalog.interface_layout(group.instance_type)
    if group.role != "compute":
        # A plain interface needs no source: every type has a card 0 and a device 0.
        return Known((Interface(0, 0, "interface"),), "EC2 API, RunInstances", "2026-11-20")
    if isinstance(layout, Unknown) or group.network_interface != "efa":
        return layout
    return Known(tuple(_with_addresses(layout.value)), layout.source, layout.date, layout.note)


def _with_addresses(layout: Iterable[Interface]) -> Iterator[Interface]:
    """Return the layout with an address for every EFA interface, as before `efa-only` existed."""
    found = list(layout)
    on_first_card = [each for each in found if each.card == 0 and each.kind != "interface"]
    for each in found:
        if each.card == 0 and each.device == 0:
            yield Interface(0, 0, "efa") if on_first_card else each
        elif each.card:
            yield Interface(each.card, each.device, "efa")


def problems_of(layout: Iterable[Interface], instance: InstanceType) -> Iterator[str]:
    """Yield the reasons why EC2 refuses a layout, or why the layout does not use the whole type.

    Sources: EC2 user guide, "Network cards" and "Elastic Fabric Adapter"; the counts are those of
    DescribeInstanceTypes.
    """
    found = list(layout)
    places = [(each.card, each.device) for each in found]
    for place in sorted({place for place in places if places.count(place) > 1}):
        yield f"card {place[0]} has two interfaces on device {place[1]}"
    first = [each for each in found if (each.card, each.device) == (0, 0)]
    if not first:
        yield "card 0 has no interface on device 0, which is the primary interface"
    elif first[0].kind == "efa-only":
        yield "the primary interface is efa-only: it would have no address"
    yield from _of_cards(found, instance)


def _of_cards(found: list[Interface], instance: InstanceType) -> Iterator[str]:
    cards, efa = instance.network_cards, instance.efa_interfaces
    if isinstance(cards, Known):
        for card in sorted({each.card for each in found if each.card >= cards.value}):
            yield f"the type has {cards.value} network cards, and no card {card}"
    with_efa = [each for each in found if each.kind != "interface"]
    if isinstance(efa, Known) and len(with_efa) > efa.value:
        yield f"{len(with_efa)} EFA interfaces: the type supports {efa.value}"
    if (
        isinstance(efa, Known)
        and isinstance(cards, Known)
        and efa.value < cards.value
        and any(each.card == 0 for each in with_efa)
    ):
        yield "card 0 does not support EFA"
    for number in sorted({each.card for each in found}):
        most = instance.interfaces_max_other_cards if number else instance.interfaces_max_card0
        count = sum(1 for each in found if each.card == number)
        if isinstance(most, Known) and count > most.value:
            yield f"card {number} supports {most.value} interfaces, not {count}"


GROUP_LABEL: Final = "clusterwright.dev/group"
ROLE_LABEL: Final = "clusterwright.dev/role"
"""Names of the labels of every node: the group and its role in the spec."""


def labels(group: ComputeGroup) -> dict[str, str]:
    """Return the labels of a group's nodes: those of the spec, the group's name and its role."""
    return {**group.labels, GROUP_LABEL: group.name, ROLE_LABEL: group.role}


def addresses(layout: Iterable[Interface]) -> int:
    """Return the number of addresses of an instance at launch, one for each interface with an
    address.
    """
    return sum(1 for each in layout if each.kind != "efa-only")


def image_type(instance_type: str, catalog: Catalog) -> str | None:
    """Return the EKS image type for an instance type; None if there is none or it is unknown."""
    instance = catalog.instance(instance_type)
    if instance is None or not isinstance(instance.architecture, Known):
        return None
    return IMAGES.get((instance.architecture.value, family(instance_type, catalog)))


def takes_placement_group(group: ComputeGroup, platform: str, catalog: Catalog) -> bool:
    """Return whether a group has a separate cluster placement group.

    By default: groups with EFA and on-demand capacity. A reservation has a fixed placement or
    placement group, and with another group some of its instances would stay unused
    (eksctl-io/eksctl#7949); Spot capacity is scarcer within one.
    """
    kind = group.capacity.kind
    if not traits_of(platform).placement_groups or kind in PLACEMENT_GROUP_REFUSED_WITH:
        return False
    if group.placement_group is not None:
        return group.placement_group
    instance = catalog.instance(group.instance_type)
    efa = instance.efa_interfaces if instance else None
    takes = instance.placement_group_cluster if instance else None
    return (
        group.role == "compute"
        and kind == "on-demand"
        and isinstance(efa, Known)
        and efa.value > 0
        and not (isinstance(takes, Known) and not takes.value)
    )


CapacityType = Literal["ON_DEMAND", "SPOT", "CAPACITY_BLOCK"]

CAPACITY_TYPES: Final[dict[str, CapacityType]] = {
    "on-demand": "ON_DEMAND",
    "reservation": "ON_DEMAND",
    "spot": "SPOT",
    "capacity-block": "CAPACITY_BLOCK",
}
"""The node group's capacity type for each kind that EKS supports (EKS API, CapacityTypes)."""


@dataclass(frozen=True)
class NodeGroup:
    """A managed node group: a part of a group, with at most as many nodes as EKS allows."""

    name: str
    least: int
    wanted: int
    most: int


def node_groups(group: ComputeGroup, *, karpenter: bool = False) -> list[NodeGroup]:
    """Return the node groups of one group of the spec: the first ones are full, so that growth
    changes only the last.

    Without `min_count` a group never shrinks automatically, without `max_count` it never grows. If
    Karpenter adds nodes up to `max_count` (`karpenter`), node groups have exactly `count` nodes,
    and there is none for 0: two autoscalers of one group would conflict.
    """
    most = max(group.count if karpenter else group.max_count or group.count, group.count, 1)
    if karpenter and not group.count:
        return []
    least = group.count if group.min_count is None else group.min_count
    found = []
    for index, start in enumerate(range(0, most, MAXIMUM_NODES_PER_GROUP), start=1):
        room = min(MAXIMUM_NODES_PER_GROUP, most - start)
        found.append(
            NodeGroup(
                group.name if index == 1 else f"{group.name}-{index}",
                least=max(0, min(room, least - start)),
                wanted=max(0, min(room, group.count - start)),
                most=room,
            )
        )
    return found


def all_node_groups(cluster: Cluster) -> list[NodeGroup]:
    """Return every node group of a cluster, in the order of the spec."""
    return [
        each
        for group in cluster.compute
        for each in node_groups(group, karpenter=is_scaled(cluster, group))
    ]


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield what launch templates and node groups cannot express.

    Unknown network cards, no image, too many node groups.
    """
    catalog = load_catalog()
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index, "instance_type")
        yield from interface_problems(group, index, catalog)
        if is_scaled(cluster, group) and _has_efa(group, catalog):
            yield Problem(
                f"the interfaces of {group.instance_type} have the type `efa`, and "
                "Karpenter's node classes support `interface` and `efa-only`",
                here,
                hint="remove max_count and change count instead",
                other_path=("kubernetes", "autoscaling"),
            )
        if cluster.image.image_id is None and image_type(group.instance_type, catalog) is None:
            yield Problem(
                f"EKS provides no image for {group.instance_type}",
                here,
                hint="image.image_id: a custom image",
            )
        yield from core_problems(group, index, catalog)
    if cluster.image.image_id is not None and control_plane.service_cidr(cluster) is None:
        yield Problem(
            "nodes with a custom image need the CIDR range of services, and both default ranges "
            "of EKS overlap ranges of this spec",
            ("image", "image_id"),
            hint="set kubernetes.service_cidr to another range",
        )
    count = len(all_node_groups(cluster))
    if count > MAXIMUM_NODE_GROUPS:
        yield Problem(
            f"the groups need {count} node groups of at most {MAXIMUM_NODES_PER_GROUP} nodes "
            f"each; a cluster has at most {MAXIMUM_NODE_GROUPS}",
            ("compute",),
            on_key=True,
            hint="use larger instances, or several clusters",
        )


def interface_problems(group: ComputeGroup, index: int, catalog: Catalog) -> Iterator[Problem]:
    """Yield why a launch template cannot have the interfaces of the group `compute[index]`."""
    here: Path = ("compute", index, "instance_type")
    instance = catalog.instance(group.instance_type)
    layout = interfaces(group, catalog)
    if isinstance(layout, Unknown):
        yield Problem(
            f"the network interfaces of {group.instance_type} are unknown: {layout.reason}",
            here,
            hint="on HyperPod the service creates the interfaces",
        )
    elif instance is not None:
        for problem in problems_of(layout.value, instance):
            yield Problem(f"network interfaces of {group.instance_type}: {problem}", here)


def core_problems(group: ComputeGroup, index: int, catalog: Catalog) -> Iterator[Problem]:
    """Yield why a launch template cannot set the threads of the group `compute[index]`."""
    instance = catalog.instance(group.instance_type)
    if group.threads_per_core is not None and (
        instance is None or isinstance(instance.cores, Unknown)
    ):
        yield Problem(
            f"the number of cores of {group.instance_type} is unknown, and EC2 requires it "
            "for threads_per_core",
            ("compute", index, "threads_per_core"),
        )


def _has_efa(group: ComputeGroup, catalog: Catalog) -> bool:
    layout = interfaces(group, catalog)
    return not isinstance(layout, Unknown) and any(one.kind == "efa" for one in layout.value)
