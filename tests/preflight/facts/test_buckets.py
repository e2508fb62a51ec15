"""Policies and keys of buckets."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.kms import Key
from clusterwright.aws.s3 import BucketEncryption
from clusterwright.preflight.facts.buckets import BucketKey, BucketKeys
from clusterwright.preflight.facts.fact import Place

OURS = BucketEncryption(kms=True, kms_key="alias/corpus", bucket_key=True)
KEY = Key("arn:key", "Enabled", "SYMMETRIC_DEFAULT", "CUSTOMER")
AWS_KEY = Key("arn:aws-key", "Enabled", "SYMMETRIC_DEFAULT", "AWS")


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([None], None),
        ([BucketEncryption(kms=False, kms_key=None, bucket_key=False)], None),
        ([BucketEncryption(kms=True, kms_key=None, bucket_key=False)], None),
        ([OURS, None], BucketKey(OURS, None, None)),
        ([OURS, AWS_KEY], BucketKey(OURS, AWS_KEY, None)),
        ([OURS, KEY, "{}"], BucketKey(OURS, KEY, "{}")),
    ],
)
def test_the_key_of_a_bucket(rounds: list[Any], expected: BucketKey | None) -> None:
    reading = BucketKeys("corpus").read()
    next(reading)
    for answer in rounds[:-1]:
        reading.send([answer])
    with pytest.raises(StopIteration) as end:
        reading.send(rounds[-1:])
    assert end.value.value == expected


def test_only_the_bucket_can_be_named_before() -> None:
    found = BucketKeys("corpus").resources(Place("aws", "us-east-1", "111122223333"))
    assert found == {
        "s3:GetEncryptionConfiguration": "arn:aws:s3:::corpus",
        "kms:DescribeKey": "arn:aws:kms:*:*:key/*",
        "kms:GetKeyPolicy": "arn:aws:kms:*:*:key/*",
    }
