"""Tests of CW-I033."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.references import IdentityCenterInstances
from tests.preflight.harness import Harness

ARN = "arn:aws:sso:::instance/ssoins-0123456789abcdef"
HERE = "observability.grafana.login"


def spec(**grafana: Any) -> dict[str, Any]:
    return {"observability": {"prometheus": True, "grafana": grafana}}


def test_an_instance_is_in_the_region(rule: Harness) -> None:
    rule.passes("CW-I033", spec(), {IdentityCenterInstances("us-east-1"): (ARN,)})


def test_no_instance_is_reported(rule: Harness) -> None:
    rule.fails("CW-I033", spec(), {IdentityCenterInstances("us-east-1"): ()}, path=HERE,
               message="the account sees no Identity Center instance in us-east-1")  # fmt: skip


def test_other_logins_need_none(rule: Harness) -> None:
    rule.passes("CW-I033", spec(login="saml"), tested=False)
    rule.passes("CW-I033", {}, tested=False)
