"""Nodes have the devices that a pod requests."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.root_volumes import root_volume
from clusterwright.jobs.manifest_file import Item, Pod
from clusterwright.jobs.quantities import parse_quantity
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import UnknownFactError
from clusterwright.platforms.node_hardware import hardware

_GB, _MIB, _GIB = 1000**3, 1024**2, 1024**3
_UNITS = {
    "cpu": "CPUs",
    "memory": "bytes of memory",
    "ephemeral-storage": "bytes of storage on its own disks",
}


class DevicesOfNodes(ManifestRule):
    id = "CW-J070"
    severity = "error"
    prevents = "a pod that stays pending: insufficient nvidia.com/gpu, EFA, or ephemeral-storage"
    source = (
        "Kubernetes documentation, Schedule GPUs, Extended Resources and Init Containers: all "
        "requests of a pod are met by one node; Reserve Compute Resources for System Daemons; "
        "Local ephemeral storage; devices, CPUs, memory and disks as in the catalogue; "
        "kubernetes.node_volume_gib; aws/karpenter-provider-aws#5283"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            groups = manifests.selected(pod)
            if groups:  # else CW-J071
                for name, (number, at) in manifests.judged(pod).items():
                    yield from _devices(manifests, pod, name, number, at)
                yield from _host(manifests, pod)


def _host(manifests: Manifests, pod: Pod) -> Results:
    """CPUs, memory and storage, of which the kubelet keeps a part: a whole node's do not fit."""
    groups = manifests.selected(pod)
    for name, unit in _UNITS.items():
        found = [c.requests[name] for c in pod.containers if name in c.requests]
        amounts = [parse_quantity(item.text) for item in found if item.text is not None]
        own = [_capacity(manifests, group, name) for group in groups]
        if not found or len(amounts) < len(found) or None in amounts or None in own:
            continue
        total, most = sum(one or 0 for one in amounts), max(one or 0 for one in own)
        if total >= most:
            yield Fail(
                message=f"the pod requests {int(total):,} {unit}, and a node has {int(most):,}, "
                "of which the kubelet reserves a part",
                at=found[0],
                requested=int(total),
                limit=int(most),
                where=name,
                hint="kubernetes: {node_volume_gib: ...}, or `scratch` for disks of the instance"
                if name == "ephemeral-storage"
                else None,
            )


def _capacity(manifests: Manifests, group: ComputeGroup, name: str) -> int | None:
    if name == "ephemeral-storage":
        return _storage(manifests, group)
    node = hardware(group, manifests.catalog)
    cores, threads, memory = node["cores"], node["threads_per_core"], node["memory_mib"]
    if name == "memory":
        return memory * _MIB if memory is not None else None
    return cores * threads if cores is not None and threads is not None else None


def _storage(manifests: Manifests, group: ComputeGroup) -> int | None:
    """Bytes for containers and `emptyDir` volumes: of the root volume, or of the local disks."""
    volume = root_volume(manifests.cluster, group)
    if volume is None:
        return None  # HyperPod's own volumes
    if group.scratch is not None:
        instance = manifests.catalog.instance(group.instance_type)
        disks = instance.local_nvme if instance is not None else None
        return disks.value.total_gb * _GB if isinstance(disks, Known) else None
    return volume[1] * _GIB if volume[1] is not None else None


def _devices(manifests: Manifests, pod: Pod, name: str, number: int, at: Item) -> Results:
    groups = manifests.selected(pod)
    try:
        most = max(manifests.amounts(group).get(name, 0) for group in groups)
    except UnknownFactError:
        return
    if number <= most:
        return
    names = ", ".join(group.name for group in groups)
    yield Fail(
        message=f"the pod requests {number} {name}, a node of {names} has "
        f"{most if most else 'none'}",
        at=at,
        requested=number,
        limit=most,
        where=name,
        hint="a pod runs on one node: fewer devices in more pods"
        if most
        else "remove the request, or select nodes that have them",
    )
