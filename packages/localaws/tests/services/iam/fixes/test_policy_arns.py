"""Tests of services.iam.fixes.policy_arns."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_arn_that_is_none_and_one_of_no_policy() -> None:
    iam = client("iam")
    iam.create_user(UserName="u")
    assert refusal(iam.attach_user_policy, UserName="u", PolicyArn="not-an-arn-of-a-policy") == (
        "ValidationError",
        "Invalid ARN:  Could not be parsed!",
    )
    arn = "arn:aws:iam::123456789012:policy/missing"
    assert refusal(iam.attach_user_policy, UserName="u", PolicyArn=arn) == (
        "NoSuchEntity",
        f"Policy {arn} does not exist or is not attachable.",
    )
    assert refusal(iam.delete_policy, PolicyArn=arn) == (
        "NoSuchEntity",
        f"Policy {arn} was not found.",
    )
