"""cdk-nag: AWS's own list of what an architecture must not do, checked on every synthesis."""

from __future__ import annotations

import os

import aws_cdk as cdk

SWITCH = "CLUSTERWRIGHT_NAG"
"""`false` in the environment leaves cdk-nag out: for measurements, and tests of other things."""


def wanted() -> bool:
    """Whether cdk-nag is to check this synthesis."""
    return os.environ.get(SWITCH, "").lower() != "false"


def add(app: cdk.App) -> None:
    """Check the app against the AwsSolutions pack; a finding makes the synthesis fail."""
    if not wanted():
        return
    from cdk_nag import AwsSolutionsChecks  # 0.2 s that nobody pays who switched it off

    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
