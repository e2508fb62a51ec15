"""A local AWS that enforces IAM, and its users."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

ACCOUNT, OTHER, REGION = "111122223333", "444455556666", "us-east-1"


@dataclass(frozen=True)
class Keys:
    """Credentials, and clients that use them."""

    key: str
    secret: str = "local"
    token: str | None = None

    def __call__(self, service: str, region: str = REGION) -> Any:
        return _client(self, service, region)

    def assume(self, role_arn: str, **more: Any) -> Keys:
        found = self("sts").assume_role(
            RoleArn=role_arn, **{"RoleSessionName": "session", **more}
        )["Credentials"]
        return Keys(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])


@functools.cache
def _client(keys: Keys, service: str, region: str) -> Any:
    """Clients have no state of the local AWS, and are slow to create."""
    return _session().client(
        service,
        region,
        aws_access_key_id=keys.key,
        aws_secret_access_key=keys.secret,
        aws_session_token=keys.token,
    )


@functools.cache
def _session() -> boto3.Session:
    return boto3.Session()


ADMIN, STRANGER = Keys(ACCOUNT), Keys(OTHER)


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(action: Any, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(action: Any, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {**allow(action, resource, **more), "Effect": "Deny"}


def user(name: str, *statements: dict[str, Any], admin: Keys = ADMIN) -> Keys:
    """Create a user with an inline policy and an access key."""
    iam = admin("iam")
    iam.create_user(UserName=name)
    if statements:
        iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=document(*statements))
    found = iam.create_access_key(UserName=name)["AccessKey"]
    return Keys(found["AccessKeyId"], found["SecretAccessKey"])


def role(
    name: str, *statements: dict[str, Any], trusts: Any = None, admin: Keys = ADMIN, **more: Any
) -> str:
    """Create a role with an inline policy; return its ARN. It trusts its account by default."""
    iam = admin("iam")
    trust = {
        "Effect": "Allow",
        "Principal": trusts or {"AWS": f"arn:aws:iam::{admin.key}:root"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": more.pop("when", {}),
    }
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=document(trust), **more)["Role"][
        "Arn"
    ]
    if statements:
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=document(*statements))
    return str(arn)


def refused(call: Callable[..., Any], **parameters: Any) -> tuple[int, str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    answer = caught.value.response
    return (
        answer["ResponseMetadata"]["HTTPStatusCode"],
        answer["Error"]["Code"],
        answer["Error"]["Message"],
    )
