"""Tests of CW-I029."""

from __future__ import annotations

from typing import Any

from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS
from tests.support import specs

DIGEST = f"sha256:{'0123abcd' * 8}"
REGISTRY = f"{specs.ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com"


def exporter(image: str, *repositories: str) -> dict[str, Any]:
    return {
        **EKS,
        "observability.metrics": {"image": f"{image}@{DIGEST}"},
        "storage.image_repositories": [{"name": name} for name in repositories],
    }


def test_images_are_in_repositories_that_nodes_pull_from(rule: Harness) -> None:
    rule.passes("CW-I029", exporter(f"{REGISTRY}/ml/python", "training", "ml/python"))
    finding = rule.fails(
        "CW-I029", exporter(f"{REGISTRY}/ml/python", "training", "python"),
        path="observability.metrics.image",
        message="ml/python is not in storage.image_repositories, and nodes pull images of this "
        "account from those repositories only",
    )  # fmt: skip
    assert finding.hint == "add `- {name: ml/python}`, or use one of training, python"


def test_other_registries_and_any_repository_are_left_alone(rule: Harness) -> None:
    other = "444455556666.dkr.ecr.us-east-1.amazonaws.com"
    rule.passes("CW-I029", exporter(f"{other}/ml/python", "training"), tested=False)
    rule.passes("CW-I029", exporter(f"{REGISTRY}/ml/python"), tested=False)
