"""Tests of CW-N033."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS
from tests.support import specs

DIGEST = f"sha256:{'0123abcd' * 8}"
HERE = "observability.metrics.image"


def exporter(registry: str, egress: str = "closed") -> dict[str, Any]:
    image = {"image": f"{registry}/python@{DIGEST}"}
    return {**EKS, "network.egress": egress, "observability.metrics": image}


@pytest.mark.parametrize(
    "registry",
    [
        "public.ecr.aws/docker/library",
        "docker.io/library",
        f"{specs.ACCOUNT}.dkr.ecr.us-west-2.amazonaws.com",
    ],
)
def test_closed_network_reaches_only_its_own_region(rule: Harness, registry: str) -> None:
    rule.fails(
        "CW-N033", exporter(registry), path=HERE,
        message=f"network.egress is closed, and {registry}/python is not in Amazon ECR in "
        "us-east-1",
    )  # fmt: skip
    rule.passes("CW-N033", exporter(registry, "nat"), tested=False)


def test_private_repositories_of_the_region_are_reached(rule: Harness) -> None:
    rule.passes("CW-N033", exporter("444455556666.dkr.ecr.us-east-1.amazonaws.com"))
    rule.passes("CW-N033", EKS, tested=False)
