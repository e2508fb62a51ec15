"""Tests of CW-S026."""

from __future__ import annotations

from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.buckets import BucketKeys
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ADMITS, LINKED, PLACE, ROOT, keys, policy

NOT_ALLOWED = "the key of acme-corpus does not allow FSx"


def test_key_policy_without_fsx_is_reported_for_buckets(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S026",
        LINKED,
        keys(policy("Allow", **ROOT)),
        path=PLACE,
        message=NOT_ALLOWED,
    )
    assert finding.hint is not None
    assert "s3.us-east-1.amazonaws.com" in finding.hint
    rule.passes("CW-S026", LINKED, keys(policy("Allow", **ADMITS)))
    in_part = {**ADMITS, "Action": "kms:Decrypt"}
    rule.fails(
        "CW-S026", LINKED, keys(policy("Allow", **in_part)), path=PLACE, message=NOT_ALLOWED
    )
    context = {"kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::acme-corpus"}
    of_bucket = {**ADMITS, "Condition": {"StringLike": context}}
    rule.passes("CW-S026", LINKED, keys(policy("Allow", **of_bucket)))
    of_objects = {k: f"{v}/*" for k, v in context.items()}
    wrong = {**ADMITS, "Condition": {"StringLike": of_objects}}
    rule.fails("CW-S026", LINKED, keys(policy("Allow", **wrong)), path=PLACE, message=NOT_ALLOWED)
    maybe = {**ADMITS, "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}}
    message = "whether the key of acme-corpus allows FSx"
    rule.unsure("CW-S026", LINKED, keys(policy("Allow", **maybe)), path=PLACE, message=message)


def test_unusable_bucket_key_is_reported(rule: Harness) -> None:
    gone = keys(None, found=False)
    rule.fails(
        "CW-S026",
        LINKED,
        gone,
        path=PLACE,
        message="arn:aws:kms:us-east-1:111122223333:key/1, which does not exist",
    )
    off = keys("", state="PendingDeletion")
    rule.fails("CW-S026", LINKED, off, path=PLACE, message="is PendingDeletion")
    rule.passes("CW-S026", LINKED, keys(None))
    rule.passes("CW-S026", LINKED, {BucketKeys("acme-corpus"): None, storage.FileSystems(): ()})
