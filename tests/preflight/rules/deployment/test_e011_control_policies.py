"""Tests of CW-E011."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.organizations import ServiceControlPolicy
from clusterwright.preflight.facts.organization import ServiceControlPolicies
from tests.preflight.harness import Harness
from tests.support import specs

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}
ROLE = "cdk-hnb659fds-cfn-exec-role"


def policies(**statement: Any) -> dict[Any, Any]:
    text = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Deny", "Action": "*", "Resource": "*", **statement}],
        }
    )
    return {
        ServiceControlPolicies(specs.ACCOUNT): (ServiceControlPolicy("p-1", "guardrail", text),)
    }


def outside(*regions: str) -> dict[str, Any]:
    return {"Condition": {"StringNotEquals": {"aws:RequestedRegion": list(regions)}}}


def test_account_without_policies_passes(rule: Harness) -> None:
    rule.passes("CW-E011", {}, {ServiceControlPolicies(specs.ACCOUNT): ()})


def test_policy_of_another_region_denies_the_deployment(rule: Harness) -> None:
    rule.passes("CW-E011", {}, policies(**outside("us-east-1", "eu-west-1")))
    finding = rule.fails(
        "CW-E011",
        {},
        policies(**outside("eu-west-1")),
        path="account",
        message="the service control policy guardrail (p-1) denies CloudFormation's role ",
        severity="error",
    )
    assert finding.message.endswith("more")


def test_exempted_role_passes(rule: Harness) -> None:
    exempt = {"ArnNotLike": {"aws:PrincipalArn": f"arn:aws:iam::*:role/{ROLE}-*"}}
    rule.passes("CW-E011", {}, policies(Condition=exempt))
    admin = {"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/admin"}}
    rule.fails("CW-E011", {"storage.lustre": [specs.LUSTRE]},
               policies(Action="fsx:*", Condition=admin), path="account",
               message="denies CloudFormation's role fsx:CreateFileSystem")  # fmt: skip


@pytest.mark.parametrize(("types", "path"), [(["m5.*"], "compute[1].instance_type")])
def test_instance_types_are_compared_where_the_account_launches_them(
    rule: Harness, types: list[str], path: str
) -> None:
    chosen = policies(
        Action="ec2:RunInstances",
        Resource="arn:aws:ec2:*:*:instance/*",
        Condition={"StringNotLike": {"ec2:InstanceType": types}},
    )
    rule.fails("CW-E011", ON_EC2, chosen, path=path,
               message="denies the roles that launch p5.48xlarge ec2:RunInstances")  # fmt: skip
    rule.passes("CW-E011", {}, chosen)


def test_required_tags_are_those_of_the_spec(rule: Harness) -> None:
    chosen = policies(
        Action="sagemaker:CreateCluster", Condition={"Null": {"aws:RequestTag/CostCentre": "true"}}
    )
    rule.fails("CW-E011", {}, chosen, path="account", message="sagemaker:CreateCluster")
    rule.passes("CW-E011", {"tags": {"CostCentre": "42"}}, chosen)


def test_other_conditions_are_stated_without_an_answer(rule: Harness) -> None:
    rule.fails(
        "CW-E011",
        {},
        policies(Action="kms:CreateKey", Condition={"Bool": {"aws:ViaAWSService": "false"}}),
        path="account",
        message="whether the service control policy guardrail (p-1) denies CloudFormation's role "
        "kms:CreateKey depends on values of the request that are not known",
        severity="info",
    )
