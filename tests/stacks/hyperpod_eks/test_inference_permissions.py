"""Permissions of the controllers that inference needs."""

from __future__ import annotations

from stacks.hyperpod_eks.inference_permissions import (
    load_balancer_permissions,
    load_balancer_wildcards,
    scaler_permissions,
)
from tests.support.rich_specs import ON_EKS
from tests.support.validation import cluster


def test_the_load_balancer_policy_has_a_reason_for_every_wildcard() -> None:
    spec = cluster(base=ON_EKS)
    statements = [statement.to_json() for statement in load_balancer_permissions(spec)]
    assert all(statement["Effect"] == "Allow" for statement in statements)
    actions = [
        action
        for statement in statements
        for action in (
            statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        )
    ]
    assert "elasticloadbalancing:CreateLoadBalancer" in actions
    assert not [action for action in actions if action.endswith(":*")]
    wildcards = list(load_balancer_wildcards(spec))
    assert wildcards
    assert all(pattern and reason for pattern, reason in wildcards)


def test_arns_are_of_the_partition_of_the_cluster() -> None:
    spec = cluster({"partition": "aws-us-gov", "region": "us-gov-west-1"}, ON_EKS)
    text = str([statement.to_json() for statement in load_balancer_permissions(spec)])
    assert "arn:aws-us-gov:" in text
    assert "arn:aws:" not in text


def test_the_scaler_reads_only_the_workspace() -> None:
    arn = "arn:aws:aps:us-east-1:111122223333:workspace/ws-1"
    with_workspace = [statement.to_json() for statement in scaler_permissions(arn)]
    assert [s["Resource"] for s in with_workspace if "aps:QueryMetrics" in str(s)] == [arn]
    without = str([statement.to_json() for statement in scaler_permissions(None)])
    assert "aps:" not in without
