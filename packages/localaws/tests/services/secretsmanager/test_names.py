"""Tests of services.secretsmanager.names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore import xform_name

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def test_name_of_a_deleted_secret_is_reserved() -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="x")
    secrets.delete_secret(SecretId="s")
    found = refusal(secrets.create_secret, Name="s", SecretString="y")
    assert found[0] == "InvalidRequestException"
    assert "already scheduled for deletion" in found[1]
    secrets.restore_secret(SecretId="s")
    assert refusal(secrets.create_secret, Name="s", SecretString="y")[0] == (
        "ResourceExistsException"
    )
    secrets.delete_secret(SecretId="s", ForceDeleteWithoutRecovery=True)
    secrets.create_secret(Name="s", SecretString="y")


INVALID = "Invalid name. Must be a valid name containing alphanumeric characters"


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("delete_secret", {}),
        ("describe_secret", {}),
        ("get_secret_value", {}),
        ("list_secret_version_ids", {}),
        ("put_secret_value", {"SecretString": "x"}),
        ("tag_resource", {"Tags": [{"Key": "a", "Value": "b"}]}),
        ("untag_resource", {"TagKeys": ["a"]}),
        ("update_secret", {"Description": "x"}),
    ],
)
def test_characters_of_a_name(operation: str, more: dict[str, Any]) -> None:
    secrets = client("secretsmanager")
    found = refusal(getattr(secrets, operation), SecretId="a b", **more)
    assert found[0] == "ValidationException"
    assert found[1].startswith(INVALID)
    assert refusal(secrets.create_secret, Name="a*", SecretString="x")[1].startswith(INVALID)
    arn = secrets.create_secret(Name="Valid/_+=.@-Name", SecretString="x")["ARN"]
    assert getattr(secrets, operation)(SecretId=arn, **more)


def test_deleted_secret_takes_no_tags() -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="x")
    secrets.delete_secret(SecretId="s")
    for change in (
        lambda: secrets.tag_resource(SecretId="s", Tags=[{"Key": "a", "Value": "b"}]),
        lambda: secrets.untag_resource(SecretId="s", TagKeys=["a"]),
    ):
        code, message = refusal(change)[:2]
        assert code == "InvalidRequestException"
        assert "marked for deletion" in message


def test_tag_without_a_key_is_refused() -> None:
    client("secretsmanager").create_secret(Name="n", SecretString="s")
    found = refusal(client("secretsmanager").tag_resource, SecretId="n", Tags=[{"Value": "v"}])
    assert found[0] == "InvalidParameterException"


@pytest.mark.parametrize(
    ("operation", "code", "members"),
    [
        ("CreateSecret", "InvalidRequestException", {"Name": "new"}),
        ("PutSecretValue", "InvalidRequestException", {"SecretId": "s"}),
        ("UpdateSecret", "InvalidRequestException", {"SecretId": "s"}),
        ("RotateSecret", "InvalidParameterException", {"SecretId": "s"}),
    ],
)
def test_requests_without_a_token(operation: str, code: str, members: dict[str, str]) -> None:
    """As recorded on AWS by LocalStack's tests, 2023-05-12; SDKs fill the token in."""
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="x")

    def without_token(params: Any, **_: Any) -> None:
        body = json.loads(params["body"])
        del body["ClientRequestToken"]
        params["body"] = json.dumps(body).encode()

    event = f"before-call.secrets-manager.{operation}"
    secrets.meta.events.register(event, without_token)
    try:
        call = getattr(secrets, xform_name(operation))
        found = refusal(call, **members)
    finally:
        secrets.meta.events.unregister(event, without_token)
    text = "You must provide a ClientRequestToken value. We recommend a UUID-type value."
    assert found == (code, text)


@pytest.mark.usefixtures("aws")
def test_a_secret_has_one_value_and_a_name_of_512_characters() -> None:
    secrets = client("secretsmanager")
    found = refusal(secrets.create_secret, Name="s", SecretString="v", SecretBinary=b"v")
    assert found[0] == "InvalidParameterException"
    assert secrets.create_secret(Name="s" * 512, SecretString="v")["Name"] == "s" * 512
