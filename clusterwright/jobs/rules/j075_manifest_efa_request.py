"""Pods that train on several nodes with EFA request its interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright.jobs.manifest_file import Item, Pod, text_at
from clusterwright.jobs.manifests import TRAINING_KINDS
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import EFA, GPU, NEURON

TOGETHER = TRAINING_KINDS | {"JobSet", "LeaderWorkerSet"}
"""Kinds whose pods communicate; of a LeaderWorkerSet those of one group."""


class EfaRequest(ManifestRule):
    id = "CW-J075"
    severity = "warning"
    prevents = "collectives over TCP: the job runs, at a fraction of the speed"
    source = (
        "EKS user guide, EFA: pods request vpc.amazonaws.com/efa; NVIDIA/aicr#2275 and "
        "awslabs/awsome-distributed-ai#880: manifests without it; Kubernetes documentation, Job "
        "with Pod-to-Pod Communication (Indexed, with a subdomain)"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            found = [
                one
                for pod in manifests.pods
                if pod.document is document
                for one in _whole(manifests, pod)
            ]
            pods = sum(one.count for one in found)
            lacking = [one for one in found if one.lacks]
            number = sum(one.count for one in lacking)
            for one in lacking if pods > 1 else ():
                yield Fail(
                    message=f"{pods} pods have all accelerators of a node each, and request none "
                    f"of its {one.interfaces} EFA interfaces"
                    if number == pods
                    else f"{number} of {pods} pods with all accelerators of a node each request "
                    f"none of its {one.interfaces} EFA interfaces",
                    at=one.at,
                    hint=f"limits: {{{EFA}: {one.interfaces}}}",
                )


@dataclass(frozen=True)
class _Whole:
    """Pods of which each has all accelerators of a node, and runs with those of its object."""

    count: int
    at: Item
    interfaces: int
    lacks: bool


def _whole(manifests: Manifests, pod: Pod) -> Iterator[_Whole]:
    groups = manifests.fitting(pod)
    found = pod.running.get(GPU) or pod.running.get(NEURON)
    if not groups or found is None or not pod.count or not _is_together(pod):
        return
    number, at = found
    amounts = [manifests.amounts(group) for group in groups]
    interfaces = min(own.get(EFA, 0) for own in amounts)
    # Pods of which each has a part of a node may all be on one node.
    if interfaces and all(number in (own.get(GPU), own.get(NEURON)) for own in amounts):
        yield _Whole(pod.count, at, interfaces, not (pod.asks_elsewhere or _has_devices(pod)))


def _is_together(pod: Pod) -> bool:
    """Whether the pods of the object communicate; those of a Deployment are independent."""
    if pod.kind == "Job":
        indexed = text_at(pod.document, "spec", "completionMode") == "Indexed"
        return indexed and pod.item.get("subdomain") is not None
    return pod.kind in TOGETHER


def _has_devices(pod: Pod) -> bool:
    return EFA in pod.running or any(container.is_privileged for container in pod.containers)
