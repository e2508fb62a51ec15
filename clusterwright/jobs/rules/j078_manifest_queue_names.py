"""Queues refer to flavours and queues that exist."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.manifests import QUEUE_LABEL
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import shared_groups
from clusterwright.platforms.kubernetes.queues import QUEUE, flavor_name
from clusterwright.platforms.kubernetes.tenants import tenants_of


class QueueNames(ManifestRule):
    id = "CW-J078"
    severity = "error"
    prevents = "an inactive queue: references missing ResourceFlavor(s); its jobs stay pending"
    source = (
        "Kueue documentation, Cluster Queue and Local Queue; headlamp-k8s/plugins#1191; the "
        "flavours and queues of the spec"
    )

    def check(self, manifests: Manifests) -> Results:
        documents = manifests.file.documents
        for document in documents:
            kind = text_at(document, "kind")
            if kind == "ClusterQueue":
                for flavor in _flavors(document):
                    own = _own_flavors(manifests)
                    yield from _missing(manifests, "ResourceFlavor", flavor, own)
            elif kind == "LocalQueue":
                queue = document.get("spec", "clusterQueue")
                if queue is not None:
                    yield from _missing(manifests, "ClusterQueue", queue, _own_queues(manifests))
            label = document.get("metadata", "labels", QUEUE_LABEL)
            # Where the file has no queue, CW-J076 compares with those of the spec.
            if label is not None and _named(manifests, "LocalQueue"):
                own = {QUEUE} if queued(manifests.cluster) else set()
                yield from _missing(manifests, "LocalQueue", label, own)


def _missing(manifests: Manifests, kind: str, name: Item, own: set[str]) -> Results:
    found = _named(manifests, kind)
    if name.text is None or name.text in own or None in found or name.text in found:
        return
    known = sorted({*own, *(one for one in found if one is not None)})
    yield Fail(
        message=f"neither the file nor the spec has the {kind} {name.text}",
        at=name,
        # Another file may have it; flavours are made by administrators, for all queues.
        severity=None if found and kind != "ResourceFlavor" else "warning",
        requested=name.text,
        hint=f"there is {', '.join(known)}" if known else None,
    )


def _named(manifests: Manifests, kind: str) -> set[str | None]:
    """Names of the file's objects of a kind; None for one that a program fills in."""
    return {text_at(document, "metadata", "name") for document in manifests.file.of_kind(kind)}


def _flavors(queue: Item) -> Iterator[Item]:
    groups = queue.get("spec", "resourceGroups")
    for group in groups.members() if groups is not None else ():
        flavors = group.get("flavors")
        for flavor in flavors.members() if flavors is not None else ():
            name = flavor.get("name")
            if name is not None:
                yield name


def _own_flavors(manifests: Manifests) -> set[str]:
    cluster = manifests.cluster
    return {flavor_name(group) for group in shared_groups(cluster)} if queued(cluster) else set()


def _own_queues(manifests: Manifests) -> set[str]:
    cluster = manifests.cluster
    return {tenant.name for tenant in tenants_of(cluster)} if queued(cluster) else set()
