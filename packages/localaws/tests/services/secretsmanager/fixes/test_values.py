"""Tests of services.secretsmanager.fixes.values."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("aws")

CANNOT_FIND = "Secrets Manager can't find the specified secret"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"SecretId": "none"}, f"{CANNOT_FIND}."),
        (
            {"SecretId": "s", "VersionStage": "OTHER"},
            f"{CANNOT_FIND} value for staging label: OTHER",
        ),
        (
            {"SecretId": "s", "VersionId": "v" * 32},
            f"{CANNOT_FIND} value for VersionId: {'v' * 32}",
        ),
        ({"SecretId": "empty"}, f"{CANNOT_FIND} value for staging label: AWSCURRENT"),
    ],
)
def test_value_that_is_not_there(request_: dict[str, str], message: str) -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="a")
    secrets.create_secret(Name="empty")
    with pytest.raises(ClientError) as caught:
        secrets.get_secret_value(**request_)
    error = caught.value.response
    assert (error["Error"]["Code"], error["Error"]["Message"]) == (
        "ResourceNotFoundException",
        message,
    )
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_moved_stage_is_the_current_value() -> None:
    secrets = client("secretsmanager")
    first = secrets.create_secret(Name="s", SecretString="one")["VersionId"]
    second = secrets.put_secret_value(
        SecretId="s", SecretString="two", VersionStages=["AWSPENDING"]
    )["VersionId"]
    assert secrets.get_secret_value(SecretId="s")["SecretString"] == "one"
    secrets.update_secret_version_stage(
        SecretId="s",
        VersionStage="AWSCURRENT",
        RemoveFromVersionId=first,
        MoveToVersionId=second,
    )
    assert secrets.get_secret_value(SecretId="s")["SecretString"] == "two"
    previous = secrets.get_secret_value(SecretId="s", VersionStage="AWSPREVIOUS")
    assert previous["SecretString"] == "one"
