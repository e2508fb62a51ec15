"""Tests of CW-I027."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.references import EcrImage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS
from tests.support import specs

DIGEST = f"sha256:{'0123abcd' * 8}"
FACT = EcrImage(specs.ACCOUNT, "us-west-2", "ml/training", DIGEST)
IN_ECR = f"{specs.ACCOUNT}.dkr.ecr.us-west-2.amazonaws.com/ml/training@{DIGEST}"


def job(image: str) -> dict[str, Any]:
    training = {
        "name": "pretraining",
        "kind": "pytorch",
        "group": "workers",
        "node_count": 2,
        "image": image,
        "command": ["torchrun"],
    }
    return {**EKS, "kubernetes": {"workloads": {"jobs": [training]}}}


def test_image_of_a_job_exists(rule: Harness) -> None:
    rule.passes("CW-I027", job(IN_ECR), {FACT: 1_000_000})
    rule.passes("CW-I027", job(IN_ECR), {FACT: 0})
    finding = rule.fails(
        "CW-I027", job(IN_ECR), {FACT: None}, path="kubernetes.workloads.jobs[0].image",
        message=f"ml/training in the registry of {specs.ACCOUNT} in us-west-2 has no image",
    )  # fmt: skip
    assert finding.hint is not None
    assert "--region us-west-2" in finding.hint


def test_image_of_the_exporter_exists(rule: Harness) -> None:
    changes = {**EKS, "observability.metrics": {"image": IN_ECR}}
    rule.fails("CW-I027", changes, {FACT: None}, path="observability.metrics.image",
               message="has no image")  # fmt: skip


def test_other_registries_are_not_asked(rule: Harness) -> None:
    rule.passes("CW-I027", job(f"registry.example/training@{DIGEST}"), tested=False)
    rule.passes("CW-I027", tested=False)
