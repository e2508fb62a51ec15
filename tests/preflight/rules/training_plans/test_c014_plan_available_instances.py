"""Tests of CW-C014."""

from __future__ import annotations

import dataclasses

from clusterwright.aws.sagemaker import (
    Cluster,
    ClusterGroup,
)
from clusterwright.preflight.facts import hyperpod
from tests.preflight.capacity import bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN
from tests.support import specs


def test_plan_without_available_instances_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-C014",
        PLAN,
        bought(available_count=3),
        path="compute[1].count",
        message="4 instances from the training plan run-1, 3 are free",
        numbers=(4, 1, 4),
    )
    rule.passes("CW-C014", PLAN, bought())


def test_instances_of_the_cluster_count_as_available(rule: Harness) -> None:
    group = ClusterGroup("workers", "ml.p5.48xlarge", 4, False, specs.PLAN, 0)
    own = Cluster("test", "arn", "InService", (group,))
    facts = {**bought(available_count=0), hyperpod.HyperPodClusters(): (own,)}
    rule.passes("CW-C014", PLAN, facts)
    other = dataclasses.replace(own, name="another")
    rule.fails(
        "CW-C014",
        PLAN,
        {**bought(available_count=0), hyperpod.HyperPodClusters(): (other,)},
        path="compute[1].count",
        message="0 are free",
    )


def test_scheduled_plan_is_available_at_its_start(rule: Harness) -> None:
    rule.passes("CW-C014", PLAN, bought(status="Scheduled", available_count=0))


def test_plan_without_an_available_count_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-C014",
        PLAN,
        bought(available_count=None),
        path="compute[1].capacity.arn",
        message="does not report its available instances",
    )
