"""Pods have a restart policy that their kind of object takes."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Item, Pod, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_ENDING = frozenset({"batch/v1 Job", "batch/v1 CronJob"})
_SERVING = frozenset({"apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet"})
"""Objects of Kubernetes itself: JobSet sets another default, Volcano has a kind Job, too."""


class RestartPolicy(ManifestRule):
    id = "CW-J080"
    severity = "error"
    prevents = "Unsupported value: Always; or a worker that restarts alone while the job waits"
    source = (
        "Kubernetes documentation, Jobs (Never or OnFailure, without a default) and Deployments "
        "(only Always); "
        "aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow#26"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            if pod.is_patch:
                continue
            policy = pod.item.get("restartPolicy")
            text = policy.text if policy is not None else "Always"
            if text is None:
                continue
            kind = f"{text_at(pod.document, 'apiVersion')} {pod.kind}"
            if kind in _ENDING and text == "Always":
                yield Fail(
                    message=f"pods of a {pod.kind} take the restart policy Never or OnFailure"
                    + ("" if policy is not None else ", and the default is Always"),
                    at=policy or _place(pod),
                    hint="restartPolicy: Never",
                )
            elif kind in _SERVING and text != "Always":
                yield Fail(
                    message=f"pods of a {pod.kind} take the restart policy Always only",
                    at=policy,
                    hint="omit it, or use a Job",
                )
        for document in manifests.file.of_kind("MPIJob"):
            yield from _workers(document)


def _workers(document: Item) -> Results:
    policy = document.get("spec", "mpiReplicaSpecs", "Worker", "restartPolicy")
    if policy is not None and policy.text in ("Always", "OnFailure"):
        yield Fail(
            message="a worker that restarts does not join a running mpirun: the job should fail",
            at=policy,
            severity="warning",
            hint="restartPolicy: Never, and runPolicy: {backoffLimit: ...} for new attempts",
        )


def _place(pod: Pod) -> Item:
    return next((one.item for one in pod.containers), pod.item)
