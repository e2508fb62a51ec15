"""Priorities of pods and jobs exist."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.jobs import GOVERNED_PRIORITY_SUFFIX, PRIORITY_LABEL

_OF_KUBERNETES = ("system-cluster-critical", "system-node-critical")


class Priorities(ManifestRule):
    id = "CW-J096"
    severity = "warning"
    prevents = (
        "pods that the API server refuses (no PriorityClass with name ... was found), or a job "
        "for which Kueue makes no workload"
    )
    source = (
        "Kubernetes documentation, Pod Priority and Preemption; Kueue documentation, Workload "
        "Priority Class; SageMaker developer guide, HyperPod task governance: the label of a "
        "class is NAME-priority; the priorities of the spec"
    )

    def check(self, manifests: Manifests) -> Results:
        workloads = manifests.cluster.kubernetes.workloads
        of_spec = {priority.name for priority in workloads.priorities}
        of_pods = of_spec | _named(manifests, "PriorityClass")
        of_jobs = _named(manifests, "WorkloadPriorityClass")
        of_jobs |= of_spec if queued(manifests.cluster) else set()
        governance = manifests.cluster.hyperpod.task_governance
        if governance is not None:
            of_jobs |= {
                f"{one.name}{GOVERNED_PRIORITY_SUFFIX}" for one in governance.priority_classes
            }
        for pod in manifests.pods:
            name = pod.item.get("priorityClassName")
            if name is not None and name.text not in _OF_KUBERNETES:
                yield from _exists("PriorityClass", name, of_pods)
        for document in manifests.file.documents:
            label = document.get("metadata", "labels", PRIORITY_LABEL)
            if label is not None:
                yield from _exists("priority of jobs", label, of_jobs)


def _named(manifests: Manifests, kind: str) -> set[str]:
    """Names of the file's objects of a kind."""
    found = (text_at(document, "metadata", "name") for document in manifests.file.of_kind(kind))
    return {name for name in found if name is not None}


def _exists(what: str, name: Item, known: set[str]) -> Results:
    """Where neither the spec nor the file has any, another file may have all."""
    if name.text is None or not known or name.text in known:
        return
    yield Fail(
        message=f"neither the file nor the spec has the {what} {name.text}",
        at=name,
        requested=name.text,
        hint=did_you_mean(name.text, sorted(known)) or f"there is {', '.join(sorted(known))}",
    )
