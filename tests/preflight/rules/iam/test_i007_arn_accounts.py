"""Tests of CW-I007."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.identity_settings import BOUNDARY, KEY, OTHER, secret
from tests.support import specs


def test_arns_of_other_accounts_and_regions_are_reported(rule: Harness) -> None:
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
