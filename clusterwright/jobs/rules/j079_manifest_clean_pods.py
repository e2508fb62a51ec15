"""Jobs that have ended leave no running pods behind."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_KINDS = frozenset({"PyTorchJob", "MPIJob", "PaddleJob"})
"""Kinds whose policy is None unless the object says otherwise."""

_OF_ITS_OWN = "kubeflow.org/v1 MPIJob"
"""The kind with `spec.cleanPodPolicy` beside `spec.runPolicy` (kubeflow/training-operator,
pkg/apis/kubeflow.org/v1/mpi_types.go)."""


class CleanPods(ManifestRule):
    id = "CW-J079"
    severity = "warning"
    prevents = "pods of a failed job that keep their accelerators until somebody deletes it"
    source = (
        "kubeflow/training-operator#1753: the default of cleanPodPolicy is None; "
        "kubeflow/trainer#1579"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            pods = [pod for pod in manifests.pods if pod.document is document]
            kind = text_at(document, "kind") or ""
            if kind not in _KINDS or not any(pod.devices for pod in pods):
                continue
            if all(pod.count in (0, 1) for pod in pods) and len(pods) < 2:
                continue
            policy = document.get("spec", "runPolicy", "cleanPodPolicy")
            if policy is None and f"{text_at(document, 'apiVersion')} {kind}" == _OF_ITS_OWN:
                policy = document.get("spec", "cleanPodPolicy")
            if policy is None or policy.text == "None":
                yield Fail(
                    message="after one pod has failed the others go on, and keep their "
                    f"accelerators: the default of {_article(kind)} {kind} is to delete none",
                    at=policy or document.get("kind"),
                    hint="runPolicy: {cleanPodPolicy: Running}",
                )


def _article(kind: str) -> str:
    """The article before a kind, as it is spoken."""
    return "an" if kind.startswith("MPI") else "a"
