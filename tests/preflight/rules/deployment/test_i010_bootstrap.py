"""Tests of CW-I010."""

from __future__ import annotations

import re

from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ASSETS, bootstrap


def test_missing_or_outdated_bootstrap_is_reported(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I010",
        {},
        bootstrap(None),
        path="account",
        message="is not bootstrapped in us-east-1",
        severity="warning",
    )
    # Without a spec the app of the repository states no environment.
    assert finding.hint is not None
    assert re.fullmatch(r"`cdk bootstrap -c (env=[\w-]+|config=\S+\.yaml)`", finding.hint)
    rule.fails("CW-I010", {}, bootstrap("5"), path="account", message="stack has version 5; 6 or")
    rule.fails("CW-I010", {}, bootstrap("28", roles=False), path="account", message="deploy-role-")
    gone = rule.fails(
        "CW-I010",
        {},
        bootstrap("28", bucket=False),
        path="account",
        message=f"the bucket {ASSETS} of the bootstrap stack",
        severity="error",
    )
    assert gone.hint is not None
    assert gone.hint.startswith("delete the stack CDKToolkit in us-east-1, then `cdk bootstrap")
    # An account without bootstrap has no bucket either: one finding is sufficient.
    bare = bootstrap(None, roles=False, bucket=False)
    assert len(rule.run("CW-I010", {}, bare).findings) == 1
    rule.passes("CW-I010", {}, bootstrap("28"))
    rule.unsure("CW-I010", {}, bootstrap("x"), path="account", message="`x` is not a number")
