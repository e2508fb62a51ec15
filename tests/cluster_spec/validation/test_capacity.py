"""Purchased capacity: of the same account and region."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import capacity
from tests.support.rich_specs import EXISTING
from tests.support.validation import found

CHINA = "arn:aws-cn:sagemaker:us-east-1:111122223333:training-plan/x"


def test_consistent_specs_pass() -> None:
    assert found(capacity.problems) == {}
    assert found(capacity.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"compute.2.capacity.arn": "arn:aws:sagemaker:us-west-2:111122223333:training-plan/x"},
            "compute[2].capacity.arn",
            "the plan is in us-west-2, the cluster in us-east-1",
        ),
        (
            {"compute.2.capacity.arn": "arn:aws:sagemaker:us-east-1:444455556666:training-plan/x"},
            "compute[2].capacity.arn",
            "the plan is in account 444455556666, the cluster in",
        ),
        (
            {"compute.2.capacity.arn": CHINA},
            "compute[2].capacity.arn",
            "the plan is in",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(capacity.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]
