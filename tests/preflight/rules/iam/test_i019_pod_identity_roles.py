"""Tests of CW-I019."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.iam import Role
from clusterwright.preflight.facts.references import NamedRole
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import EKS
from tests.support import specs

ARN = f"arn:aws:iam::{specs.ACCOUNT}:role/data-loader"
HERE = "kubernetes.pod_identities[0].role_arn"
SPEC: dict[str, Any] = {
    **EKS,
    "kubernetes": {
        "pod_identities": [
            {"namespace": "training", "service_account": "data-loader", "role_arn": ARN}
        ]
    },
}
BOTH = ["sts:AssumeRole", "sts:TagSession"]


def role(actions: Any = BOTH, service: str = "pods.eks.amazonaws.com", **more: Any) -> Any:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": actions,
        **more,
    }
    return {NamedRole("data-loader"): Role(ARN, json.dumps({"Statement": [statement]}))}


def test_role_trusts_pod_identity(rule: Harness) -> None:
    rule.passes("CW-I019", SPEC, role())
    rule.passes("CW-I019", SPEC, role("sts:*"))
    rule.passes("CW-I019", EKS, tested=False)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({NamedRole("data-loader"): None}, "the role data-loader does not exist"),
        (
            {NamedRole("data-loader"): Role(ARN.replace("role/", "role/ml/"), "{}")},
            "role/ml/data-loader: its path is different",
        ),
        (role("sts:AssumeRole"), "does not allow pods.eks.amazonaws.com sts:TagSession"),
        (role(service="ec2.amazonaws.com"), "sts:AssumeRole and sts:TagSession"),
        (role("sts:AssumeRoleWithWebIdentity"), "sts:AssumeRole and sts:TagSession"),
    ],
)
def test_role_that_pods_cannot_assume(rule: Harness, facts: Any, message: str) -> None:
    rule.fails("CW-I019", SPEC, facts, path=HERE, message=message, severity="error")


def test_conditions_about_the_session_are_not_known(rule: Harness) -> None:
    condition = {"StringEquals": {"aws:RequestTag/kubernetes-namespace": "training"}}
    rule.fails("CW-I019", SPEC, role(Condition=condition), path=HERE,
               message="depends on conditions", severity="info")  # fmt: skip
