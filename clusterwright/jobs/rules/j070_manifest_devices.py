"""Nodes have the devices that a pod requests."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Item, Pod
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import UnknownFactError


class DevicesOfNodes(ManifestRule):
    id = "CW-J070"
    severity = "error"
    prevents = "a pod that stays pending: insufficient nvidia.com/gpu, or insufficient EFA"
    source = (
        "Kubernetes documentation, Schedule GPUs, Extended Resources and Init Containers: all "
        "requests of a pod are met by one node; devices as in the catalogue"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            groups = manifests.selected(pod)
            if groups:  # else CW-J071
                for name, (number, at) in manifests.judged(pod).items():
                    yield from _devices(manifests, pod, name, number, at)


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
