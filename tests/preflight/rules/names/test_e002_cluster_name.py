"""Tests of CW-E002."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.sagemaker import Cluster
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import ARN, HERE, stacks


def test_existing_cluster_name_is_reported(rule: Harness) -> None:
    def there(*clusters: Cluster) -> dict[Any, Any]:
        return {HyperPodClusters(): clusters}

    same, other = Cluster("test", ARN, "InService", ()), Cluster("other", ARN, "InService", ())
    rule.fails(
        "CW-E002",
        {},
        {**there(same), **stacks()},
        path=HERE,
        message="a cluster named test already exists",
    )
    for physical_id in (ARN, "test", "abcdefgh1234"):
        own = stacks(("AWS::SageMaker::Cluster", physical_id))
        rule.passes("CW-E002", {}, {**there(same), **own})
    rule.passes("CW-E002", {}, {**there(other), **stacks()})
