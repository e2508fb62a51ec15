"""Tests of services.secretsmanager.rotation."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_rotation_without_a_function_is_refused() -> None:
    secrets = client("secretsmanager")
    secret = secrets.create_secret(Name="s", SecretString="x")["ARN"]
    for name in ("s", secret):
        code, message = refusal(secrets.rotate_secret, SecretId=name)[:2]
        assert code == "InvalidRequestException"
        assert message == "No Lambda rotation function ARN is associated with this secret."
