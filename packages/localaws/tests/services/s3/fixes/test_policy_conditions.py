"""Tests of services.s3.fixes.policy_conditions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"


ANYBODY = "*"
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)


@pytest.mark.usefixtures("aws")
class TestBuckets:
    @pytest.mark.parametrize(
        ("statement", "denied"),
        [
            ({"Condition": {"Bool": {"aws:SecureTransport": "false"}}}, False),
            ({"Condition": {"Bool": {"aws:SecureTransport": "true"}}}, True),
            ({"Condition": {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}}}, False),
            ({"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/other"}}, False),
            ({}, True),
        ],
    )
    def test_conditions_of_bucket_policies_are_evaluated(
        self, statement: dict[str, Any], denied: bool
    ) -> None:
        s3 = client("s3")
        # Principals of the bucket's account must exist.
        client("iam").create_role(RoleName="other", AssumeRolePolicyDocument=TRUST)
        s3.create_bucket(Bucket="data")
        s3.put_object(Bucket="data", Key="k", Body=b"1")
        policy = {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Deny",
                    "Principal": ANYBODY,
                    "Action": "s3:GetObject",
                    "Resource": "arn:aws:s3:::data/*",
                    **statement,
                }
            ],
        }
        s3.put_bucket_policy(Bucket="data", Policy=json.dumps(policy))
        if denied:
            assert refusal(s3.get_object, Bucket="data", Key="k")[0] == "403"
        else:
            assert s3.get_object(Bucket="data", Key="k")["Body"].read() == b"1"
