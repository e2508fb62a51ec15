"""Tests of CW-C012."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from clusterwright.aws import sagemaker
from tests.preflight.capacity import SEGMENT, bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN


def test_plan_of_another_type_is_reported(rule: Harness) -> None:
    segment = dataclasses.replace(SEGMENT, instance_type="ml.p5en.48xlarge")
    rule.fails(
        "CW-C012",
        PLAN,
        bought(capacities=(segment,)),
        path="compute[1].instance_type",
        message="the training plan run-1 is for ml.p5en.48xlarge, not ml.p5.48xlarge",
    )
    rule.passes("CW-C012", PLAN, bought())


def test_types_of_a_group_are_counted_separately() -> None:
    """A cluster of another user, with instance requirements: types and counts in detail."""
    detail = [
        {"InstanceType": "ml.p5.48xlarge", "CurrentCount": 2},
        {"InstanceType": "ml.p5en.48xlarge", "CurrentCount": 3},
    ]
    group = {"InstanceGroupName": "any", "TargetCount": 7, "CurrentCount": 5}

    class Session:
        def __init__(self, **more: Any) -> None:
            self.more = more

        def call(self, service: str, operation: str, **parameters: Any) -> dict[str, Any]:
            assert (service, operation) == ("sagemaker", "DescribeCluster"), parameters
            return {
                "ClusterArn": "arn",
                "ClusterStatus": "InService",
                "InstanceGroups": [{**group, **self.more}],
            }

    def counts(**more: Any) -> list[tuple[str, int]]:
        found = sagemaker.cluster(cast(Any, Session(**more)), "theirs")
        assert found is not None
        return [(one.instance_type, one.count) for one in found.groups]

    assert counts(InstanceTypeDetails=detail) == [("ml.p5.48xlarge", 4), ("ml.p5en.48xlarge", 3)]
    wanted = {"DesiredInstanceTypes": ["ml.p5.48xlarge", "ml.p5en.48xlarge"]}
    assert counts(InstanceRequirements=wanted) == [("ml.p5.48xlarge", 7)]
    assert counts() == [("", 7)]
    assert counts(InstanceType="ml.g5.48xlarge") == [("ml.g5.48xlarge", 7)]
