"""Pods tolerate the taints of the nodes that they need."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup, Taint
from clusterwright.jobs.manifest_file import Item, Pod
from clusterwright.jobs.manifests import QUEUE_LABEL
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.jobs.tolerations import named, tolerated


class Tolerations(ManifestRule):
    id = "CW-J072"
    severity = "error"
    prevents = "a pod that stays pending: node(s) had untolerated taint"
    source = (
        "Kubernetes documentation, Taints and Tolerations; Kueue adds tolerations of its flavours "
        "to jobs with a queue, and EKS those of a taint whose key is a requested resource (EKS "
        "user guide, platform versions: ExtendedResourceToleration); taints of the spec"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            groups = manifests.fitting(pod) if pod.kind != "DaemonSet" else None
            if not groups or pod.document.get("metadata", "labels", QUEUE_LABEL) is not None:
                continue
            kept = [(group, _untolerated(group, pod)) for group in groups]
            if all(taint is not None for _, taint in kept):
                group, taint = kept[0]
                assert taint is not None
                yield Fail(
                    message=f"the pod does not tolerate {named(taint)} of {group.name}, and no "
                    "other nodes are for it",
                    at=_place(pod),
                    requested=group.name,
                    hint=f"tolerations: [{{key: {taint.key}, operator: Exists, effect: "
                    f"{taint.effect}}}]",
                )


def _place(pod: Pod) -> Item:
    return pod.item.get("tolerations") or next(iter(pod.containers)).item


def _untolerated(group: ComputeGroup, pod: Pod) -> Taint | None:
    """The first taint that keeps the pod away."""
    found = pod.item.get("tolerations")
    tolerations = list(found.members()) if found is not None else []
    if found is not None and not found.is_sequence:
        return None  # filled in by a program
    for taint in group.taints:
        added = taint.effect == "NoSchedule" and taint.key in pod.devices
        if taint.effect == "PreferNoSchedule" or added:
            continue
        if not tolerated(taint, tolerations):
            return taint
    return None
