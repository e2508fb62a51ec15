"""Tests of services.logs.retention."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def test_only_listed_retention_periods_are_accepted() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="g")
    logs.put_retention_policy(logGroupName="g", retentionInDays=400)
    found = refusal(logs.put_retention_policy, logGroupName="g", retentionInDays=4)
    assert found[0] == "InvalidParameterException"
    assert logs.describe_log_groups()["logGroups"][0]["retentionInDays"] == 400
