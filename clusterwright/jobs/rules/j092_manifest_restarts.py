"""A job whose pods restart ends after a number of failures, or a time."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_DEFAULTS = {
    "PyTorchJob": "OnFailure",
    "TFJob": "Never",
    "JAXJob": "Never",
    "PaddleJob": "OnFailure",
    "XGBoostJob": "Never",
}
"""Restart policies of replicas that state none: kubeflow/training-operator 3a3a1da8d,
pkg/apis/kubeflow.org/v1, *_types.go."""
_RESTARTING = ("OnFailure", "Always", "ExitCode")


class Restarts(ManifestRule):
    id = "CW-J092"
    severity = "warning"
    prevents = "pods of a program that always fails, which restart for days and keep their GPUs"
    source = (
        "kubeflow/training-operator, pkg/core/job.go, PastBackoffLimit: without a limit a job is "
        "never past it; kubeflow/trainer#1589"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            kind = text_at(document, "kind") or ""
            of_operator = (text_at(document, "apiVersion") or "").startswith("kubeflow.org/")
            if kind not in _DEFAULTS or not of_operator:
                continue
            policy = document.get("spec", "runPolicy")
            ends = policy is not None and any(
                policy.get(name) is not None for name in ("backoffLimit", "activeDeadlineSeconds")
            )
            pods = [pod for pod in manifests.pods if pod.document is document and pod.devices]
            if ends or not pods:
                continue
            place = next((one for one in _replicas(document) if _restarts(one, kind)), None)
            if place is not None:
                yield Fail(
                    message="the pods restart as often as they fail: the job has neither "
                    "backoffLimit nor activeDeadlineSeconds",
                    at=place.get("restartPolicy") or document.get("kind"),
                    hint="runPolicy: {backoffLimit: 3}",
                )


def _replicas(document: Item) -> list[Item]:
    spec = document.get("spec")
    roles = (
        [v for k, v in spec.entries() if (k.text or "").endswith("ReplicaSpecs")] if spec else []
    )
    return [replica for role in roles for _, replica in role.entries()]


def _restarts(replica: Item, kind: str) -> bool:
    policy = replica.get("restartPolicy")
    text = _DEFAULTS[kind] if policy is None else policy.text
    return text in _RESTARTING
