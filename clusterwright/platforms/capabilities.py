"""Capabilities of the platforms: the rows of the tables, with a cell for each platform.

Rules, advice, `migrate` and the page docs/explanations/platforms.md read the same cells. A
platform's cells are in its folder (`capabilities.CELLS`). Which instance types it accepts is not
typed there: `takes_type` asks the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog, Known, Unknown
from clusterwright.platforms.cells import CAPACITY_BLOCKS, CREATE_CLUSTER, Cell
from clusterwright.platforms.registry import PLATFORMS, PlatformName, either, part_of, traits_of
from clusterwright.platforms.traits import CAPACITY_KINDS


@dataclass(frozen=True)
class Capability:
    """A capability that a platform has or lacks."""

    key: str
    title: str
    cells: Mapping[PlatformName, Cell]

    def able(self) -> tuple[PlatformName, ...]:
        """Platforms that have it, completely or in part."""
        return tuple(p for p in PLATFORMS if self.cells[p].answer in ("yes", "in part"))


def _row(key: str, title: str) -> Capability:
    return Capability(
        key, title, {name: part_of(name, "capabilities").CELLS[key] for name in PLATFORMS}
    )


def _capacity_cell(platform: PlatformName, kind: str) -> Cell:
    traits = traits_of(platform)
    if kind not in traits.capacity_kinds:
        return Cell("no", traits.refused_capacity[kind], CREATE_CLUSTER)
    if kind == "capacity-block":
        return Cell("yes", kind, CAPACITY_BLOCKS)
    return Cell("yes", kind, part_of(platform, "capabilities").CAPACITY_SOURCE)


CAPACITY: Final[tuple[Capability, ...]] = tuple(
    Capability(f"capacity.{kind}", kind, {p: _capacity_cell(p, kind) for p in PLATFORMS})
    for kind in CAPACITY_KINDS
)
"""One row for each kind of capacity, from the platforms' traits."""

CAPABILITIES: Final[tuple[Capability, ...]] = (
    _row("scheduler", "Scheduler"),
    _row("recovery", "Recovery of nodes"),
    _row("auto_resume", "Jobs resume after a lost node"),
    _row("deep_health_checks", "Deep health checks"),
    _row("spot", "Spot"),
    _row("mig", "GPU partitions (MIG)"),
    _row("placement_group", "Placement groups"),
    _row("topology", "Topology for the scheduler"),
    _row("custom_image", "Custom images"),
    _row("autoscaling", "Autoscaling"),
    _row("login", "Login nodes"),
    _row("containers", "Containers in jobs"),
    _row("accounting", "Job accounting"),
    _row("rolling_update", "Rolling updates of images"),
    _row("spares", "Spare nodes kept out of jobs"),
    _row("inference", "Serving models beside training"),
    _row("most_nodes", "Maximum size"),
)
"""Capabilities other than capacity and instance types."""

DAILY: Final[tuple[Capability, ...]] = (
    _row("scheduling", "Scheduling"),
    _row("scaling", "Scaling"),
    _row("access", "Access"),
    _row("monitoring", "Monitoring"),
)
"""Differences in daily work between Slurm and EKS."""

LIMITATIONS: Final[tuple[str, ...]] = (
    "whether capacity of the type is available in the zone on a given day",
    "real throughput of EFA, Lustre and collective operations",
    "IAM's own evaluation of each call (the local AWS simulates the written policies)",
    "prices, until `cost --live` reads them",
)
"""What cannot be tested without AWS on any platform; `LIMITATIONS` of each folder adds to them."""

ALL: Final[tuple[Capability, ...]] = (*CAPACITY, *CAPABILITIES, *DAILY)
_BY_KEY: Final = {capability.key: capability for capability in ALL}


def capability(key: str) -> Capability:
    """One row, such as `recovery` or `capacity.spot`.

    Raises
    ------
    KeyError
        There is no row with this key.
    """
    return _BY_KEY[key]


def who_can(key: str) -> str:
    """Return `platform: parallelcluster or eks`, for hints; empty if no platform has it."""
    able = capability(key).able()
    return f"platform: {either(able)}" if able else ""


def takes_type(platform: PlatformName, instance_type: str, catalog: Catalog) -> Cell:
    """Return whether nodes on the platform can have this EC2 type.

    HyperPod accepts the types of SageMaker's enumeration. EKS accepts types in the VPC CNI's table
    of limits, which has the addresses per interface. ParallelCluster accepts the types that EC2
    describes.
    """
    instance = catalog.instance(instance_type)
    listed_in = traits_of(platform).node_type_source
    if listed_in == "sagemaker":
        if instance_type in catalog.hyperpod_names:
            return Cell("yes", f"ml.{instance_type}", f"{CREATE_CLUSTER}, ClusterInstanceType")
        return Cell("no", "not in the list of types", f"{CREATE_CLUSTER}, ClusterInstanceType")
    if instance is None:
        return Cell("unknown", "the catalogue has no such type", "the catalogue")
    if listed_in == "vpc-cni":
        if isinstance(instance.ipv4_per_interface, Known):
            source = instance.ipv4_per_interface.source
            return Cell("yes", "it is in the limits of the VPC CNI", source)
        return Cell("unknown", "it is not in the limits of the VPC CNI", "aws/amazon-vpc-cni-k8s")
    if isinstance(instance.vcpus, Unknown):
        return Cell(
            "unknown", "no description of the type by EC2 was found", instance.vcpus.reason
        )
    return Cell("yes", "EC2 describes it", instance.vcpus.source)


def platforms_for(
    instance_type: str, kind: str | None, catalog: Catalog
) -> tuple[PlatformName, ...]:
    """Return the platforms that accept the type and, if given, the kind of capacity."""
    return tuple(
        platform
        for platform in PLATFORMS
        if takes_type(platform, instance_type, catalog).answer == "yes"
        and (kind is None or kind in traits_of(platform).capacity_kinds)
    )
