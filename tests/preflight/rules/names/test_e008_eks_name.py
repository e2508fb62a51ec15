"""Tests of CW-E008."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.preflight.facts import counts
from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import EKS, HYPERPOD, PARALLELCLUSTER, stacks


@pytest.mark.parametrize("spec", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_existing_eks_cluster_name_is_reported(rule: Harness, spec: dict[str, Any]) -> None:
    there: dict[Any, Any] = {counts.EksClusters(): ("test", "other")}
    rule.fails(
        "CW-E008",
        spec,
        {**there, **stacks()},
        path="environment",
        message="an EKS cluster named test already exists",
    )
    rule.passes("CW-E008", spec, {**there, **stacks(("AWS::EKS::Cluster", "test"))})
    rule.passes("CW-E008", spec, {counts.EksClusters(): ("other",), **stacks()})
    rule.passes("CW-E008", PARALLELCLUSTER, tested=False)
