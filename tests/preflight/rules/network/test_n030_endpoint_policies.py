"""Tests of CW-N030."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.endpoints import INTERFACE_SERVICES
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints
from clusterwright.preflight.rules.network.n030_endpoint_policies import CALLS
from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.egress import ALLOW, SHARED, endpoint, every, policy
from tests.support import specs

HERE = "network.existing.vpc_id"
OURS: dict[Any, Any] = {Subnets(): ()}
DENY = {**ALLOW, "Effect": "Deny"}
OUTSIDE = {"StringNotEquals": {"aws:SourceVpc": "vpc-0000000000000000f"}}
ACCOUNT = {"StringEquals": {"aws:PrincipalAccount": specs.ACCOUNT}}


def test_every_service_has_a_call() -> None:
    assert CALLS.keys() == {service.name for service in INTERFACE_SERVICES}


@pytest.mark.parametrize(
    "document",
    [
        None,
        policy(ALLOW),
        policy({**ALLOW, "Condition": ACCOUNT}),
        policy({**ALLOW, "Action": "logs:*", "Resource": "arn:aws:logs:*:*:log-group:/aws/*"}),
        policy(ALLOW, {**DENY, "Resource": "arn:aws:logs:*:*:log-group:secret"}),
        policy(ALLOW, {**DENY, "Condition": {"StringNotEquals": {"aws:SourceVpce": "vpce-logs"}}}),
    ],
)
def test_policy_that_allows_the_call_passes(rule: Harness, document: str | None) -> None:
    rule.passes("CW-N030", EXISTING, {**OURS, Endpoints(): (endpoint("logs", policy=document),)})


@pytest.mark.parametrize(
    "document",
    [
        policy({**DENY, "Condition": OUTSIDE}),
        policy({**ALLOW, "Action": "logs:CreateLogStream"}),
        policy(ALLOW, {**DENY, "Condition": OUTSIDE}),
        policy({**ALLOW, "Condition": {"StringEquals": {"aws:PrincipalAccount": "999988887777"}}}),
    ],
)
def test_policy_without_the_call_is_reported(rule: Harness, document: str) -> None:
    rule.fails(
        "CW-N030",
        EXISTING,
        {**OURS, Endpoints(): (endpoint("logs", policy=document),)},
        path=HERE,
        message="the policy of vpce-logs, the endpoint for logs, allows nodes no "
        "logs:PutLogEvents",
    )


def test_each_endpoint_has_its_own_finding(rule: Harness) -> None:
    document = policy({**DENY, "Condition": OUTSIDE})
    outcome = rule.run("CW-N030", EXISTING, {**OURS, Endpoints(): every(rule, policy=document)})
    named = {finding.where for finding in outcome.findings}
    assert {"vpce-logs", "vpce-ec2", "vpce-ssmmessages"} <= named
    assert "vpce-s3" not in named, "CW-N024 checks it"


def test_endpoint_without_private_dns_is_not_used(rule: Harness) -> None:
    aside = endpoint("logs", policy=policy(DENY), private_dns=False)
    rule.passes("CW-N030", EXISTING, {**OURS, Endpoints(): (aside,)})


@pytest.mark.parametrize(
    "document",
    ["{", policy({**ALLOW, "Condition": {"StringLike": {"aws:PrincipalTag/team": "ml*"}}})],
)
def test_policy_with_unknown_conditions_is_unknown(rule: Harness, document: str) -> None:
    rule.unsure(
        "CW-N030",
        EXISTING,
        {**OURS, Endpoints(): (endpoint("logs", policy=document),)},
        path=HERE,
        message="whether the policy of vpce-logs allows nodes logs:PutLogEvents depends on",
    )


def test_endpoints_of_another_accounts_network_are_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-N030",
        EXISTING,
        {Endpoints(): (), Subnets(): (SHARED,)},
        path="network.existing.subnet_ids",
        message="whether policies of endpoints allow nodes' calls is not known",
    )
