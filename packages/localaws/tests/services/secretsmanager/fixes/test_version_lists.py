"""Tests of services.secretsmanager.fixes.version_lists."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_versions_are_listed() -> None:
    secrets = client("secretsmanager")
    first = secrets.create_secret(Name="n", SecretString="one")["VersionId"]
    second = secrets.put_secret_value(SecretId="n", SecretString="two")["VersionId"]
    found = secrets.list_secret_version_ids(SecretId="n")
    stages = {one["VersionId"]: one["VersionStages"] for one in found["Versions"]}
    assert stages == {first: ["AWSPREVIOUS"], second: ["AWSCURRENT"]}
    assert [one["KmsKeyIds"] for one in found["Versions"]] == [["DefaultEncryptionKey"]] * 2
    assert "NextToken" not in found


@pytest.mark.usefixtures("aws")
def test_versions_of_no_secret_are_not_found() -> None:
    found = refusal(client("secretsmanager").list_secret_version_ids, SecretId="none")
    assert found[0] == "ResourceNotFoundException"
