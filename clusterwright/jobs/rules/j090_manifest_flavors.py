"""A queue has a flavour whose nodes the pods of its jobs tolerate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from clusterwright.cluster_spec.models.compute import Taint
from clusterwright.jobs.manifest_file import Item, Pod, text_at
from clusterwright.jobs.manifests import QUEUE_LABEL
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.jobs.tolerations import named, tolerated

_KEEPING_AWAY: Final[dict[str | None, Literal["NoSchedule", "NoExecute"]]] = {
    "NoSchedule": "NoSchedule",
    "NoExecute": "NoExecute",
}


class FlavorsOfQueue(ManifestRule):
    id = "CW-J090"
    severity = "error"
    prevents = "a job that Kueue never admits, and that does not say why"
    source = (
        "Kueue documentation, Resource Flavor (nodeTaints, tolerations): a flavour whose taints "
        "neither it nor the pod tolerates is not assigned; kubernetes-sigs/kueue#3158"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            queue = pod.document.get("metadata", "labels", QUEUE_LABEL)
            if queue is None or queue.text is None:
                continue
            for group in _groups(manifests, pod.document, queue.text):
                yield from _taints(manifests, pod, queue, group)


def _groups(manifests: Manifests, document: Item, queue: str) -> Iterator[Item]:
    """The groups of resources of the queue, if the file has it and its cluster queue."""
    namespace = text_at(document, "metadata", "namespace")
    for local in _objects(manifests, "LocalQueue", queue):
        if namespace not in (None, text_at(local, "metadata", "namespace")):
            continue
        name = text_at(local, "spec", "clusterQueue")
        for cluster_queue in _objects(manifests, "ClusterQueue", name):
            groups = cluster_queue.get("spec", "resourceGroups")
            yield from groups.members() if groups is not None else ()


def _objects(manifests: Manifests, kind: str, name: str | None) -> Iterator[Item]:
    for document in manifests.file.of_kind(kind):
        if name is not None and text_at(document, "metadata", "name") == name:
            yield document


def _taints(manifests: Manifests, pod: Pod, queue: Item, group: Item) -> Results:
    """A finding if each flavour has a taint that keeps the pod away."""
    covered, members = group.get("coveredResources"), group.get("flavors")
    resources = {one.text for one in (covered.members() if covered is not None else ())}
    requested = {name for container in pod.all_containers for name in container.requests}
    if not resources & requested or members is None or not members.is_sequence:
        return
    kept: list[tuple[str, Taint]] = []
    for member in members.members():
        name = text_at(member, "name")
        flavor = next(_objects(manifests, "ResourceFlavor", name), None)
        taint = _untolerated(flavor, pod) if flavor is not None else None
        if name is None or taint is None:
            return
        kept.append((name, taint))
    if kept:
        name, taint = kept[0]
        yield Fail(
            message=f"the pod does not tolerate {named(taint)} of the flavour {name}, and the "
            f"queue {queue.text} has no other that it does: it is never admitted",
            at=queue,
            requested=queue.text,
            hint=f"tolerations: [{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}] "
            "of the pod, or of the flavour",
        )


def _untolerated(flavor: Item, pod: Pod) -> Taint | None:
    """The first taint of a flavour that keeps the pod away."""
    lists = [pod.item.get("tolerations"), flavor.get("spec", "tolerations")]
    if any(found is not None and not found.is_sequence for found in lists):
        return None  # filled in by a program
    tolerations = [one for found in lists if found is not None for one in found.members()]
    taints = flavor.get("spec", "nodeTaints")
    for item in taints.members() if taints is not None else ():
        key, effect = text_at(item, "key"), _KEEPING_AWAY.get(text_at(item, "effect"))
        if key is None or effect is None:
            continue
        taint = Taint.model_construct(key=key, value=text_at(item, "value"), effect=effect)
        if not tolerated(taint, tolerations):
            return taint
    return None
