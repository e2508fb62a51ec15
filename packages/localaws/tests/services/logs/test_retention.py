"""Tests of services.logs.retention."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def test_logs_are_kept_for_a_number_of_days_from_the_list() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="g")
    logs.put_retention_policy(logGroupName="g", retentionInDays=400)
    found = refusal(logs.put_retention_policy, logGroupName="g", retentionInDays=4)
    assert found[0] == "InvalidParameterException"
    assert logs.describe_log_groups()["logGroups"][0]["retentionInDays"] == 400
