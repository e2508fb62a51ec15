"""Tests of CW-S025."""

from __future__ import annotations

import pytest

from tests.preflight.existing_storage import FOUND
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import (
    DENIES,
    LETS_IN,
    LINK,
    LINKED,
    PLACE,
    SLR,
    WHO_KNOWS,
    bucket,
    policy,
)
from tests.support import specs


@pytest.mark.parametrize("text", DENIES)
def test_bucket_policy_that_denies_fsx_is_reported(rule: Harness, text: str) -> None:
    finding = rule.fails(
        "CW-S025", LINKED, bucket(text), path=PLACE, message="the policy of acme-corpus denies FSx"
    )
    assert finding.hint is not None
    assert f"{SLR}*" in finding.hint


@pytest.mark.parametrize("text", LETS_IN)
def test_bucket_policy_that_allows_fsx_passes(rule: Harness, text: str | None) -> None:
    rule.passes("CW-S025", LINKED, bucket(text))


@pytest.mark.parametrize("text", WHO_KNOWS)
def test_unknown_bucket_policy_is_unknown(rule: Harness, text: str) -> None:
    rule.unsure("CW-S025", LINKED, bucket(text), path=PLACE, message="are not known before")


def test_export_requires_write_permission_of_the_file_system_role(rule: Harness) -> None:
    out = {**LINK, "export": ["NEW", "DELETED"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [out]}]}
    message = "denies FSx s3:DeleteObject"
    text = policy(Action="s3:DeleteObject")
    rule.fails("CW-S025", changes, bucket(text), path=PLACE, message=message)
    only = policy(Condition={"StringNotEquals": {"aws:PrincipalArn": f"{SLR}{FOUND.id}"}})
    ours = FOUND.__class__(**{**FOUND.__dict__, "stack": "test-storage"})
    rule.passes("CW-S025", LINKED, bucket(only, ours))
    rule.fails("CW-S025", LINKED, bucket(only, FOUND), path=PLACE, message="denies FSx")
