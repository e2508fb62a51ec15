"""An elastic job has workers, as many as its policy allows."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.jobs.values import whole


class ElasticPolicy(ManifestRule):
    id = "CW-J082"
    severity = "error"
    prevents = "a job that the operator refuses, or at which it crashes for all jobs"
    source = (
        "kubeflow/training-operator, pkg/apis/kubeflow.org/v1: ElasticPolicy (maxReplicas is not "
        "smaller than minReplicas); kubeflow/trainer#2278 and #2320 (an elastic policy needs "
        "workers)"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            policy = document.get("spec", "elasticPolicy")
            if policy is None or text_at(document, "kind") != "PyTorchJob":
                continue
            yield from _workers(document, policy)


def _number(policy: Item, name: str) -> int | None:
    text = text_at(policy, name)
    return whole(text) if text is not None else None


def _workers(document: Item, policy: Item) -> Results:
    least, most = (_number(policy, name) for name in ("minReplicas", "maxReplicas"))
    if least is not None and most is not None and most < least:
        yield Fail(
            message=f"maxReplicas is {most}, and minReplicas {least}",
            at=policy.get("maxReplicas"),
            requested=most,
            limit=least,
        )
    worker = document.get("spec", "pytorchReplicaSpecs", "Worker")
    if worker is None:
        yield Fail(
            message="the job has an elastic policy and no Worker: its workers meet at the first "
            "one, and old operators crash",
            at=policy,
            hint="pytorchReplicaSpecs: {Worker: ...}, without a Master",
        )
        return
    replicas = _number(worker, "replicas")
    if replicas == 0:
        yield Fail(
            message="the job has an elastic policy and 0 workers",
            at=worker.get("replicas"),
            requested=0,
            limit=1,
        )
