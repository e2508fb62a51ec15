"""Tests of services.secretsmanager.names."""

from __future__ import annotations

import pytest

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
