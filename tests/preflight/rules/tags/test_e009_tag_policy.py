"""Tests of CW-E009."""

from __future__ import annotations

import pytest

from clusterwright.aws.organizations import TagKeyPolicy
from clusterwright.preflight.facts.organization import EffectiveTagPolicy
from tests.preflight.harness import Harness
from tests.preflight.rules.support.identity_settings import OWNER, TAGGED, tag_policy


def test_tags_that_violate_the_policy_are_reported(rule: Harness) -> None:
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


def test_capitalization_of_tag_keys_is_checked(rule: Harness) -> None:
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


# HyperPod's instances do not belong to the account; no deployment creates a table.
@pytest.mark.parametrize("enforced", [(), ("dynamodb:table",), ("ec2:instance",)])
def test_unenforced_violation_is_a_warning(rule: Harness, enforced: tuple[str, ...]) -> None:
    policy = TagKeyPolicy("Owner", ("ml",), enforced)
    rule.fails(
        "CW-E009",
        TAGGED,
        tag_policy(policy),
        path="tags.Owner",
        message="does not allow `sales` for `Owner`: the resources are noncompliant",
        severity="warning",
    )


def test_tag_key_without_allowed_values_is_omitted(rule: Harness) -> None:
    policy = TagKeyPolicy("Owner", (), ("ec2:*",))
    finding = rule.fails(
        "CW-E009", TAGGED, tag_policy(policy), path="tags.Owner", message="enforced for ec2:"
    )
    assert (finding.limit, finding.hint) == ("no value", "remove `Owner`")


def test_tag_of_the_stacks_is_checked(rule: Harness) -> None:
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


def test_missing_required_tag_is_reported(rule: Harness) -> None:
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
