"""An elastic job has workers, as many as its policy allows."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import Item, text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.jobs.values import whole

_LIMITS = ("minReplicas", "maxReplicas")


class ElasticPolicy(ManifestRule):
    id = "CW-J082"
    severity = "error"
    prevents = (
        "a job that the operator refuses, at which it crashes for all jobs, or that waits for "
        "workers which it does not have"
    )
    source = (
        "kubeflow/training-operator, pkg/apis/kubeflow.org/v1: ElasticPolicy (maxReplicas is not "
        "smaller than minReplicas, and each defaults to the other), pkg/controller.v1/pytorch "
        "(the limits are torchrun's --nnodes, and metrics make an autoscaler); pytorch/pytorch, "
        "torch/distributed/run.py; kubeflow/trainer#2278 and #2320 (an elastic policy needs "
        "workers)"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            policy = document.get("spec", "elasticPolicy")
            if policy is None or text_at(document, "kind") != "PyTorchJob":
                continue
            yield from _workers(document, policy)


def _number(item: Item, name: str) -> int | None:
    text = text_at(item, name)
    if text is None:
        return None
    number = whole(text.removeprefix("-"))
    return -number if number is not None and text.startswith("-") else number


def _workers(document: Item, policy: Item) -> Results:
    least, most = (_number(policy, name) for name in _LIMITS)
    if least is not None and most is not None and most < least:
        yield Fail(
            message=f"maxReplicas is {most}, and minReplicas {least}",
            at=policy.get("maxReplicas"),
            requested=most,
            limit=least,
        )
    for name in _LIMITS:
        number = _number(policy, name)
        if number is not None and number < 1:
            yield Fail(
                message=f"{name} is {number}, and torchrun needs one node at least",
                at=policy.get(name),
                requested=number,
                limit=1,
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
    if replicas is None:
        return
    if replicas < 1:
        yield Fail(
            message=f"the job has an elastic policy and {replicas} workers",
            at=worker.get("replicas"),
            requested=replicas,
            limit=1,
        )
    elif policy.get("metrics") is None:
        yield from _outside(worker, replicas, least, most)


def _outside(worker: Item, replicas: int, least: int | None, most: int | None) -> Results:
    """Workers outside the limits, which no autoscaler corrects; a missing limit is the other."""
    least, most = (most if least is None else least), (least if most is None else most)
    if least is None or most is None or not 1 <= least <= most or least <= replicas <= most:
        return
    if replicas < least:
        name, limit, what = "minReplicas", least, "torchrun waits for the others, and gives up"
    else:
        name, limit, what = "maxReplicas", most, "the others wait and take no part"
    yield Fail(
        message=f"the job has {replicas} workers, and {name} is {limit}: {what}",
        at=worker.get("replicas"),
        severity="warning",
        requested=replicas,
        limit=limit,
        hint="replicas between both limits, or metrics, with which an autoscaler sets them",
    )
