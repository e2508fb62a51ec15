"""Tests of services.amp.fixes.no_logging."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_workspace_without_logging_has_no_logging_configuration() -> None:
    amp = client("amp")
    made = amp.create_workspace(alias="metrics")["workspaceId"]
    found, _ = refusal(amp.describe_logging_configuration, workspaceId=made)
    assert found == "ResourceNotFoundException"
