"""Tests of CW-I024."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.account_settings import MetadataDefaults as Defaults
from clusterwright.preflight.facts.account_settings import MetadataDefaults
from tests.preflight.harness import Harness

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}


def defaults(
    endpoint: str | None = None, tags: str | None = None, managed_by: str = "account"
) -> dict[Any, Any]:
    return {MetadataDefaults(): Defaults(endpoint, tags, managed_by)}


def test_account_without_metadata_service_is_reported(rule: Harness) -> None:
    rule.passes("CW-I024", ON_EC2, defaults())
    rule.passes("CW-I024", ON_EC2, defaults("enabled"))
    finding = rule.fails(
        "CW-I024",
        ON_EC2,
        defaults("disabled"),
        path="platform",
        message="the account disables the instance metadata service of new instances",
        severity="error",
    )
    assert finding.hint == (
        "`aws ec2 modify-instance-metadata-defaults --http-endpoint no-preference`"
    )
    finding = rule.fails("CW-I024", ON_EC2, defaults("disabled", managed_by="declarative-policy"),
                         path="platform", message="disables")  # fmt: skip
    assert finding.hint == (
        "a declarative policy of the organization sets it: ask for an exception there"
    )


def test_tag_that_metadata_cannot_show_is_reported(rule: Harness) -> None:
    tagged = {**ON_EC2, "tags": {"acme/team": "ml", "owner": "ml"}}
    rule.passes("CW-I024", tagged, defaults(tags="disabled"))
    rule.passes("CW-I024", ON_EC2, defaults(tags="enabled"))
    finding = rule.fails(
        "CW-I024",
        tagged,
        defaults(tags="enabled"),
        path="tags.acme/team",
        message="where the key 'acme/team' is not valid",
    )
    assert finding.hint is not None
    assert finding.hint.startswith(
        "rename the tag; or: `aws ec2 modify-instance-metadata-defaults"
    )


def test_platforms_that_set_every_option_are_not_asked(rule: Harness) -> None:
    rule.passes("CW-I024", {}, tested=False)
