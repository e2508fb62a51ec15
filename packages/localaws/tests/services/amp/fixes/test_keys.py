"""A workspace of Managed Prometheus keeps its key."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def test_a_workspace_shows_the_key_that_it_was_created_with() -> None:
    amp = client("amp")
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    created = amp.create_workspace(kmsKeyArn=key)
    assert created["kmsKeyArn"] == key
    found = amp.describe_workspace(workspaceId=created["workspaceId"])["workspace"]
    assert found["kmsKeyArn"] == key


def test_a_workspace_without_a_key_shows_none() -> None:
    amp = client("amp")
    created = amp.create_workspace()
    found = amp.describe_workspace(workspaceId=created["workspaceId"])["workspace"]
    assert "kmsKeyArn" not in created
    assert "kmsKeyArn" not in found
