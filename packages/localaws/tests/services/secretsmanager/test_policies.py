"""Tests of services.secretsmanager.policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def put(aws: Any) -> Any:
    client("secretsmanager").create_secret(Name="s", SecretString="v")

    def call(policy: str, **more: Any) -> Any:
        return client("secretsmanager").put_resource_policy(
            SecretId="s", ResourcePolicy=policy, **more
        )

    return call


def policy(**more: Any) -> str:
    statement = {"Effect": "Allow", "Action": "secretsmanager:*", "Resource": "*", **more}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def test_public_policies_are_blocked(put: Any) -> None:
    public = policy(Principal="*")
    put(public)
    assert refusal(put, policy=public, BlockPublicPolicy=True)[0] == "PublicPolicyException"
    put(policy(Principal={"AWS": "123456789012"}), BlockPublicPolicy=True)
