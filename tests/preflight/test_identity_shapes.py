"""Whose keys and secrets, which tags, who is told."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.organizations import TagKeyPolicy
from clusterwright.preflight.facts.organization import EffectiveTagPolicy
from tests.preflight.harness import Harness
from tests.support import specs

OTHER = "999988887777"
KEY = "identity.kms_key_arn"
BOUNDARY = "identity.permissions_boundary_arn"


def secret(account: str = specs.ACCOUNT, region: str = "us-east-1") -> dict[str, object]:
    arn = f"arn:aws:secretsmanager:{region}:{account}:secret:slurm-AbCdEf"
    existing = {"endpoint": "db.example.internal", "secret_arn": arn}
    return {"slurm.accounting": {"kind": "rds", "existing": existing}}


def test_arns_are_of_this_account_and_region(rule: Harness) -> None:
    place = "slurm.accounting.existing.secret_arn"
    rule.fails(
        "CW-I007",
        secret(region="us-west-2"),
        path=place,
        message="the secret is in us-west-2, the cluster is in us-east-1",
        severity="error",
    )
    rule.fails("CW-I007", secret(OTHER), path=place, message=OTHER, severity="warning")
    boundary = {BOUNDARY: f"arn:aws:iam::{OTHER}:policy/b"}
    rule.fails("CW-I007", boundary, path=BOUNDARY, message=OTHER, severity="error")
    key = {KEY: f"arn:aws:kms:us-east-1:{OTHER}:key/1"}
    rule.fails("CW-I007", key, path=KEY, message=OTHER, severity="warning")
    rule.passes("CW-I007", secret())
    rule.passes("CW-I007", {BOUNDARY: "arn:aws:iam::aws:policy/PowerUserAccess"})
    rule.passes("CW-I007", {KEY: f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1"})


def test_required_tags_have_values(rule: Harness) -> None:
    wanted = {"required_tags": ["owner"]}
    finding = rule.fails(
        "CW-E001",
        {**wanted, "tags": {"Owner": "ml"}},
        path="required_tags[0]",
        message="the tag `owner` is missing",
    )
    assert finding.hint == "`Owner` is another key: keys are case-sensitive"
    for value in ("", "  "):
        rule.fails(
            "CW-E001",
            {**wanted, "tags": {"owner": value}},
            path="required_tags[0]",
            message="the tag `owner` has no value",
        )
    rule.passes("CW-E001", {**wanted, "tags": {"owner": "ml"}})
    rule.passes("CW-E001", {"tags": {}}, tested=False)
    twice = {"required_tags": ["owner", "owner"]}
    rule.fails("CW-E001", twice, path="required_tags[0]", message="the tag `owner` is missing")


def test_somebody_is_told_and_once(rule: Harness) -> None:
    rule.fails(
        "CW-B004",
        {"budget": {"monthly_usd": 10}},
        path="budget",
        message="the month's budget has no recipients",
        severity="warning",
    )
    twice = ["a@acme.example", "A@acme.example"]
    rule.fails(
        "CW-B004",
        {"budget": {"monthly_usd": 10, "alert_emails": twice}},
        path="budget.alert_emails[1]",
        message="A@acme.example is listed twice for the month's budget",
        severity="error",
    )
    rule.fails(
        "CW-B004",
        {"observability.alarm_emails": twice},
        path="observability.alarm_emails[1]",
        message="is listed twice",
    )
    rule.passes("CW-B004", {"budget": {"monthly_usd": 10, "alert_emails": twice[:1]}})
    rule.passes("CW-B004", {"budget": {"run_usd": 10}}, tested=False)


def tag_policy(*keys: TagKeyPolicy) -> dict[Any, Any]:
    return {EffectiveTagPolicy(): keys}


OWNER = TagKeyPolicy("Owner", ("ml", "team-*"), ("ec2:instance", "fsx:file-system"))
TAGGED = {"tags": {"Owner": "sales"}, "storage.lustre": [specs.LUSTRE]}


def test_tags_keep_to_the_policy_of_the_organisation(rule: Harness) -> None:
    finding = rule.fails(
        "CW-E009",
        TAGGED,
        tag_policy(OWNER),
        path="tags.Owner",
        message="does not allow `sales` for `Owner`: it is enforced for fsx:file-system",
        severity="error",
    )
    assert finding.limit == "ml, team-*"
    for value in ("ml", "team-", "team-9"):
        rule.passes("CW-E009", {**TAGGED, "tags": {"Owner": value}}, tag_policy(OWNER))
    rule.passes("CW-E009", {"tags": {}}, tag_policy(OWNER))
    rule.passes("CW-E009", TAGGED, {EffectiveTagPolicy(): None})
    rule.passes("CW-E009", {**TAGGED, "tags": {"other": "x"}}, tag_policy(OWNER))


def test_capitals_of_a_key_are_the_policys(rule: Harness) -> None:
    policy = TagKeyPolicy("CostCentre", enforced_for=("iam:ALL_SUPPORTED",))
    finding = rule.fails(
        "CW-E009",
        {"tags": {"costcentre": "1"}},
        tag_policy(policy),
        path="tags.costcentre",
        message="spells the tag `costcentre` as `CostCentre`: it is enforced for iam:role",
        severity="error",
    )
    assert finding.hint == "write `CostCentre`"
    rule.passes("CW-E009", {"tags": {"CostCentre": "1"}}, tag_policy(policy))


# HyperPod's instances are not the account's; no deployment makes a table.
@pytest.mark.parametrize("enforced", [(), ("dynamodb:table",), ("ec2:instance",)])
def test_what_is_not_enforced_for_the_deployment_warns(
    rule: Harness, enforced: tuple[str, ...]
) -> None:
    policy = TagKeyPolicy("Owner", ("ml",), enforced)
    rule.fails(
        "CW-E009",
        TAGGED,
        tag_policy(policy),
        path="tags.Owner",
        message="does not allow `sales` for `Owner`: the resources are noncompliant",
        severity="warning",
    )


def test_a_key_of_which_no_value_is_allowed_is_left_out(rule: Harness) -> None:
    policy = TagKeyPolicy("Owner", (), ("ec2:*",))
    finding = rule.fails(
        "CW-E009", TAGGED, tag_policy(policy), path="tags.Owner", message="enforced for ec2:"
    )
    assert (finding.limit, finding.hint) == ("no value", "remove `Owner`")


def test_the_stacks_own_tag_is_held_to_the_policy_too(rule: Harness) -> None:
    policy = TagKeyPolicy("clusterwright:environment", ("prod",), ("kms:key",))
    finding = rule.fails(
        "CW-E009",
        {},
        tag_policy(policy),
        path="environment",
        message="does not allow `test`",
        severity="error",
    )
    assert finding.hint == "an environment named prod"
    capitals = TagKeyPolicy("Clusterwright:Environment")
    other = rule.fails(
        "CW-E009",
        {},
        tag_policy(capitals),
        path="environment",
        message="the tag policy spells the tag `clusterwright:environment` as "
        "`Clusterwright:Environment`: the resources are noncompliant, but are not refused",
    )
    assert (other.severity, other.hint) == ("warning", "ask for an exception for this key")


def test_a_tag_that_the_policy_requires_is_missed_where_the_type_is_made(rule: Harness) -> None:
    policy = TagKeyPolicy("Owner", required_for=("fsx:file-system", "dynamodb:table"))
    rule.fails(
        "CW-E009",
        {**TAGGED, "tags": {}},
        tag_policy(policy),
        path="environment",
        message="requires `Owner` for fsx:file-system",
        severity="warning",
    )
    rule.passes("CW-E009", TAGGED, tag_policy(policy))
    elsewhere = TagKeyPolicy("Owner", required_for=("dynamodb:table",))
    rule.passes("CW-E009", {**TAGGED, "tags": {}}, tag_policy(elsewhere))
