"""Whose keys and secrets, which tags, who is told."""

from __future__ import annotations

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
        message="the secret is in us-west-2, the cluster in us-east-1",
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
    assert finding.hint == "`Owner` is another key: the case of letters counts"
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
        message="nobody is told of the month's budget",
        severity="warning",
    )
    twice = ["a@acme.example", "A@acme.example"]
    rule.fails(
        "CW-B004",
        {"budget": {"monthly_usd": 10, "alert_emails": twice}},
        path="budget.alert_emails[1]",
        message="A@acme.example is told of the month's budget twice",
        severity="error",
    )
    rule.fails(
        "CW-B004",
        {"observability.alarm_emails": twice},
        path="observability.alarm_emails[1]",
        message="is told of alarms twice",
    )
    rule.passes("CW-B004", {"budget": {"monthly_usd": 10, "alert_emails": twice[:1]}})
    rule.passes("CW-B004", {"budget": {"run_usd": 10}}, tested=False)
