"""cdk-nag: the AWS Solutions rules, checked in every synthesis."""

from __future__ import annotations

import os

import aws_cdk as cdk

SWITCH = "CLUSTERWRIGHT_NAG"
"""`false` in the environment disables cdk-nag: for measurements, and for unrelated tests."""


def wanted() -> bool:
    """Whether cdk-nag checks this synthesis."""
    return os.environ.get(SWITCH, "").lower() != "false"


def add(app: cdk.App) -> None:
    """Check the app against the AwsSolutions pack; a finding makes the synthesis fail."""
    if not wanted():
        return
    from cdk_nag import AwsSolutionsChecks  # takes 0.2 s, so import it only if it is used

    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
