"""Tests of services.s3.bucket_policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
ACCOUNT = "123456789012"
MISSING = f"arn:aws:iam::{ACCOUNT}:role/none"
BUCKET, OBJECTS = "arn:aws:s3:::one", "arn:aws:s3:::one/*"
NO_RESOURCE = "Action does not apply to any resource(s) in statement"
NO_CONDITION = "Conditions do not apply to combination of actions and resources in statement"


def statement(**changed: Any) -> dict[str, Any]:
    made = {
        "Effect": "Allow",
        "Principal": {"AWS": ACCOUNT},
        "Action": "s3:GetObject",
        "Resource": OBJECTS,
        **changed,
    }
    return {name: value for name, value in made.items() if value is not None}


def message(*statements: dict[str, Any]) -> str:
    client("s3").create_bucket(Bucket="one")
    text = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    code, found = refusal(client("s3").put_bucket_policy, Bucket="one", Policy=text)
    assert code == "MalformedPolicy"
    return found


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"Action": "ec2:RunInstances"}, "Policy has invalid action"),
        ({"Action": "s3:NoSuchAction"}, "Policy has invalid action"),
        ({"Action": "s3:HeadObject"}, "Policy has invalid action"),
        ({"Action": "GetObject"}, "Policy has invalid action"),
        ({"Resource": BUCKET}, NO_RESOURCE),
        ({"Action": "s3:ListBucket"}, NO_RESOURCE),
        ({"Action": ["s3:GetObject", "s3:ListBucket"]}, NO_RESOURCE),
        ({"Action": "s3:ListAllMyBuckets", "Resource": "*"}, NO_RESOURCE),
        ({"Resource": "arn:aws:s3:::two/*"}, "Policy has invalid resource"),
        ({"Condition": {"StringLike": {"s3:prefix": "a/*"}}}, NO_CONDITION),
        ({"Condition": {"Equals": {"aws:x": "y"}}}, "Invalid Condition type : Equals"),
        (
            {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/none"}},
            "Invalid principal in policy",
        ),
        ({"Principal": f"arn:aws:iam::{ACCOUNT}:root"}, "Invalid policy syntax."),
        ({"Principal": None}, "Missing required field Principal"),
        ({"Action": None}, "Missing required field Action"),
        ({"Resource": None}, "Missing required field Resource"),
        ({"Effect": None}, "Missing required field Effect"),
        ({"Effect": "Maybe"}, "Invalid effect: Maybe"),
        ({"Sid": "a" * 21_000}, "Policy exceeds the maximum allowed document size."),
    ],
)
def test_refused_statements(changed: dict[str, Any], expected: str) -> None:
    assert message(statement(**changed)) == expected


def test_an_empty_list_of_statements() -> None:
    assert message() == "Could not parse the policy: Statement is empty!"


@pytest.mark.parametrize(
    "changed",
    [
        {"Action": "s3:*"},
        {"Action": "*"},
        {"Action": "s3:Get*", "Resource": BUCKET},
        {"Action": ["s3:GetObject", "s3:ListBucket"], "Resource": [BUCKET, OBJECTS]},
        {"Action": "s3:GetObject", "Resource": "arn:aws:s3:::on*"},
        {"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::*"},
        {"Action": None, "NotAction": "s3:PutObject"},
        {
            "Action": "s3:ListBucket",
            "Resource": BUCKET,
            "Condition": {"StringLike": {"s3:prefix": "a/*"}},
        },
        {"Action": "s3:*", "Resource": "*", "Condition": {"StringLike": {"s3:prefix": "a/*"}}},
        {"Sid": "with spaces, twice"},
    ],
)
def test_accepted_statements(changed: dict[str, Any]) -> None:
    client("s3").create_bucket(Bucket="one")
    text = json.dumps({"Statement": [statement(**changed), statement(**changed)]})
    client("s3").put_bucket_policy(Bucket="one", Policy=text)
    assert json.loads(client("s3").get_bucket_policy(Bucket="one")["Policy"]) == json.loads(text)
