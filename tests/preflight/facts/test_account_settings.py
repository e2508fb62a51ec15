"""Facts about settings that an account makes once per region."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from clusterwright.aws.session import AwsSession
from clusterwright.preflight.facts.account_settings import SessionKey
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with local_aws():
        yield


def prefer(key_id: str) -> None:
    content = {
        "schemaVersion": "1.0",
        "sessionType": "Standard_Stream",
        "inputs": {"kmsKeyId": key_id},
    }
    client("ssm").create_document(
        Name="SSM-SessionManagerRunShell", DocumentType="Session", Content=json.dumps(content)
    )


def read() -> object:
    fact = SessionKey()
    return AwsFactReader(AwsSession("us-east-1")).read([fact])[fact]


def test_account_without_preferences_has_no_key() -> None:
    assert read() is None
    prefer("")
    assert read() is None


def test_key_of_the_preferences_is_read_with_its_policy() -> None:
    arn = client("kms").create_key()["KeyMetadata"]["Arn"]
    prefer(arn)
    found = read()
    assert (found.key.arn, "Statement" in found.policy) == (arn, True)  # type: ignore[attr-defined]


def test_key_that_does_not_exist_is_stated() -> None:
    prefer("1234abcd-12ab-34cd-56ef-1234567890ab")
    found = read()
    assert (found.key, found.policy) == (None, None)  # type: ignore[attr-defined]
