"""Tests of CW-E012."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.aws.organizations import ServiceControlPolicy
from clusterwright.preflight.facts.organization import ResourceControlPolicies
from tests.preflight.harness import Harness
from tests.preflight.rules.support.kubernetes import HYPERPOD
from tests.support import specs

ORGANIZATION = "o-exampleorgid"
FACT = ResourceControlPolicies(specs.ACCOUNT)


def policies(**statement: Any) -> dict[Any, Any]:
    denies = {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*", **statement}
    text = json.dumps({"Version": "2012-10-17", "Statement": [denies]})
    return {FACT: (ServiceControlPolicy("p-1", "perimeter", text, ORGANIZATION),)}


def unless(operator: str, **values: Any) -> dict[str, Any]:
    return {"Condition": {operator: {key.replace("__", ":"): v for key, v in values.items()}}}


@pytest.mark.parametrize(
    "facts",
    [
        {FACT: ()},
        policies(Action="s3:*", **unless("Bool", aws__SecureTransport="false")),
        policies(**unless("StringNotEqualsIfExists", aws__PrincipalOrgID=ORGANIZATION)),
        policies(**unless("StringNotEquals", aws__PrincipalAccount=[specs.ACCOUNT])),
        policies(Action="dynamodb:*"),
    ],
)
def test_usual_perimeters_pass(rule: Harness, facts: dict[Any, Any]) -> None:
    rule.passes("CW-E012", {}, facts)


def test_perimeter_of_another_organization_denies_the_nodes(rule: Harness) -> None:
    other = policies(**unless("StringNotEqualsIfExists", aws__PrincipalOrgID="o-other"))
    found = rule.run("CW-E012", {}, other)
    assert {f.path for f in found.findings} == {"account"}
    deployment, nodes = (f.message for f in found.findings)
    start = "the resource control policy perimeter (p-1) denies "
    assert deployment.startswith(start + "CloudFormation's role ")
    assert nodes.startswith(start + "nodes and jobs ")


@pytest.mark.parametrize("base", [{}, HYPERPOD, {"platform": "parallelcluster"}])
def test_denied_action_is_named(rule: Harness, base: dict[str, Any]) -> None:
    found = rule.run("CW-E012", base, policies(Action="kms:Decrypt"))
    assert any("nodes and jobs kms:Decrypt" in f.message for f in found.findings)


def test_denied_key_is_a_finding_of_the_nodes(rule: Harness) -> None:
    rule.fails("CW-E012", {}, policies(Action="kms:Decrypt"), path="account", severity="error",
               message="denies nodes and jobs kms:Decrypt")  # fmt: skip


def test_unknown_values_are_stated(rule: Harness) -> None:
    network = unless("StringNotEquals", aws__SourceVpc="vpc-1")
    rule.fails("CW-E012", {}, policies(Action="kms:Decrypt", **network), path="account",
               message="depends on values of the request", severity="info")  # fmt: skip
