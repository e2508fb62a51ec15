"""Changes to the nodes of each group and the jobs on them.

They are derived from the specs where both are known, else from the templates. The behaviour of
HyperPod is documented in its developer guide and API reference, that of EKS in its user guide;
where AWS does not document what happens to running nodes, they count as replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.security_groups import existing_storage_groups
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.kubernetes.kubelet_wait import delays_kubelet
from clusterwright.review.deployment_blockers import groups_of
from clusterwright.review.expressions import shown
from clusterwright.review.resource_changes import ChangeAnalysis
from clusterwright.review.resource_types import CLUSTER
from clusterwright.review.results import NodesChange

_IMAGE: Final = ("image release", "image")
"""UpdateClusterSoftware replaces the root volume of every instance (SageMaker API reference)."""

_EVICTS: Final = "NoExecute"


@dataclass(frozen=True)
class NodeGroup:
    """One instance group; `fixed` holds the settings of its instances by display name."""

    name: str
    instance_type: str
    count: int
    runs_jobs: bool
    fixed: Mapping[str, Any] = field(default_factory=dict)
    evicting: frozenset[tuple[str, str]] = frozenset()
    """Taints (key, value) with the effect NoExecute: pods without a toleration are evicted."""

    managed: bool = False
    """Whether it is a managed node group of EKS, whose settings are in its launch template."""

    platform: str | None = None
    """The platform; None where only the template is known."""


def nodes_changes(
    before: Mapping[str, NodeGroup], after: Mapping[str, NodeGroup]
) -> list[NodesChange]:
    """Every group whose nodes change."""
    return list(_changes(before, after))


def runs_jobs(group: str, before: Mapping[str, NodeGroup]) -> bool:
    """Whether jobs run on the group's nodes: not on those of a controller or for logins.

    A group that is not known counts as one with jobs.
    """
    return group not in before or before[group].runs_jobs


def groups_of_spec(cluster: Cluster) -> dict[str, NodeGroup]:
    """The groups of a spec."""
    if cluster.traits.managed_node_groups:
        return _managed_groups(cluster)
    image = cluster.image
    return {
        group.name: NodeGroup(
            group.name,
            group.instance_type,
            group.count,
            group.role == "compute",
            {
                "image release": image.release_version,
                "image": image.image_id,
                "threads per core": group.threads_per_core,
                "volume": group.ebs.capacity_gib if group.ebs is not None else None,
                "capacity": group.capacity.kind,
                "training plan": getattr(group.capacity, "arn", None),
                "network interface": group.network_interface,
                "GPU partitions": group.mig_profile,
                "restricted": group.restricted,
            },
            frozenset(
                (taint.key, taint.value or "") for taint in group.taints if taint.effect == _EVICTS
            ),
            platform=cluster.platform,
        )
        for group in cluster.compute
    }


def _managed_groups(cluster: Cluster) -> dict[str, NodeGroup]:
    """Managed node groups of EKS, which change nodes only by replacing them."""
    existing = cluster.network.existing
    # Network interfaces are in the launch template, with the groups of existing file systems.
    security_groups = [
        *(existing.security_group_ids if existing is not None else ()),
        *existing_storage_groups(cluster),
    ]
    return {
        group.name: NodeGroup(
            group.name,
            group.instance_type,
            group.count,
            group.role == "compute",
            {
                "Kubernetes": cluster.kubernetes.version,
                "capacity": group.capacity.kind,
                "reservation": getattr(group.capacity, "id", None),
                "threads per core": group.threads_per_core,
                "network interface": group.network_interface,
                "placement group": group.placement_group,
                "drives": group.scratch is not None,
                "acceptance hold": delays_kubelet(cluster, group),
                "root volume": cluster.kubernetes.node_volume_gib,
                "tags": dict(cluster.tags),
                "image": cluster.image.image_id,
                "key": cluster.identity.kms_key_arn,
                "subnets": existing.subnet_ids if existing is not None else None,
                "security groups": security_groups,
            },
            frozenset(
                (taint.key, taint.value or "") for taint in group.taints if taint.effect == _EVICTS
            ),
            managed=True,
            platform=cluster.platform,
        )
        for group in cluster.compute
    }


def groups_of_templates(analysis: ChangeAnalysis, *, after: bool) -> dict[str, NodeGroup]:
    """The groups of the HyperPod cluster in the templates of one version."""
    found = {}
    for pair in analysis.pairs.values():
        side = pair.after if after else pair.before
        if side is None or side.type != CLUSTER:
            continue
        for name, group in groups_of(side).items():
            count = group.get("InstanceCount")
            slurm = group.get("SlurmConfig")
            role = slurm.get("NodeType") if isinstance(slurm, Mapping) else None
            capacity = group.get("CapacityRequirements")
            kubernetes = group.get("KubernetesConfig")
            kubernetes = kubernetes if isinstance(kubernetes, Mapping) else {}
            found[name] = NodeGroup(
                name,
                shown(group.get("InstanceType", "")).removeprefix("ml."),
                int(count) if isinstance(count, str) and count.isdigit() else 0,
                role in (None, "Compute"),
                {
                    "image release": group.get("ImageReleaseVersion"),
                    "image": group.get("ImageId"),
                    "threads per core": group.get("ThreadsPerCore"),
                    "capacity": sorted(capacity) if isinstance(capacity, Mapping) else None,
                    "training plan": group.get("TrainingPlanArn"),
                    "network interface": str(group.get("NetworkInterface")),
                    "role": str(group.get("ExecutionRole")),
                    "GPU partitions": (kubernetes.get("Labels") or {}).get(mig.LABEL),
                },
                frozenset(
                    (str(taint.get("Key")), str(taint.get("Value") or ""))
                    for taint in kubernetes.get("Taints") or ()
                    if isinstance(taint, Mapping) and taint.get("Effect") == _EVICTS
                ),
            )
    return found


def _changes(
    before: Mapping[str, NodeGroup], after: Mapping[str, NodeGroup]
) -> Iterator[NodesChange]:
    for name, old in before.items():
        new = after.get(name)
        if new is None:
            yield _removed(old, before, after)
        else:
            change = _kept(old, new)
            if change is not None:
                yield change
    for name, new in after.items():
        if name not in before:
            yield NodesChange(
                group=name,
                change="added",
                before=0,
                after=new.count,
                jobs="none",
                message=f"{nodes_text(new.count)} of {new.instance_type} are added",
            )


def _removed(
    old: NodeGroup, before: Mapping[str, NodeGroup], after: Mapping[str, NodeGroup]
) -> NodesChange:
    twin = next(
        (
            new.name
            for new in after.values()
            if new.name not in before and new.instance_type == old.instance_type
        ),
        None,
    )
    message = f"the group is removed with its {nodes_text(old.count)} and the jobs on them"
    if twin is not None:
        message += f"; if this is a new name: a group cannot be renamed, and {twin} gets new nodes"
    return NodesChange(
        group=old.name,
        change="removed",
        before=old.count,
        after=0,
        jobs="die" if old.count else "none",
        message=message,
        whole_group=bool(old.count),
    )


def _kept(old: NodeGroup, new: NodeGroup) -> NodesChange | None:
    differ = [name for name, value in new.fixed.items() if old.fixed.get(name) != value]
    differ += [name for name in old.fixed if name not in new.fixed]
    if None not in (old.platform, new.platform) and old.platform != new.platform and old.count:
        message = (
            f"{old.platform} becomes {new.platform}, which is another cluster: every node of the "
            "group is removed with the jobs on it, and new nodes are launched"
        )
        return _all_go(old, new, message)
    if old.instance_type != new.instance_type:
        message = (
            f"{old.instance_type} becomes {new.instance_type}: every node of the group is "
            "replaced, with the jobs on it"
        )
        return _all_go(old, new, message)
    if differ and old.count:
        message = f"{', '.join(differ)}: "
        if new.managed:
            message += (
                "new launch settings require new nodes: every node is replaced, a few at a time, "
                "with the jobs on it"
            )
        elif any(name in _IMAGE for name in differ):
            message += (
                "UpdateClusterSoftware installs a new image on every node of the group, which "
                "deletes its root volume and ends the jobs on it"
            )
        else:
            message += (
                "AWS does not document what happens to running nodes: they count as replaced"
            )
        return _all_go(old, new, message)
    evicting = sorted(new.evicting - old.evicting)
    if evicting and old.count:
        keys = ", ".join(key for key, _ in evicting)
        return _all_go(
            old,
            new,
            f"NoExecute taint {keys}: pods that do not tolerate it are evicted, with their jobs",
        )
    if new.count > old.count:
        return NodesChange(
            group=new.name,
            change="grown",
            before=old.count,
            after=new.count,
            jobs="none",
            message=(
                f"{nodes_text(new.count - old.count)} more; the existing {old.count} keep running"
            ),
        )
    if new.count < old.count:
        chooser = "Auto Scaling" if new.managed else "HyperPod"
        jobs = f"; {chooser} selects them, and the jobs on them end" if new.runs_jobs else ""
        return NodesChange(
            group=new.name,
            change="shrunk",
            before=old.count,
            after=new.count,
            jobs="die",
            message=f"{nodes_text(old.count - new.count)} of {old.count} removed{jobs}",
            whole_group=new.count == 0,
        )
    return None


def _all_go(old: NodeGroup, new: NodeGroup, message: str) -> NodesChange:
    return NodesChange(
        group=new.name,
        change="replaced",
        before=old.count,
        after=new.count,
        jobs="die" if old.count else "none",
        message=message,
        whole_group=bool(old.count),
    )


def nodes_text(count: int) -> str:
    """A number of nodes in words."""
    return "1 node" if count == 1 else f"{count} nodes"
