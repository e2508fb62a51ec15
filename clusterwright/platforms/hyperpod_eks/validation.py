"""Validation of combinations of settings of HyperPod with Amazon EKS.

Sources: SageMaker API (botocore 1.44.5: members of instance groups and of restricted instance
groups), SageMaker developer guide, "Autoscaling on SageMaker HyperPod EKS" (continuous
provisioning and automatic node recovery), "Using GPU partitions in Amazon SageMaker HyperPod" and
"Spot instances in Amazon SageMaker HyperPod" (continuous provisioning).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

_NOT_OF_RESTRICTED: dict[str, object] = {
    "labels": {},
    "taints": [],
    "mig_profile": None,
    "min_count": None,
    "max_count": None,
    "network_interface": None,
    "scratch": None,
}
"""Fields without an equivalent in ClusterRestrictedInstanceGroupSpecification, with unset values.
"""

ALL_PERCENT = 100

FIRST_STEP_GIB, STEP_GIB = 1200, 2400
"""Sizes of PERSISTENT_2 file systems (FSx API, StorageCapacity)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.platform != "hyperpod-eks":
        return
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        if group.role == "system":
            yield from _system(group, here)
        if group.restricted:
            yield from _restricted(group, here)
        elif group.capacity.kind == "spot":
            yield from _spot(cluster, here)
    if all(group.restricted for group in cluster.compute):
        yield Problem(
            "every group is restricted: no node can run the system pods of Kubernetes",
            ("compute",),
            on_key=True,
            hint="add {name: system, role: system, instance_type: m5.2xlarge, count: 2}",
        )
    elif cluster.tenants and all(g.restricted for g in cluster.compute if g.role == "compute"):
        yield Problem(
            "every compute group is restricted: tenants have no nodes to share",
            ("tenants",),
            on_key=True,
            hint="omit the tenants, or add a compute group that is not restricted",
            other_path=("compute",),
        )
    yield from _autoscaling(cluster)
    yield from _tiered_storage(cluster)
    yield from _addons(cluster)
    yield from _governance(cluster)
    yield from _restricted_lustre(cluster)


def _system(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    for name in ("mig_profile", "restricted"):
        if getattr(group, name):
            yield Problem(
                f"`{name}` requires the role compute", (*here, name), other_path=(*here, "role")
            )


def _restricted(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    for name, unset in _NOT_OF_RESTRICTED.items():
        if getattr(group, name) != unset:
            yield Problem(
                f"a restricted instance group does not support `{name}`",
                (*here, name),
                other_path=(*here, "restricted"),
            )
    if group.capacity.kind == "spot":
        yield Problem(
            "a restricted instance group does not support spot capacity",
            (*here, "capacity", "kind"),
            hint="kind: on-demand, or a training plan",
            other_path=(*here, "restricted"),
        )


def _spot(cluster: Cluster, here: Path) -> Iterator[Problem]:
    if cluster.resilience.node_provisioning != "continuous":
        yield Problem(
            "spot instances require continuous provisioning",
            (*here, "capacity", "kind"),
            hint="resilience.node_provisioning: continuous",
            other_path=("resilience", "node_provisioning"),
        )


def _tiered_storage(cluster: Cluster) -> Iterator[Problem]:
    tiered = cluster.hyperpod.tiered_storage
    if tiered is not None and tiered.memory_percent == ALL_PERCENT:
        yield Problem(
            "checkpoints would use the whole memory of each node, and jobs would have none",
            ("hyperpod", "tiered_storage", "memory_percent"),
            hint="memory_percent: 20",
        )


def _autoscaling(cluster: Cluster) -> Iterator[Problem]:
    if cluster.hyperpod.autoscaling == "off":
        return
    here: Path = ("hyperpod", "autoscaling")
    if cluster.resilience.node_provisioning != "continuous":
        yield Problem(
            "Karpenter requires continuous provisioning",
            here,
            hint="resilience.node_provisioning: continuous",
            other_path=("resilience", "node_provisioning"),
        )
    if cluster.resilience.node_recovery != "automatic":
        yield Problem(
            "Karpenter requires automatic node recovery",
            here,
            hint="resilience.node_recovery: automatic",
            other_path=("resilience", "node_recovery"),
        )


def _addons(cluster: Cluster) -> Iterator[Problem]:
    here: Path = ("hyperpod", "addons")
    for number, before in _repeated(addon.name for addon in cluster.hyperpod.addons):
        yield Problem(
            f"duplicate add-on {cluster.hyperpod.addons[number].name}",
            (*here, number, "name"),
            other_path=(*here, before, "name"),
        )
    for number, addon in enumerate(cluster.hyperpod.addons):
        if addon.name == "observability" and not cluster.observability.prometheus:
            yield Problem(
                "the add-on requires a Prometheus workspace for its metrics",
                (*here, number, "name"),
                hint="observability.prometheus: true",
            )


def _governance(cluster: Cluster) -> Iterator[Problem]:
    governance = cluster.hyperpod.task_governance
    if governance is None:
        return
    here: Path = ("hyperpod", "task_governance", "priority_classes")
    for number, before in _repeated(each.name for each in governance.priority_classes):
        yield Problem(
            f"duplicate priority class {governance.priority_classes[number].name}",
            (*here, number, "name"),
            other_path=(*here, before, "name"),
        )


def _restricted_lustre(cluster: Cluster) -> Iterator[Problem]:
    lustre = cluster.hyperpod.restricted_lustre
    if lustre is None:
        return
    here: Path = ("hyperpod", "restricted_lustre")
    if not any(group.restricted for group in cluster.compute):
        yield Problem(
            "this file system has no effect: no group is restricted",
            here,
            hint="set restricted: true on a group, or omit the file system",
        )
    if lustre.capacity_gib != FIRST_STEP_GIB and lustre.capacity_gib % STEP_GIB:
        below = max(FIRST_STEP_GIB, lustre.capacity_gib // STEP_GIB * STEP_GIB)
        above = (lustre.capacity_gib // STEP_GIB + 1) * STEP_GIB
        yield Problem(
            f"capacity_gib must be {FIRST_STEP_GIB} or a multiple of {STEP_GIB}, got "
            f"{lustre.capacity_gib}",
            (*here, "capacity_gib"),
            hint=f"capacity_gib: {below} or {above}",
        )


def _repeated(values: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
    """Return the indexes of repeated values, each with the index of the first."""
    first: dict[Hashable, int] = {}
    for number, value in enumerate(values):
        before = first.setdefault(value, number)
        if before != number:
            yield number, before
