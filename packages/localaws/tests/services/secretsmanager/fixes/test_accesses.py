"""Tests of services.secretsmanager.fixes.accesses."""

from __future__ import annotations

import boto3
import moto
import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_days_of_access() -> None:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="n", SecretString="one")
    assert "LastAccessedDate" not in secrets.describe_secret(SecretId="n")
    assert "LastAccessedDate" not in secrets.list_secret_version_ids(SecretId="n")["Versions"][0]
    secrets.get_secret_value(SecretId="n")
    for found in (
        secrets.describe_secret(SecretId="n"),
        secrets.list_secret_version_ids(SecretId="n")["Versions"][0],
    ):
        assert found["LastAccessedDate"].timestamp() % 86_400 == 0


@pytest.mark.usefixtures("aws")
def test_versions_without_stages_are_deprecated() -> None:
    secrets = client("secretsmanager")
    first = secrets.create_secret(Name="n", SecretString="one")["VersionId"]
    for value in ("two", "three"):
        secrets.put_secret_value(SecretId="n", SecretString=value)
    listed = secrets.list_secret_version_ids(SecretId="n")["Versions"]
    assert first not in [one["VersionId"] for one in listed]
    assert len(listed) == 2
    everything = secrets.list_secret_version_ids(SecretId="n", IncludeDeprecated=True)["Versions"]
    (old,) = [one for one in everything if one["VersionId"] == first]
    assert "VersionStages" not in old
    assert first not in secrets.describe_secret(SecretId="n")["VersionIdsToStages"]


def test_moto_alone_lists_every_version() -> None:
    with local_aws():
        client("secretsmanager").list_secrets()
    with moto.mock_aws():
        secrets = boto3.client("secretsmanager", "us-east-1")
        secrets.create_secret(Name="n", SecretString="one")
        for value in ("two", "three"):
            secrets.put_secret_value(SecretId="n", SecretString=value)
        assert len(secrets.describe_secret(SecretId="n")["VersionIdsToStages"]) == 3
