"""The queue of a job exists, and covers the resources that its pods request."""

from __future__ import annotations

from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.manifests import QUEUE_LABEL
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import (
    UnknownFactError,
    node_resources,
    shared_groups,
)
from clusterwright.platforms.kubernetes.jobs import GOVERNED_QUEUE_SUFFIX
from clusterwright.platforms.kubernetes.queues import QUEUE
from clusterwright.platforms.kubernetes.tenants import namespace_of, tenants_of
from clusterwright.platforms.kubernetes.values import EXCLUDED_FROM_QUOTAS


class QueueOfJob(ManifestRule):
    id = "CW-J076"
    severity = "error"
    prevents = "a job that Kueue never admits: LocalQueue doesn't exist, or resource unavailable"
    source = (
        "Kueue documentation, Local Queue and Cluster Queue (coveredResources); "
        "kubernetes-sigs/kueue#4848; SageMaker developer guide, HyperPod task governance; the "
        "queues of the spec"
    )

    def check(self, manifests: Manifests) -> Results:
        governed = manifests.cluster.hyperpod.task_governance is not None
        if not governed and not queued(manifests.cluster):
            return
        if manifests.file.of_kind("LocalQueue"):
            return  # queues of the user
        for document in manifests.file.documents:
            queue = document.get("metadata", "labels", QUEUE_LABEL)
            if queue is not None and governed:
                yield from _governed(manifests, document, queue)
            elif queue is not None:
                yield from _queue(manifests, document, queue)
            if queue is not None and queue.text == QUEUE:
                yield from _resources(manifests, document)


def _queue(manifests: Manifests, document: Item, queue: Item) -> Results:
    namespaces = [namespace_of(manifests.cluster, t) for t in tenants_of(manifests.cluster)]
    if queue.text not in (None, QUEUE):
        yield Fail(
            message=f"the spec has no queue {queue.text}: every namespace of jobs has the queue "
            f"{QUEUE}",
            at=queue,
            severity="warning",
            requested=queue.text,
            hint=f"{QUEUE_LABEL}: {QUEUE}",
        )
    namespace = document.get("metadata", "namespace")
    # Without one, `kubectl --namespace` states it.
    if namespace is not None and namespace.text not in (None, *namespaces):
        yield Fail(
            message=f"the spec has no queue in the namespace {namespace.text}",
            at=namespace,
            severity="warning",
            requested=namespace.text,
            hint=f"namespaces with a queue: {', '.join(namespaces)}",
        )


def _governed(manifests: Manifests, document: Item, queue: Item) -> Results:
    """Task governance makes a queue in the namespace of each team, with a name of its own."""
    cluster = manifests.cluster
    spaces = [namespace_of(cluster, tenant) for tenant in tenants_of(cluster)]
    namespace = text_at(document, "metadata", "namespace")
    own = [space for space in spaces if namespace in (None, space)]
    queues = [f"{space}{GOVERNED_QUEUE_SUFFIX}" for space in own or spaces]
    if queue.text is not None and (queue.text not in queues or not own):
        place = f" in the namespace {namespace}" if namespace is not None else ""
        yield Fail(
            message=f"task governance has no queue {queue.text}{place}",
            at=queue,
            severity="warning",
            requested=queue.text,
            hint=f"{QUEUE_LABEL}: {' or '.join(queues)}, in the namespace of the team",
        )


def _resources(manifests: Manifests, document: Item) -> Results:
    try:
        covered = {
            name
            for group in shared_groups(manifests.cluster)
            for name in node_resources(group, manifests.catalog).amounts()
        }
    except UnknownFactError:
        return
    for pod in manifests.pods:
        if pod.document is not document:
            continue
        for container in pod.all_containers:
            for name, amount in container.requests.items():
                if name in covered or name.startswith(EXCLUDED_FROM_QUOTAS):
                    continue
                if amount.number != 0:
                    yield Fail(
                        message=f"the queue does not cover {name}, so the job is never admitted",
                        at=amount,
                        requested=name,
                        hint=f"it covers {', '.join(sorted(covered))}",
                    )
