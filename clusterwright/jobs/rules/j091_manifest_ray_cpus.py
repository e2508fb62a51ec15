"""Groups of an autoscaled Ray cluster state their CPUs."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_KINDS = ("RayCluster", "RayJob", "RayService")


class RayCpus(ManifestRule):
    id = "CW-J091"
    severity = "error"
    prevents = (
        "an autoscaler that ends at once (failed to detect CPU resources), and workers that never "
        "start"
    )
    source = (
        "ray-project/ray, autoscaler/_private/kuberay/autoscaling_config.py, _get_num_cpus: "
        "num-cpus, then the limit of the first container, then (not in every version) its "
        "request; ray-project/kuberay#2612"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            if text_at(document, "kind") not in _KINDS:
                continue
            for cluster in _clusters(document):
                if text_at(cluster, "enableInTreeAutoscaling") == "true":
                    for name, group in _groups(cluster):
                        yield from _group(name, group)


def _clusters(document: Item) -> Iterator[Item]:
    spec = document.get("spec")
    if spec is not None:
        for found in (spec, spec.get("rayClusterSpec"), spec.get("rayClusterConfig")):
            if found is not None and found.get("headGroupSpec") is not None:
                yield found


def _groups(cluster: Item) -> Iterator[tuple[str, Item]]:
    head, workers = cluster.get("headGroupSpec"), cluster.get("workerGroupSpecs")
    if head is not None:
        yield "head", head
    for group in workers.members() if workers is not None else ():
        yield text_at(group, "groupName") or "of workers", group


def _group(name: str, group: Item) -> Results:
    parameters, own = group.get("rayStartParams"), group.get("resources")
    containers = group.get("template", "spec", "containers")
    first = next(iter(containers.members()), None) if containers is not None else None
    if first is None or own is not None:
        return
    if parameters is not None and parameters.get("num-cpus") is not None:
        return
    resources = first.get("resources")
    if resources is None and group.get("template", "spec", "resources") is not None:
        return
    limits, requests = (
        resources.get(kind, "cpu") if resources is not None else None
        for kind in ("limits", "requests")
    )
    if limits is not None:
        return
    stated = requests is not None
    yield Fail(
        message=f"the group {name} has no CPU limit"
        + (": versions of Ray that read no requests do not start" if stated else " or request")
        + ", and the autoscaler asks for its CPUs",
        at=requests or first,
        severity="warning" if stated else None,
        hint="limits: {cpu: NUMBER} of its first container, or rayStartParams: {num-cpus: "
        '"NUMBER"}',
    )
