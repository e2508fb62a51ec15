"""Nodes with the labels that a pod selects exist."""

from __future__ import annotations

from clusterwright.jobs.manifest_fields import is_placeholder
from clusterwright.jobs.manifest_file import Item, Pod
from clusterwright.jobs.manifests import affinity_terms
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import INSTANCE_TYPE

_ZONE = "topology.kubernetes.io/zone"


class SelectedNodes(ManifestRule):
    id = "CW-J071"
    severity = "error"
    prevents = "a pod that stays pending: node(s) didn't match Pod's node affinity/selector"
    source = (
        "Kubernetes documentation, Assigning Pods to Nodes; the labels of nodes that the spec "
        "determines: instance types, with `ml.` on HyperPod, and groups"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            # A DaemonSet has a pod for each such node, so none is pending.
            if pod.kind == "DaemonSet":
                continue
            if not manifests.selected(pod):
                yield from _labels(manifests, pod)
            yield from _zone(manifests, pod)


def _zone(manifests: Manifests, pod: Pod) -> Results:
    """Zones of another Region: the names of zones, unlike their ids, differ between accounts."""
    region = manifests.cluster.region
    for key, value in manifests.selectors(pod):
        zone = value.text if key.text == _ZONE else None
        if zone is not None and not zone.startswith(region) and not is_placeholder(zone):
            yield Fail(message=f"no nodes have {key.text}: {value.text} in {region}", at=value)


def _labels(manifests: Manifests, pod: Pod) -> Results:
    """The first label that no group has, else the combination."""
    first: Item | None = None
    for key, value in manifests.selectors(pod):
        first = first or key
        own = {
            labels.get(key.text or "")
            for labels in map(manifests.labels, manifests.cluster.compute)
        }
        if value.text is None or None in own or value.text in own:
            continue
        known = sorted(label for label in own if label is not None)
        yield Fail(
            message=f"no nodes have {key.text}: {value.text}",
            at=value,
            requested=value.text,
            hint=f"the spec's nodes have {', '.join(known)}"
            + ("; HyperPod's labels begin with ml." if _without_ml(key, value, known) else ""),
        )
        return
    terms = affinity_terms(pod)
    if terms and first is None:
        groups = sorted(
            {labels[INSTANCE_TYPE] for labels in map(manifests.labels, manifests.cluster.compute)}
        )
        yield Fail(
            message="no group meets a term of the node affinity that the pod requires",
            at=terms[0],
            hint=f"the spec's nodes have {INSTANCE_TYPE} {', '.join(groups)}",
        )
        return
    yield Fail(message="no group has all the labels that the pod selects", at=first)


def _without_ml(key: Item, value: Item, known: list[str]) -> bool:
    return key.text == INSTANCE_TYPE and f"ml.{value.text}" in known
